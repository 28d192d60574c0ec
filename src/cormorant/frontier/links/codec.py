"""A document's out-links in one blob, and a resource's in-links in another.

Lines of address, anchor text and rel, separated by tabs, compressed by zstd at level 1: 18 links are about 600 bytes.
Texts hold no tabs or line ends, since extraction folds white space. A line ends with a mark if the link leads to a part
of the target. An in-link has that mark after its text, or another if it does not vouch for its target (nofollow and the
like).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

import zstandard

from cormorant.model.content import UNTRUSTED, PageLink

_pack = zstandard.ZstdCompressor(level=1, write_content_size=True).compress
_unpack = zstandard.ZstdDecompressor().decompress
MAX_BLOB = 64 << 20
MAX_TEXT = 200
"""Characters of a text that are kept with an in-link, of which a resource has a thousand."""
_MARK = "\t-"
_PART = "\t#"
_BY_PAGE = "page-nofollow"
"""In the rel of a link whose page asks for nofollow; the page vouches for the target all the same."""


class InLink(NamedTuple):
    """One reference to a resource: the referring resource's number and the anchor text."""

    referrer: int
    text: str


def pack(links: Iterable[PageLink]) -> bytes:
    """Pack out-links, in their order."""
    lines = ["\t".join(link[:3]) + _PART if link.of_part else "\t".join(link[:3]) for link in links]
    return _pack("\n".join(lines).encode(errors="replace"))


NOTHING = pack(())
"""The out-links of a page without links."""


def unfollowed(links: Iterable[PageLink]) -> list[PageLink]:
    """Return the links of a page that asks for nofollow as a whole, each marked."""
    return [link if link.nofollow else link._replace(rel=f"{link.rel} {_BY_PAGE}".lstrip()) for link in links]


def is_followed(link: PageLink) -> bool:
    """Return whether neither the link nor its page asks for nofollow."""
    return "nofollow" not in link.rel or {"nofollow", _BY_PAGE}.isdisjoint(link.rel.split(" "))


def unpack(blob: bytes | None) -> list[PageLink]:
    """Return the out-links of a blob; none for None."""
    text = _text(blob)
    return [_link(line) for line in text.split("\n")] if text else []


def _link(line: str) -> PageLink:
    address, text, rel, *mark = line.split("\t", 3)
    return PageLink(address, text, rel, of_part=bool(mark))


def texts(blob: bytes | None) -> dict[str, str]:
    """Return the addresses of a blob with the text that an in-link keeps of each, and its mark if it has one.

    It makes no value for each link.
    """
    text = _text(blob)
    found: dict[str, str] = {}
    for line in text.split("\n") if text else ():
        address, anchor, rest = line.split("\t", 2)
        found[address] = anchor[:MAX_TEXT] + _mark_of(rest) if rest else anchor[:MAX_TEXT]
    return found


def leads_to(blob: bytes | None, addresses: Set[str]) -> bool:
    """Return whether a blob contains a link to one of these addresses."""
    return any(line.partition("\t")[0] in addresses for line in _text(blob).split("\n"))


def _mark_of(rest: str) -> str:
    """Return the mark of a link text, by its rel and the part behind it; an untrusted rel takes precedence."""
    rel, part, _ = rest.partition(_PART)
    if not UNTRUSTED.isdisjoint(rel.split()):
        return _MARK
    return _PART if part else ""


def pack_in(links: Iterable[tuple[int, str]]) -> bytes:
    """Pack in-links, each with its text as `texts` gives it."""
    return _pack("\n".join([f"{referrer}\t{text}" for referrer, text in links]).encode(errors="replace"))


def append_in(blob: bytes | None, links: Sequence[tuple[int, str]], most: int) -> bytes:
    """Pack in-links after those of a blob, up to `most` in all.

    None of them may be in the blob, which is not decoded.
    """
    text = _unpack(blob, max_output_size=MAX_BLOB) if blob else b""
    room = most - (text.count(b"\n") + 1 if text else 0)
    if blob and room <= 0:
        return blob
    lines = "\n".join([f"{referrer}\t{anchor}" for referrer, anchor in links[:room]]).encode(errors="replace")
    return _pack(text + b"\n" + lines if text else lines)


def unpack_in(blob: bytes | None) -> list[InLink]:
    """Return the in-links of a blob; none for None."""
    return [InLink(number, text.removesuffix(_MARK).removesuffix(_PART)) for number, text in kept_in(blob)]


def vouches(text: str) -> bool:
    """Return whether a link vouches for its target, by the packed text of the in-link."""
    return not text.endswith(_MARK)


def calls_it(text: str) -> str:
    """Return the name that a link's packed text gives its whole target, "" if the link leads to a part."""
    return "" if text.endswith(_PART) else text


def kept_in(blob: bytes | None) -> list[tuple[int, str]]:
    """Return referrers and texts of in-links, as they are packed."""
    text = _text(blob)
    lines = (line.partition("\t") for line in text.split("\n")) if text else ()
    return [(int(number), anchor) for number, _, anchor in lines]


def _text(blob: bytes | None) -> str:
    return _unpack(blob, max_output_size=MAX_BLOB).decode() if blob else ""
