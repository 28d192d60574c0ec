"""Glob patterns that select the files of a folder.

Patterns on the path below it, and the rules that all sources share.

A pattern without a slash is a name at any level (`*.tmp`, `node_modules`); one with a slash begins at the folder
(`drafts/**`, `/index.html`). `*` and `?` stop at a slash, `**` does not, `[a-z]` is one of these characters. A pattern
that matches a folder holds for everything below it; one that ends in a slash is for folders only. These are the habits
of gitignore(5), but capitals and small letters are the same here, and so are composed and decomposed letters.

One include rule that matches is enough; exclusion wins.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Sequence

from cormorant.base.errors import BadRule
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.sources.rules.matching import AnyOf, TextTest, Tried, compile_pattern
from cormorant.sources.rules.parser import RULE_TYPES, extensions

_TYPES = ("path", "prefix", "contains", "regex", "ext", "ends", "any")
_SPECIAL = frozenset(r"\.+()|{}^$")
_SHOWN = 3
_EVERY_FILE = Ruling(admitted=True, gate=Gate.BOUNDARY, rule="every file of the folder")


def compile_patterns(include: Sequence[str], exclude: Sequence[str]) -> Patterns:
    """Compile what an administrator typed. Raises BadRule for what cannot be read."""
    return Patterns(include, exclude)


class Patterns:
    """Compiled patterns."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        out = [_read(text, _refusal(f"exclude {text}")._replace(by_exclusion=True)) for text in exclude]
        self._exclude = AnyOf([tried for tried, _ in out])
        self._whole_folders = AnyOf([tried for tried, for_folders in out if for_folders])
        self._include = AnyOf([_read(text, Ruling(True, Gate.BOUNDARY, f"include {text}"))[0] for text in include])
        more = f" and {len(include) - _SHOWN} more" if len(include) > _SHOWN else ""
        self._outside = _refusal(f"include {', '.join(include[:_SHOWN])}{more}") if include else _EVERY_FILE

    def ruling(self, path: bytes) -> Ruling:
        """Judge a file by its path below the folder."""
        text = comparable(path)
        lower = text.lower()
        return self._exclude.first(text, lower) or self._include.first(text, lower) or self._outside

    def leaves_out(self, folder: bytes) -> Ruling | None:
        """Return the rule that excludes everything below a folder, so that it need not be listed; None without one."""
        if not self._whole_folders:
            return None
        text = comparable(folder) + "/"
        return self._whole_folders.first(text, text.lower())


def _refusal(rule: str) -> Ruling:
    return Ruling(False, Gate.BOUNDARY, rule, Status.OUTSIDE_BOUNDARY)


def comparable(path: bytes) -> str:
    """Return a path as text with a slash before it. Bytes that are no text become characters of private use."""
    if path.isascii():
        return "/" + path.decode("ascii")
    text = path.decode("utf-8", "surrogateescape")
    text = "".join(chr(ord(each) + 0x1000) if "\ud800" <= each <= "\udfff" else each for each in text)
    return "/" + unicodedata.normalize("NFC", text)


def _read(text: str, ruling: Ruling) -> tuple[Tried, bool]:
    """Read one rule; the second value says that it holds for everything below a folder that it matches."""
    name, colon, value = text.strip().partition(":")
    name, value = name.strip().lower(), unicodedata.normalize("NFC", value.strip())
    if not colon and name != "any":
        return _glob(text, text.strip(), ruling), True
    if name not in _TYPES:
        _refuse_type(text, name, value)
        return _glob(text, text.strip(), ruling), True
    if not value and name != "any":
        raise BadRule(f"The rule {text!r} cannot be read: {name!r} needs a value.")
    if name == "path":
        return _glob(text, value, ruling), True
    if name == "prefix":
        return Tried(ruling, prefix="/" + value.lstrip("/").lower()), True
    if name == "contains":
        return Tried(ruling, test=_containing(value.lower())), True
    if name in ("ends", "ext"):
        return Tried(ruling, test=_ending(extensions(text, value) if name == "ext" else (value.lower(),))), False
    if name == "any":
        return Tried(ruling, test=_containing("")), True
    compile_pattern(text, value)
    return Tried(ruling, pattern=value), False


def _containing(part: str) -> TextTest:
    return lambda path: part in path


def _ending(ends: tuple[str, ...]) -> TextTest:
    return lambda path: path.endswith(ends)


def _refuse_type(text: str, name: str, value: str) -> None:
    """Refuse a type of rule that is not for files, or one that was probably misspelt; a colon in a name is fine."""
    if name in RULE_TYPES:
        raise BadRule(f"The rule {text!r} is not for files: {name!r} looks at hosts. Types are {', '.join(_TYPES)}.")
    near = difflib.get_close_matches(name, _TYPES, n=1)
    if near:
        raise BadRule(f"{text!r} is not a rule: there is no type {name!r}. Did you mean '{near[0]}:{value}'?")


def _glob(text: str, pattern: str, ruling: Ruling) -> Tried:
    """Translate a pattern into a regular expression for the whole path."""
    pattern = unicodedata.normalize("NFC", pattern)
    bare = pattern.strip("/")
    if not bare:
        raise BadRule(f"The rule {text!r} cannot be read: there is nothing in it but slashes.")
    start = "^/" if "/" in pattern.rstrip("/") else "^/(?:.*/)?"
    end = "/.*$" if pattern.endswith("/") else "(?:/.*)?$"
    expression = f"(?is){start}{_translate(text, bare)}{end}"
    compile_pattern(text, expression)
    return Tried(ruling, pattern=expression)


def _translate(text: str, pattern: str) -> str:
    """Translate the signs of a pattern, one after the other."""
    out, at = [], 0
    while at < len(pattern):
        piece, at = _sign(text, pattern, at)
        out.append(piece)
    return "".join(out)


def _sign(text: str, pattern: str, at: int) -> tuple[str, int]:
    """Translate the sign at `at` and return where the next one is."""
    if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
        return "(?:.*/)?", at + 3
    if pattern.startswith("**", at):
        return ".*", at + 2
    sign = pattern[at]
    if sign == "[":
        return _one_of(text, pattern, at)
    if sign in "*?":
        return ("[^/]*" if sign == "*" else "[^/]"), at + 1
    return ("\\" + sign if sign in _SPECIAL else sign), at + 1


def _one_of(text: str, pattern: str, at: int) -> tuple[str, int]:
    """Translate `[...]`; `!` or `^` at its beginning means any other character, which is never a slash."""
    end = pattern.find("]", at + 2)
    if end < 0:
        raise BadRule(f"The rule {text!r} cannot be read at {pattern[at:]!r}: the bracket is not closed.")
    inside = pattern[at + 1 : end]
    other = inside[0] in "!^"
    inside = "".join("\\" + each if each in "\\[]^&~" else each for each in inside[other:])
    return (f"[^/{inside}]" if other else f"[{inside}]"), end + 1
