"""Alternative texts of the pictures of a page that is displayed without them: https://html.spec.whatwg.org/#alt."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.html.complexity import defused
from cormorant.extract.html.page import parsed
from cormorant.extract.html.text_layout import alternative_of, remove_hidden

_WORD: Final = re.compile(r"\w+")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(_WORD.findall(text.lower()))


def alternatives_beside(body: bytes, charset: str, known: Set[str]) -> str:
    """Return the alternative texts of a page, one a line, that have words which are not `known`."""
    if b"alt" not in body.lower():
        return ""
    body, _ = defused(body, charset)
    document, _ = parsed(body, charset, "")
    remove_hidden(document)
    texts = dict.fromkeys(human_text(alternative_of(picture)) for picture in document.find_all("img"))
    return "\n".join(text for text in texts if not words_of(text) <= known)
