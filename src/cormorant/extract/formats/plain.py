"""Text extraction from text formats: plain text, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from cormorant.extract.detect.charset import DecodedText, decoded
from cormorant.extract.html.link_options import written
from cormorant.extract.html.links import links_written
from cormorant.extract.sanitize import MAX_TEXT, clean_lines, name_of, one_line
from cormorant.model.content import PLAIN, Extraction, Manner

MAX_FIELD: Final = 1024 * 1024
"""Characters of one CSV field that are kept."""

_TITLE: Final = re.compile(r"^title:[ \t]*[\"']?([^\n\"']{1,500})", re.MULTILINE)
_FRONT_MATTER: Final = 20_000
_FENCE: Final = re.compile(r"[ ]{0,3}(```|~~~)")
_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.*)")
_UNDERLINE: Final = re.compile(r"[ ]{0,3}(=+|-+)[ \t]*$")
_IMAGE_OR_LINK: Final = re.compile(
    r"!?\[([^\[\]]{0,2000})\](?:\([^()\s]{0,4000}(?:[ \t]+\"[^\"\n]{0,500}\")?\)|\[[^\[\]]{0,200}\])"
)
_EMPHASIS: Final = re.compile(r"(\*{1,3}|(?<!\w)_{1,3}|~~|`{1,3})(?=\S)([^*_~`\n]{1,1000}?)(?<=\S)\1")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]{0,1000}>")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([nrt\"/\\]))")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ESCAPES: Final = {"n": "\n", "r": "\n", "t": " "}


def extract_text(
    body: bytes, *, address: str, charset: str = "", file_name: str = "", manner: Manner = PLAIN
) -> Extraction:
    """Return plain text unchanged; its title is the file's name, its links by choice the addresses written out."""
    read = decoded(body, charset, manner.charset)
    said = _extraction(read.text, name_of(address, file_name), read)
    if {"text", "all"}.isdisjoint(manner.links):
        return said
    references = written(read.text)
    return replace(said, links=tuple(links_written(address, references)), links_seen=len(references))


def extract_json(
    body: bytes, *, address: str, charset: str = "", file_name: str = "", manner: Manner = PLAIN
) -> Extraction:
    """Return JSON as text with its escapes undone, so that words in any script are found. It is not parsed."""
    read = decoded(body, charset, manner.charset)
    text = _ESCAPE.sub(_unescaped, read.text)
    if _SURROGATE.search(text):  # halves of one character, written as two escapes
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return _extraction(text, name_of(address, file_name), read)


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return _ESCAPES.get(match[2], match[2])


def extract_markdown(
    body: bytes, *, address: str, charset: str = "", file_name: str = "", manner: Manner = PLAIN
) -> Extraction:
    """Return Markdown without its marks; the title is the front matter's, else the first heading."""
    read = decoded(body, charset, manner.charset)
    text = read.text.replace("\r\n", "\n").replace("\r", "\n")
    title, text = _front_matter(text)
    lines = list(_lines(_TAG.sub("", _without_comments(text))))
    title = title or next((line for line, heading in lines if heading and line), "") or name_of(address, file_name)
    return _extraction("\n".join(line for line, _ in lines), one_line(title), read)


def _front_matter(text: str) -> tuple[str, str]:
    """Return the title of a YAML or TOML-like header, and the text behind it."""
    if not text.startswith("---\n"):
        return "", text
    end = text.find("\n---", 3, _FRONT_MATTER)
    if end < 0:
        return "", text
    match = _TITLE.search(text[:end])
    return (match[1].strip() if match else ""), text[end + 4 :]


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces.append(text[place:start])
        place = end + 3
    return "".join(pieces) + text[place:]


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield every line without its marks, and whether it is a heading. Code stays as it is."""
    code = False
    before = ""
    for line in [*text.split("\n"), ""]:
        if _FENCE.match(line):
            yield before, False
            code, before = not code, ""
        elif code:
            yield before, False
            before = line
        elif before and _UNDERLINE.match(line):
            yield before, True
            before = ""
        elif (match := _HEADING.match(line)) is not None:
            yield before, False
            yield _inline(match[1].rstrip(" \t#")), True
            before = ""
        else:
            yield before, False
            before = _inline(line)
    yield before, False


def _inline(line: str) -> str:
    if "[" in line:
        line = _IMAGE_OR_LINK.sub(r"\1", line)
    return _EMPHASIS.sub(r"\2", line)


def extract_csv(
    body: bytes, *, address: str, charset: str = "", file_name: str = "", tab: bool = False, manner: Manner = PLAIN
) -> Extraction:
    """Return rows as lines, fields apart by a comma and a space. A field is cut at MAX_FIELD characters."""
    read = decoded(body, charset, manner.charset)
    text = read.text.replace("\0", "")
    separator = "\t" if tab else _separator(text)
    rows, truncated = _rows(text, separator)
    return _extraction("\n".join(rows), name_of(address, file_name), read, truncated=truncated)


def _rows(text: str, separator: str) -> tuple[list[str], bool]:
    rows: list[str] = []
    size, truncated = 0, False
    before = csv.field_size_limit(sys.maxsize)
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            truncated = truncated or any(len(field) > MAX_FIELD for field in row)
            line = ", ".join(one_line(field, MAX_FIELD) for field in row if field)
            size += len(line) + 1
            if size > MAX_TEXT:
                return rows, True
            rows.append(line)
    except csv.Error:
        return rows, True
    finally:
        csv.field_size_limit(before)
    return rows, truncated


def _separator(text: str) -> str:
    """Return the most frequent separator in the first lines."""
    head = "\n".join(text[:10_000].split("\n", 10)[:10])
    return max(",;\t|", key=head.count)


def _extraction(text: str, title: str, read: DecodedText, *, truncated: bool = False) -> Extraction:
    truncated = truncated or len(text) > MAX_TEXT
    return Extraction(
        text=clean_lines(text), title=title, charset=read.charset, truncated=truncated, charset_from=read.known_from
    )
