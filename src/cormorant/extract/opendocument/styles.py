"""Headers, footers and fixed texts of the pages that are in use (ODF 1.3-3 16.9 to 16.12)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cormorant.extract.document.xml_tree import Element
from cormorant.extract.opendocument.flow import Flow
from cormorant.extract.opendocument.names import clark, qualified, value_of

_MASTER: Final = clark("style:master-page")
_HEADERS: Final = frozenset(
    f"{prefix}:{region}{suffix}"
    for prefix in ("style", "loext")
    for region in ("header", "footer")
    for suffix in ("", "-left", "-first")
)
_FIXED: Final = frozenset(("", "footer", "header"))
"""Classes of shapes whose text is on every slide; that of others is a prompt, or a page number."""
_NOT_SHOWN: Final = frozenset(("office:forms", "presentation:notes"))


def pages_of_styles(styles: Iterable[Element]) -> set[str]:
    """Return the names of the master pages that styles begin (`style:master-page-name`)."""
    return {name for style in styles if (name := value_of(style, "style:master-page-name"))}


def read_master_pages(flow: Flow, root: Element, used: set[str], *, default: bool) -> None:
    """Read the fixed texts of pages; each wording once, after the body.

    `used` are the names of master pages in use; with `default` the first is in use without being named.
    """
    masters = {value_of(each, "style:name"): each for each in reversed(list(root.iter(_MASTER)))}
    if default:
        used = used | {"Standard" if "Standard" in masters else next(reversed(masters), "")}
    for name in _with_following(masters, used):
        for region in masters[name]:
            _read_region(flow, region)


def _with_following(masters: dict[str, Element], used: set[str]) -> list[str]:
    """Return the names of pages in use, those among them that follow others, in the order of the document."""
    waiting, found = [name for name in used if name in masters], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            following = value_of(masters[name], "style:next-style-name")
            waiting += [following] if following in masters else []
    return [name for name in reversed(masters) if name in found]


def _read_region(flow: Flow, region: Element) -> None:
    name = qualified(region)
    if name in _NOT_SHOWN:
        return
    if name in _HEADERS:
        if value_of(region, "style:display") != "false":
            flow.out.aside(flow.apart(region))
    elif value_of(region, "presentation:class") in _FIXED:
        flow.out.aside(flow.apart_whole(region))
