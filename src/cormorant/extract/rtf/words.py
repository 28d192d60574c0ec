"""Control words for characters and for properties of text (RTF 1.9.1, "Special Characters", "Font Properties")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cormorant.extract.rtf.machine import FONTS, RtfMachine, WordReader

MAX_FALLBACK: Final = 100
PICTURE: Final = "picture"
"""The place of a picture, whose text is its bytes."""

_CHARACTERS: Final = {
    "bullet": "\u2022", "cell": "\t", "emdash": "\u2014", "emspace": " ", "endash": "\u2013", "enspace": " ",
    "ldblquote": "\u201c", "lquote": "\u2018", "nestcell": "\t", "qmspace": " ", "rdblquote": "\u201d",
    "rquote": "\u2019", "tab": "\t", "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
_LINE_ENDS: Final = ("column", "lbr", "line", "page", "softline")
_PARAGRAPH_ENDS: Final = ("nestrow", "par", "row", "sect")
_MACHINES: Final = {"mac": 10000, "pc": 437, "pca": 850}


def _character(text: str) -> WordReader:
    def read(machine: RtfMachine, _number: int | None) -> None:
        machine.add_character(text)

    return read


def _line_end(machine: RtfMachine, _number: int | None) -> None:
    machine.break_line()


def _paragraph_end(machine: RtfMachine, _number: int | None) -> None:
    machine.end_paragraph()


def _code_page(page: int) -> WordReader:
    def read(machine: RtfMachine, _number: int | None) -> None:
        _ansi_code_page(machine, page)

    return read


def _ansi_code_page(machine: RtfMachine, number: int | None) -> None:
    machine.fonts.code_page = number or machine.fonts.code_page
    machine.fonts.complete()
    machine.select_font(machine.default_font)


def _default_font(machine: RtfMachine, number: int | None) -> None:
    machine.default_font = number or 0


def _font(machine: RtfMachine, number: int | None) -> None:
    if machine.group.place == FONTS:
        machine.font_entry = number or 0
    else:
        machine.select_font(number or 0)


def _font_charset(machine: RtfMachine, number: int | None) -> None:
    if machine.group.place == FONTS:
        machine.fonts.set_charset(machine.font_entry, number or 0)


def _font_code_page(machine: RtfMachine, number: int | None) -> None:
    if machine.group.place == FONTS:
        machine.fonts.set_code_page(machine.font_entry, number or 0)


def _plain(machine: RtfMachine, _number: int | None) -> None:
    machine.select_font(machine.default_font)
    machine.group.silent = machine.group.place == PICTURE


def _deleted(machine: RtfMachine, number: int | None) -> None:
    """Begin or end text that was deleted or moved away, or repeats HTML in RTF ([MS-OXRTFEX] 2.1.3.2)."""
    if machine.group.place != PICTURE:
        machine.group.silent = number != 0


def _fallback(machine: RtfMachine, number: int | None) -> None:
    machine.group.fallback = max(0, min(1 if number is None else number, MAX_FALLBACK))


def _unicode(machine: RtfMachine, number: int | None) -> None:
    if number is not None:
        machine.add_unicode(number if 0xFFFF < number <= 0x10FFFF else number & 0xFFFF)


def _property_type(machine: RtfMachine, number: int | None) -> None:
    machine.property_type = number or 0


def _chosen(machine: RtfMachine, number: int | None) -> None:
    if machine.group.field is not None:
        machine.group.field.chosen = number or 0


def _chosen_by_default(machine: RtfMachine, number: int | None) -> None:
    if machine.group.field is not None:
        machine.group.field.chosen_by_default = number or 0


WORDS: Final[Mapping[str, WordReader]] = {
    **{name: _character(text) for name, text in _CHARACTERS.items()},
    **dict.fromkeys(_LINE_ENDS, _line_end),
    **dict.fromkeys(_PARAGRAPH_ENDS, _paragraph_end),
    **{name: _code_page(page) for name, page in _MACHINES.items()},
    "ansicpg": _ansi_code_page,
    "cpg": _font_code_page,
    "deff": _default_font,
    "deleted": _deleted,
    "f": _font,
    "fcharset": _font_charset,
    "ffdefres": _chosen_by_default,
    "ffres": _chosen,
    "htmlrtf": _deleted,
    "mvf": _deleted,
    "plain": _plain,
    "proptype": _property_type,
    "u": _unicode,
    "uc": _fallback,
}
