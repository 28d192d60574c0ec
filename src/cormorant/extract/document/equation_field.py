r"""Fields that a word processor displays by their instruction alone (EQ): ECMA-376-1 17.16.5.19.

Word's phonetic guide is one of them, as it was before ruby: EQ \* jc2 \* hps10 \o\ad(\s\up 9(reading),base)
"""

from __future__ import annotations

import re
from typing import Final

MAX_INSTRUCTION: Final = 10_000
"""Characters of an instruction that are read."""

_EQUATION: Final = re.compile(r"\s*EQ\s+(.*)", re.IGNORECASE | re.DOTALL)
_FORMAT: Final = re.compile(r'\\\*\s*(?:"[^"]*"|\S+)')
_GUIDE: Final = re.compile(r"\\s\\up\s*\d{0,4}\s?\(([^()]*)\)\s*[,;]\s*([^()]*)\)")
_CODE: Final = re.compile(r"\\[A-Za-z]{1,2} ?\d*|[\\(),;]")


def phonetic_guide(instruction: str) -> tuple[str, str]:
    """Return the base text and the reading that an EQ field displays, "" for other fields."""
    equation = _EQUATION.match(instruction[:MAX_INSTRUCTION])
    guide = _GUIDE.search(_FORMAT.sub(" ", equation[1])) if equation else None
    return (guide[2].strip(), guide[1].strip()) if guide else ("", "")


def equation_terms(instruction: str) -> str:
    """Return the terms that an EQ field displays, a space between them, "" for other fields."""
    equation = _EQUATION.match(instruction[:MAX_INSTRUCTION])
    return " ".join(_CODE.sub(" ", _FORMAT.sub(" ", equation[1])).split()) if equation else ""
