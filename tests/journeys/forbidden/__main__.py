"""It stays off forbidden addresses (promise 13 of the fault table): spellings x ways in, and names that change.

    python -m tests.journeys.forbidden [--spellings N] [--rebinding N]

Needs root, for a network namespace of its own. Ends 1 when a connection came to a forbidden address, or when none came
where one must, since such a proof could not fail.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from tests.journeys.crawling import ROOT
from tests.journeys.proofs import record

_ALONE = ("unshare", "--net", "--mount")


def why_not() -> str:
    """Why it cannot be proved here, "" when it can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "a network namespace needs root"
    try:
        subprocess.run([*_ALONE, "ip", "link", "show", "lo"], check=True, capture_output=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return "this machine gives no network namespace, or has no ip command"
    return ""


def proved(spellings: int = 0, rebinding: int = 500) -> dict[str, Any]:
    """Prove it in a namespace; so many spellings (0: all), so many names that change, and what came of it."""
    with tempfile.TemporaryDirectory(prefix="forbidden-") as folder:
        words = [*_ALONE, sys.executable, "-m", "tests.journeys.forbidden.inside", folder, str(spellings)]
        done = subprocess.run(
            [*words, str(rebinding)], cwd=ROOT, capture_output=True, text=True, check=False,
            timeout=900,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def faults_of(said: dict[str, Any]) -> list[str]:
    """The deviations, a sentence each."""
    must = [
        (not said["forbidden"], f"connections came to {said['forbidden']}"),
        (
            said["led"] == said["must_lead"],
            f"{said['led']} of {said['must_lead']} pages that lead there were asked for",
        ),
        (
            said["names"] == said["must_change"],
            f"{said['names']} of {said['must_change']} names that change were asked for",
        ),
        (said["control"] > 0, "no connection came to the address that one had consented to"),
        (said["refused"] > 0, "nothing was refused"),
        (said["store"] == "974 974", f"asking for the installation's own database ended {said['store']}"),
    ]
    return [sentence for fine, sentence in must if not fine]


def main() -> int:
    """Prove it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.forbidden")
    parser.add_argument("--spellings", type=int, default=0)
    parser.add_argument("--rebinding", type=int, default=500)
    given = parser.parse_args()
    if reason := why_not():
        sys.stdout.write(f"skipped: {reason}\n")
        record("forbidden", {}, {"all of it": reason})
        return 0
    said = proved(given.spellings, given.rebinding)
    wrong = faults_of(said)
    sys.stdout.write(json.dumps(said) + "\n" + "".join(f"- {each}\n" for each in wrong))
    came = said["forbidden"] if isinstance(said["forbidden"], int) else len(said["forbidden"])
    figures = {"spellings": said["spellings"], "names that change": given.rebinding, "connections received": came}
    record("forbidden", figures)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
