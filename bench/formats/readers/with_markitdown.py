"""The library markitdown, in its own environment."""

# mypy: disable-error-code="import-not-found"
from __future__ import annotations

from pathlib import Path

from bench.formats.readers.loop import Answer, serve


def main() -> None:
    """Answer with markitdown's Markdown and title."""
    from markitdown import MarkItDown

    reader = MarkItDown(enable_plugins=False)

    def read(path: Path) -> Answer:
        said = reader.convert_local(path)
        return {"text": said.markdown or "", "title": said.title or ""}

    serve(read)


if __name__ == "__main__":
    main()
