"""Destinations (RTF 1.9.1, "Destinations"): groups whose text belongs elsewhere, or nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.equation_field import equation_terms, phonetic_guide
from cormorant.extract.rtf.fields import MAX_CHOICES, RtfField
from cormorant.extract.rtf.machine import FONTS, MATHEMATICS, RtfMachine, WordReader, tidy_lines
from cormorant.extract.rtf.objects import object_name
from cormorant.extract.rtf.words import PICTURE
from cormorant.extract.sanitize import MAX_VALUE, one_line

MAX_CUSTOM: Final = 50
"""Custom properties that are kept."""

_INFO: Final = "info"
_INFO_NAMES: Final = ("author", "category", "company", "doccomm", "keywords", "subject", "title")
_READ_THROUGH: Final = (
    "do", "moMathPara", "nesttableprops", "object", "picprop", "result", "shp", "shpinst", "shppict", "sp", "ud",
    "userprops",
)  # fmt: skip
_IGNORED: Final = (
    "background", "colortbl", "list", "listoverride", "listoverridetable", "listtable", "nonesttables", "nonshppict",
    "rxe", "shprslt", "stylesheet", "tc", "tcn", "txe", "xe",
)  # fmt: skip
_ASIDES: Final = (
    "footer", "footerf", "footerl", "footerr", "footnote", "header", "headerf", "headerl", "headerr",
)  # fmt: skip
_NUMBERS: Final = (3, 5)
_SHAPE_NAME: Final = "sn"
_PROPERTY_NAME: Final = "propname"
_COMMENTATOR: Final = "atnauthor"
_FIRST_PIECES: Final = 50
"""Pieces of a result, one of which has words if the result has any."""
_WORD_ART: Final = "gtextUNICODE"
_DESCRIPTION: Final = "wzDescription"


def _ignored(machine: RtfMachine, _number: int | None) -> None:
    machine.tokens.skip_group()


def _read_through(_machine: RtfMachine, _number: int | None) -> None:
    pass


def _document(machine: RtfMachine, _number: int | None) -> None:
    if machine.group.text is None:
        machine.group.text = machine.body


def _aside(machine: RtfMachine, _number: int | None) -> None:
    machine.divert(lambda text: machine.out.aside(tidy_lines(text)))


def _annotation(machine: RtfMachine, _number: int | None) -> None:
    author = one_line(machine.names.pop(_COMMENTATOR, ""))

    def done(text: str) -> None:
        text = tidy_lines(text)
        machine.out.aside(f"{author}: {text}" if author and text else text)

    machine.divert(done)


def _box(machine: RtfMachine, _number: int | None) -> None:
    machine.divert(machine.add_box)


def _named(name: str) -> WordReader:
    """Return a reader that keeps a text for the next destination."""

    def read(machine: RtfMachine, _number: int | None) -> None:
        def done(text: str) -> None:
            machine.names[name] = text.strip()[:MAX_VALUE]

        machine.divert(done)

    return read


def _shape_value(machine: RtfMachine, _number: int | None) -> None:
    """Read a property of a shape: the text of WordArt, and alternative text that a person wrote."""
    name = machine.names.pop(_SHAPE_NAME, "")

    def done(text: str) -> None:
        if name == _WORD_ART:
            machine.add_box(text)
        elif name == _DESCRIPTION:
            machine.add_box(human_text(text))

    machine.divert(done)


def _picture(machine: RtfMachine, _number: int | None) -> None:
    machine.group.place = PICTURE
    machine.group.silent = True


def _object_data(machine: RtfMachine, _number: int | None) -> None:
    """Read the name of a file in an object, which stands below its icon."""
    machine.add_box(object_name(machine.tokens.skip_group()))


def _font_table(machine: RtfMachine, _number: int | None) -> None:
    machine.group.place = FONTS

    def done() -> None:
        machine.fonts.complete()
        machine.select_font(machine.default_font)

    machine.group.ended = done


def _pair(machine: RtfMachine, _number: int | None) -> None:
    machine.group.pair = True


def _mathematics(machine: RtfMachine, _number: int | None) -> None:
    machine.group.place = MATHEMATICS


def _field(machine: RtfMachine, _number: int | None) -> None:
    field = machine.group.field = RtfField()

    def done() -> None:
        machine.add(field.choice)
        if not field.result_seen:
            base, reading = phonetic_guide(field.instruction)
            machine.add(base or equation_terms(field.instruction))
            machine.add_reading(reading)

    machine.group.ended = done


def _field_instruction(machine: RtfMachine, _number: int | None) -> None:
    field = machine.group.field or RtfField()

    def done(text: str) -> None:
        field.instruction += text

    machine.divert(done)


def _field_result(machine: RtfMachine, _number: int | None) -> None:
    machine.flush()
    field, text = machine.group.field, machine.group.text
    if field is None or text is None:
        return
    start = len(text.pieces)

    def done() -> None:
        field.result_seen = any(piece.strip() for piece in text.pieces[start : start + _FIRST_PIECES])
        if field.target:
            machine.links.append((field.target, text.label(start)))

    machine.group.ended = done


def _form_field(machine: RtfMachine, _number: int | None) -> None:
    machine.divert(lambda _text: None)


def _choice(machine: RtfMachine, _number: int | None) -> None:
    field = machine.group.field

    def done(text: str) -> None:
        if field is not None and len(field.choices) < MAX_CHOICES:
            field.choices.append(text.strip())

    machine.divert(done)


def _list_label(machine: RtfMachine, _number: int | None) -> None:
    """Read the number of a list item as displayed, but no bullet."""

    def done(text: str) -> None:
        if any(character.isalnum() for character in text):
            machine.add(" ".join([*text.split(), ""]))

    machine.divert(done)


def _info(machine: RtfMachine, _number: int | None) -> None:
    machine.flush()
    machine.group.place = _INFO
    machine.group.text = None
    machine.group.charset = machine.fonts.document_charset()


def _information(name: str) -> WordReader:
    def read(machine: RtfMachine, _number: int | None) -> None:
        def done(text: str) -> None:
            machine.info.setdefault(
                name, one_line(text, MAX_VALUE)
            )  # some write who changed it last as one more author

        if machine.group.place == _INFO:
            machine.divert(done)

    return read


def _property_value(machine: RtfMachine, _number: int | None) -> None:
    name = one_line(machine.names.pop(_PROPERTY_NAME, ""))
    kind = machine.property_type

    def done(text: str) -> None:
        value = one_line(text, MAX_VALUE)
        if name and value and len(machine.custom) < MAX_CUSTOM:
            machine.custom[name] = _number_of(value) if kind in _NUMBERS else value

    machine.divert(done)


def _number_of(value: str) -> str | float:
    try:
        return float(value)
    except ValueError:
        return value


DESTINATIONS: Final[Mapping[str, WordReader]] = {
    **dict.fromkeys(_READ_THROUGH, _read_through),
    **dict.fromkeys(_IGNORED, _ignored),
    **dict.fromkeys(_ASIDES, _aside),
    **{name: _information(name) for name in _INFO_NAMES},
    "annotation": _annotation,
    "atnauthor": _named(_COMMENTATOR),
    "dptxbxtext": _box,
    "ffl": _choice,
    "field": _field,
    "fldinst": _field_instruction,
    "fldrslt": _field_result,
    "fonttbl": _font_table,
    "formfield": _form_field,
    "info": _info,
    "listtext": _list_label,
    "mmath": _mathematics,
    "moMath": _mathematics,
    "objdata": _object_data,
    "pict": _picture,
    "pntext": _list_label,
    "propname": _named(_PROPERTY_NAME),
    "rtf": _document,
    "shptxt": _box,
    "sn": _named(_SHAPE_NAME),
    "staticval": _property_value,
    "sv": _shape_value,
    "upr": _pair,
}
