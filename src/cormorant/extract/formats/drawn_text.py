"""Texts that the orders of a picture draw one by one, joined to words and lines by their positions."""

from __future__ import annotations

from typing import Final, NamedTuple

MAX_CHARACTERS: Final = 1_000_000
"""Characters of a picture that are kept."""

_CODECS: Final = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 255: "cp850",
}  # fmt: skip
"""Codecs of the charsets of fonts ([MS-WMF] 2.1.1.5); all others are Western European."""
_SIGNS: Final = (
    "symbol", "wingdings", "webdings", "zapf", "monotype sorts", "marlett", "mt extra", "opensymbol", "starsymbol",
    "starbats",
)  # fmt: skip
_GAP, _WIDE_GAP = 0.05, 0.24
"""Distances that separate two words, in heights of their font: a blank is a quarter of it or more."""
_UPDATE_POSITION: Final = 0x01
_RIGHT, _CENTER = 0x02, 0x06


class MetafileFont(NamedTuple):
    """A font: the codec of its bytes, whether its characters are signs, and its height in units of the picture."""

    codec: str = "cp1252"
    is_signs: bool = False
    height: int = 0


def metafile_font(charset: int, name: str, height: int) -> MetafileFont:
    """Return the font of a charset ([MS-WMF] 2.1.1.5), of a name and a height."""
    return MetafileFont(_CODECS.get(charset, "cp1252"), name.lower().startswith(_SIGNS), abs(height))


class DrawnText:
    """Joins the texts that orders draw to lines."""

    def __init__(self) -> None:
        self.lines: dict[str, None] = {}
        self._line: list[str] = []
        self._size = 0
        self._end: float | None = None
        self._y = 0.0

    @property
    def full(self) -> bool:
        """Return whether more text was gathered than is kept."""
        return self._size > MAX_CHARACTERS

    def add(self, text: str, x: float, y: float, width: float | None, height: float = 0) -> None:
        """Add a text that begins at a point; `width` is None if unknown, `height` that of its font, or 0."""
        if not text or self.full:
            return
        self._size += len(text)
        height = height or 2 * (width or 0) / len(text)
        if not self._line or abs(y - self._y) > height / 4 or (self._end is not None and x < self._end - height):
            self.end()
        elif self._end is None or x - self._end > self._gap(text, height):
            self._line.append(" ")
        self._line.append(text)
        self._end, self._y = None if width is None else x + width, y

    def _gap(self, text: str, height: float) -> float:
        """Return the distance above which two texts are two words; letters that are drawn one by one may lie wider."""
        letters = len(text) == 1 or len(self._line[-1]) == 1
        return max(1.5, height * (_WIDE_GAP if letters else _GAP))

    def go_on(self, text: str) -> None:
        """Add a text that begins where the last one ended."""
        if not self.full:
            self._size += len(text)
            self._line.append(text)
            self._end = None

    def end(self) -> None:
        """End the line."""
        line = " ".join("".join(self._line).split())
        self._line.clear()
        if line:
            self.lines[line] = None


class DrawingOrders:
    """The orders of one picture, with that part of its state by which texts are read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.words = DrawnText()
        self.font = MetafileFont()
        self.align = 0
        self._position: tuple[float, float] | None = (0, 0)

    def read(self) -> bool:
        """Read the orders, and return whether they came to their end."""
        raise NotImplementedError

    def lines(self) -> list[str]:
        """Return the lines of text, each wording once."""
        self.words.end()
        return list(self.words.lines)

    def move_to(self, x: int, y: int) -> None:
        """Note where the next text begins that is drawn there."""
        self._position = (x, y)

    def draw(self, text: str, x: float, y: float, width: float | None) -> None:
        """Draw a text at a point, or where the last one ended: [MS-WMF] 2.1.2.3."""
        text = "" if self.font.is_signs else shown_text(text)
        if self.align & _UPDATE_POSITION:
            if self._position is None:
                self.words.go_on(text)
                return
            x, y = self._position
            self._position = None if width is None else (x + width, y)
        elif width is not None and self.align & _CENTER:
            x -= width if self.align & _CENTER == _RIGHT else width / 2
        self.words.add(text, x, y, width, self.font.height)


def shown_text(text: str) -> str:
    """Return text without private characters of symbol fonts, and without control characters."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each.isprintable() else " " for each in text.rstrip("\0"))
