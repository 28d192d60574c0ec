from __future__ import annotations

from hypothesis import given, strategies as st

from cormorant.frontier.links import codec
from cormorant.frontier.links.codec import InLink
from cormorant.model.content import PageLink

# Extraction folds white space, so texts have neither tabs nor line ends.
texts = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), max_size=30)
addresses = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40)


@given(st.lists(st.builds(PageLink, addresses, texts, texts, st.just(""), st.booleans()), max_size=30))
def test_out_links_come_back_in_their_order(links: list[PageLink]) -> None:
    assert codec.unpack(codec.pack(links)) == links


@given(st.lists(st.builds(InLink, st.integers(1, 1 << 62), texts), max_size=30))
def test_in_links_come_back(links: list[InLink]) -> None:
    assert codec.unpack_in(codec.pack_in(links)) == links


def test_what_an_in_link_keeps_of_a_text() -> None:
    some = [
        PageLink("/a", "Tides"), PageLink("/b", "Low water", "external", of_part=True),
        PageLink("/c", "buy", "x nofollow"),
        PageLink("/d", "buy low", "ugc", of_part=True),
    ]  # fmt: skip
    kept = codec.texts(codec.pack(some))
    assert [codec.calls_it(kept[each]) for each in ("/a", "/b")] == ["Tides", ""]
    assert [codec.vouches(kept[each.address]) for each in some] == [True, True, False, False]
    read = codec.unpack_in(codec.pack_in(list(enumerate(kept.values()))))
    assert [each.text for each in read] == [each.text for each in some], "people are told the text of every link"


def test_a_link_is_followed_unless_it_or_its_page_asks_not_to() -> None:
    by_page = codec.unfollowed([PageLink("/a"), PageLink("/b", rel="nofollower"), PageLink("/c", rel="x nofollow")])
    assert not any(map(codec.is_followed, by_page))
    assert [link.rel for link in by_page] == ["page-nofollow", "nofollower page-nofollow", "x nofollow"]
    assert [codec.vouches(each) for each in codec.texts(codec.pack(by_page)).values()] == [True, True, False]
    assert codec.is_followed(PageLink("/b", rel="nofollower noopener"))


def test_a_rel_that_looks_like_a_mark_is_none() -> None:
    link = PageLink("/a", "Tides", "#")
    assert codec.unpack(codec.pack([link])) == [link]
    assert codec.texts(codec.pack([link])) == {"/a": "Tides"}


def test_nothing_is_nothing() -> None:
    for blob in (None, b""):
        assert codec.unpack(blob) == []
        assert codec.unpack_in(blob) == []


def test_halves_of_surrogate_pairs_do_no_harm() -> None:
    assert codec.unpack(codec.pack([PageLink("https://a.example/", "a\udcff")])) == [
        PageLink("https://a.example/", "a?")
    ]
    assert codec.unpack_in(codec.pack_in([InLink(1, "\ud800")])) == [InLink(1, "?")]


def test_eighteen_links_are_small() -> None:
    links = [PageLink(f"https://docs.example/guide/chapter-{n}.html", f"Chapter {n}: the title") for n in range(18)]
    assert len(codec.pack(links)) < 400
