from __future__ import annotations

from cormorant.search.query.parser import parse
from cormorant.search.query.type_names import NAMES, mimes


def test_names_and_types() -> None:
    assert mimes("PDF") == ("application/pdf",)
    assert mimes("Text/HTML") == ("text/html",)
    assert mimes("foo") == mimes("/") == mimes("image/") == ()


def test_every_name_is_understood_as_itself_or_its_twin() -> None:
    for name, types in NAMES.items():
        understood = parse(f"type:{name}").understood
        assert understood.notes == ()
        assert NAMES[understood.text.removeprefix("type:")] == types
