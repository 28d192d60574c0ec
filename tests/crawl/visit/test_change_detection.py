"""Every condition against every combination of what differs, and what nobody knows."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest
from msgspec.structs import replace

from cormorant.crawl.visit.change_detection import is_modified
from cormorant.model.acl import ACL, PUBLIC
from tests.crawl.samples import INDEXED, a_content, a_document, web_source

ALL = ("checksum", "date", "etag", "acl")
OTHERS = ACL(("group:board",))


def judged(by: tuple[str, ...], when: str, differs: dict[str, bool], known: bool = True) -> bool:
    """Whether a document is modified by this condition when it differs in these ways."""
    document, content = a_document(), a_content()
    resource = INDEXED._replace(
        text_hash=b"another" if differs["checksum"] else document.text_hash,
        modified=("Mon" if differs["date"] else content.modified) if known else "",
        etag=('"1"' if differs["etag"] else content.etag) if known else "",
    )
    source = web_source(modified_by=by, modified_when=when)
    return is_modified(source, resource, content, document, lambda _: OTHERS if differs["acl"] else PUBLIC)


@pytest.mark.parametrize("by", [each for count in (1, 2, 3, 4) for each in combinations(ALL, count)])
def test_any_of_those_named_has_to_differ_or_all(by: tuple[str, ...]) -> None:
    for values in product((False, True), repeat=len(ALL)):
        differs: dict[str, Any] = dict(zip(ALL, values, strict=True))
        asked = [differs[each] for each in by]
        assert judged(by, "any", differs) == any(asked), differs
        assert judged(by, "all", differs) == all(asked), differs


@pytest.mark.parametrize("when", ["any", "all"])
@pytest.mark.parametrize("differs", [False, True])
def test_what_nobody_sends_is_not_asked_for(when: str, *, differs: bool) -> None:
    said = {"checksum": differs, "date": True, "etag": True, "acl": False}
    assert judged(("date", "etag"), when, said, known=False) == differs, "what it says decides"
    assert judged(("checksum", "etag"), when, said, known=False) == differs


@pytest.mark.parametrize("when", ["any", "all"])
def test_a_forced_run_takes_nothing_for_unchanged(when: str) -> None:
    document = a_document()
    resource = INDEXED._replace(etag="", modified="", text_hash=b"", before=document.text_hash)
    content = replace(a_content(), etag="", modified="")
    assert is_modified(web_source(modified_by=ALL, modified_when=when), resource, content, document, lambda _: PUBLIC)
