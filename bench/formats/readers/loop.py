"""The loop of a reader's process: a line of JSON in is a document to read, a line of JSON out is what it says.

    in:   {"path": "...", "rounds": 1}
    out:  {"text": "...", "title": "...", "attributes": {"name": ["value"]}, "links": ["..."],
           "embedded": [{"name": "...", "text": "..."}], "error": "...", "cpu_s": 0.01}

`rounds` above 1: it is read as often, for the time it takes. Only the standard library is imported: readers of others
run in environments of their own.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


def serve(read: Callable[[Path], Answer]) -> None:
    """Answer until the input ends. Output of libraries goes to standard error."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        for line in sys.stdin:
            asked = json.loads(line)
            began = time.process_time()
            answer = [_read(read, Path(asked["path"])) for _ in range(asked["rounds"])][-1]
            answer["cpu_s"] = time.process_time() - began
            out.write(json.dumps(answer) + "\n")
            out.flush()


def _read(read: Callable[[Path], Answer], path: Path) -> Answer:
    try:
        return read(path)
    except Exception as error:  # noqa: BLE001 - whatever a reader raises is its answer
        return {"error": f"{type(error).__name__}: {error}"[:500]}
