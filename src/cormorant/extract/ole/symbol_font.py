"""Characters of the font Symbol, which has an encoding of its own, in Unicode."""

from __future__ import annotations

from typing import Final

_FROM_20: Final = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"  # noqa: RUF001
_FROM_A0: Final = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"  # noqa: RUF001
_PICTURES: Final = ("wingdings", "webdings", "marlett", "zapf", "monotype sorts")


def font_symbol(code: int, font: str) -> str:
    """Return the character that a font has at a code (its low byte); "" where it has a picture, or nothing."""
    name = font.lower()
    if name.startswith(_PICTURES):
        return ""
    if code & 0xFF00 not in (0, 0xF000):
        return chr(code)
    low = code & 0xFF
    if name != "symbol":
        return chr(low)
    table, first = (_FROM_20, 0x20) if low < 0xA0 else (_FROM_A0, 0xA0)
    return table[low - first] if 0 <= low - first < len(table) else ""
