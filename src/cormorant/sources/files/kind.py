"""The kind `files`: how a source of a folder is made, and what is particular about its documents."""

from __future__ import annotations

from typing import Final

from cormorant.sources.files.advice import ADVICE
from cormorant.sources.files.settings import FilesSettings
from cormorant.sources.files.source import FilesSource, doubts, look
from cormorant.sources.files.unlisted import unlisted
from cormorant.sources.kind import SourceKind, Tools
from cormorant.sources.protocol import Source


def _made(number: int, settings: FilesSettings, tools: Tools) -> Source:
    return FilesSource(number, settings, tools.clock, tools.veto)


FILES: Final = SourceKind(
    "files",
    "Files of a folder and the folders below it.",
    FilesSettings,
    _made,
    look,
    doubts,
    scheme="file:",
    advice=ADVICE,
    unlisted=unlisted,
)
