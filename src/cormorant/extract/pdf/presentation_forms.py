"""Letters behind the shapes that a font has for them: ligatures, and forms of Arabic and Hebrew letters.

A word is found by its letters, and a PDF often names shapes: "ﬁnd" is "find". The letters are those of Unicode's
compatibility decomposition (UAX 15); of other compatibility characters (fractions, squared units) nothing is changed.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_FORMS: Final = (
    "\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb4f\ufb50-\ufdcf\ufdf0-\ufdfc\ufe10-\ufe19\ufe30-\ufe4f\ufe70-\ufefc"
)
_RUN: Final = re.compile(f"[{_FORMS}]+")


def letters_of_forms(text: str) -> str:
    """Return `text` with ligatures and presentation forms replaced by their letters."""
    return _RUN.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text) if not text.isascii() else text
