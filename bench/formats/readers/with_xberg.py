"""The library xberg, in its own environment, with its own choice of options but recognition of pictures."""

# mypy: disable-error-code="import-not-found, import-untyped"
from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from bench.formats.readers.loop import Answer, serve


def main() -> None:
    """Answer with xberg's text, metadata and references."""
    from xberg import _xberg

    options = {"use_cache": False, "disable_ocr": True, "content_filter": {"include_headers": True,
               "include_footers": True, "include_footnotes": True}}  # fmt: skip
    config = _xberg.ExtractionConfig.from_json(json.dumps(options))

    async def extracted(path: Path) -> Any:
        return await _xberg.extract(input=_xberg.ExtractInput.from_uri(str(path)), config=config)

    def read(path: Path) -> Answer:
        result = asyncio.run(extracted(path))
        if not result.results:
            return {"error": "; ".join(f"{error.error_type}: {error.message}" for error in result.errors)}
        said = result.results[0]
        return {
            "text": said.content, "title": said.metadata.title or "",
            "attributes": {"metadata": [_values(said.metadata)]}, "links": [each.url for each in said.uris or ()],
        }  # fmt: skip

    serve(read)


def _values(about: Any) -> str:
    """Return all that a metadata object says, as text."""
    names = (name for name in dir(about) if not name.startswith("_") and not callable(getattr(about, name)))
    return " ".join(str(getattr(about, name)) for name in names)


if __name__ == "__main__":
    main()
