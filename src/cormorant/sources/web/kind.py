"""The kind `web`: how a source of web pages is made."""

from __future__ import annotations

from typing import Final

from cormorant.sources.kind import SourceKind, Tools
from cormorant.sources.protocol import Source
from cormorant.sources.web.auth.session import Session
from cormorant.sources.web.consistency import doubts
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.source import WebSource


def _made(number: int, settings: WebSettings, tools: Tools) -> Source:
    session = None
    if tools.secrets is not None:
        session = Session(number, settings, tools.secrets, tools.run)
    return WebSource(number, settings, tools.fetcher, tools.clock, session=session)


WEB: Final = SourceKind("web", "Pages of web sites, found by their links.", WebSettings, _made, doubts=doubts)
