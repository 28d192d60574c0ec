"""Characters of fonts that have an encoding of their own."""

from __future__ import annotations

from cormorant.extract.ole.symbol_font import font_symbol


def test_letters_of_symbol_are_greek() -> None:
    assert font_symbol(0xF061, "Symbol") == "\u03b1"
    assert font_symbol(0x57, "symbol") == "\u03a9"
    assert font_symbol(0xF0B3, "Symbol") == "\u2265"
    assert font_symbol(0xF0FE, "Symbol") == "\u23ad"


def test_pictures_are_no_text_and_other_fonts_mean_what_they_say() -> None:
    assert font_symbol(0xF0FC, "Wingdings 2") == ""
    assert font_symbol(0x2022, "Arial") == "\u2022"
    assert font_symbol(0xF041, "Arial") == "A"
    assert font_symbol(0xF0FF, "Symbol") == ""
