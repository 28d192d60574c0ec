"""A form makes a query, and a query fills a form, without losing anything."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings, strategies as st

from cormorant.model.acl import ANYONE
from cormorant.search.query.filters import Filters
from cormorant.search.query.form import Fields, composed, narrowed, taken_apart
from cormorant.search.reader import Library, Question
from tests.clocks import Hands
from tests.search.index.shelves import entry, shelf


@pytest.mark.parametrize(
    ("fields", "query"),
    [
        (Fields(), ""),
        (Fields(every="expense limits"), "+expense +limits"),
        (Fields(phrase="head of department"), '+"head of department"'),
        (Fields(any_of="hotel rail"), "hotel rail"),
        (Fields(every="limits", any_of="hotel rail flight"), "+limits +(hotel OR rail OR flight)"),
        (Fields(every="hotel", none_of='draft "not yet"'), '+hotel -draft -"not yet"'),
        (Fields(none_of="draft"), "* -draft"),
        (Fields(every="policy", place="title"), "+title:policy"),
        (Fields(every="tide", sources=("wiki", "docs")), "+tide source:docs source:wiki"),
        (Fields(site="Docs.Example.org", type="pdf", language="DE"), "site:docs.example.org type:pdf lang:de"),
        (Fields(any_of="a1 b1", type="page"), "type:page a1 b1"),
        (Fields(since="2026-01-05"), "date:2026-01-05.."),
        (Fields(since="2026-03-01", until="2026-03-31"), "date:2026-03-01..2026-03-31"),
        (Fields(every="inst* foo-bar"), '+inst* +"foo-bar"'),
        (Fields(every="AND or"), "+and +or"),
        (Fields(every='+x (y) "z'), '+"+x" +"(y)" +z'),
        (Fields(every="!! --", phrase='"', since="yesterday", type="nothing"), ""),
        (Fields(every="a1", rest="near~1"), "+a1 near~1"),
    ],
)
def test_what_a_form_makes(fields: Fields, query: str) -> None:
    assert composed(fields) == query


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("", Fields()),
        ("hotel", Fields(every="hotel")),
        ("hotel rail", Fields(any_of="hotel rail")),
        ("+expense +limits", Fields(every="expense limits")),
        ("expense AND limits", Fields(every="expense limits")),
        ('"head of department"', Fields(phrase="head of department")),
        ('+"a1 b1" +"c1 d1"', Fields(phrase="a1 b1", every='"c1 d1"')),
        ("+limits +(hotel OR rail) -draft", Fields(every="limits", any_of="hotel rail", none_of="draft")),
        ("title:policy title:draft", Fields(any_of="policy draft", place="title")),
        ("hotel AND NOT sea", Fields(every="hotel", none_of="sea")),
        ("-draft", Fields(none_of="draft")),
        ("type:pdf lang:de site:example.org", Fields(type="pdf", language="de", site="example.org")),
        ("source:a source:b tide", Fields(any_of="tide", sources=("a", "b"))),
        ("date:2026 tide", Fields(any_of="tide", since="2026-01-01", until="2026-12-31")),
        ("+tide depth:<3", Fields(every="tide", rest="depth:..2")),
        ("+hotel rail", Fields(every="hotel", rest="rail")),
        ("hotle~1", Fields(rest="+hotle~1")),
        ("title:policy draft", Fields(rest="title:policy draft")),
        ("+(a1 AND b1) +c1", Fields(every="c1", rest="a1 AND b1")),
    ],
)
def test_what_a_query_fills(query: str, fields: Fields) -> None:
    found = taken_apart(query)
    if "rest" in str(fields) and fields.rest:
        assert found.rest
        fields = Fields(**{name: getattr(fields, name) for name in fields.__slots__ if name != "rest"}, rest=found.rest)
    assert found == fields


PARTS = st.sampled_from((
    "hotel", "+hotel", "-hotel", "rail", "+rail", '"a hotel"', "(hotel OR rail)", "+(hotel OR sea)", "AND", "OR", "NOT",
    "title:travel", "type:pdf", "type:page", "source:wiki", "source:docs", "date:2026-03", "depth:<3", "hote*", "sea~",
    "te?t", "*", "-(sea AND rail)", "+title:list", "lang:en", "site:example.org", "foo-bar", "size:>1", "\u6771\u4eac",
))  # fmt: skip
TEXTS = st.lists(PARTS, max_size=6).map(" ".join)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    texts = (
        "hotel rail sea",
        "a hotel",
        "hotel",
        "rail",
        "sea",
        "rail sea",
        "test text",
        "foo-bar",
        "\u6771\u4eac hotel",
        "",
    )
    with shelf("memory", tmp_path_factory.mktemp("composing")) as made:
        made.put(*(
            entry(
                number, text, title=("Travel", "List", "")[number % 3], source=("docs", "wiki")[number % 2],
                mime=("application/pdf", "text/html", "")[number % 3], language=("en", "")[number % 2],
                modified_at=(1_773_446_400.0, None)[number // 3 % 2], depth=number % 5, size_bytes=number,
            )
            for number, text in enumerate(texts * 4)
        ))  # fmt: skip
        return Library(made.reader, Hands())


def found(library: Library, text: str) -> set[int]:
    return {hit.id for hit in library.find(Question(text, limit=1000), ANYONE).hits}


@pytest.mark.slow
@settings(max_examples=300)
@given(text=TEXTS)
def test_a_form_that_is_opened_from_a_query_asks_for_the_same(text: str, library: Library) -> None:
    again = composed(taken_apart(text))
    assert found(library, again) == found(library, text), again


CHOSEN = st.builds(
    Filters, type=st.sampled_from(((), ("pdf",), ("pdf", "page"))), language=st.sampled_from(((), ("en",))),
    since=st.sampled_from(("", "2026", "2026-03-01")), until=st.sampled_from(("", "2026-03-20")),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=300)
@given(text=TEXTS, sources=st.sampled_from(((), ("docs",), ("docs", "wiki"))), chosen=CHOSEN)
@example(text="type:pdf", sources=(), chosen=Filters(type=("pdf",)))
def test_what_was_chosen_is_said_in_the_query(
    text: str, sources: tuple[str, ...], chosen: Filters, library: Library
) -> None:
    wanted = {hit.id for hit in library.find(Question(text, sources, limit=1000, chosen=chosen), ANYONE).hits}
    said = narrowed(text, sources, chosen)
    if said == text and found(library, text) != wanted:
        assert not wanted, "only where nothing can be found is it not said"
        return
    assert found(library, composed(taken_apart(said))) == wanted


def test_a_query_that_would_be_too_long_stays_as_it_is() -> None:
    assert narrowed("tide", tuple(f"source-{number}" for number in range(200)), Filters()) == "tide"


WORDS = st.lists(st.sampled_from(("hotel", "rail", '"a hotel"', "sea*", "x-y", "OR", '"', "\u6771")), max_size=3).map(
    " ".join
)
FORMS = st.builds(
    Fields, every=WORDS, phrase=st.sampled_from(("", "a hotel", "rail")), any_of=WORDS, none_of=WORDS,
    place=st.sampled_from(("", "title")), sources=st.sampled_from(((), ("docs",), ("docs", "wiki"))),
    type=st.sampled_from(("", "pdf", "page")), language=st.sampled_from(("", "en")),
    since=st.sampled_from(("", "2026-03-01")), until=st.sampled_from(("", "2026-03-20")),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=300)
@given(fields=FORMS)
def test_a_query_that_a_form_made_fills_a_form_that_makes_the_same(fields: Fields, library: Library) -> None:
    text = composed(fields)
    again = composed(taken_apart(text))
    assert found(library, again) == found(library, text)


@given(st.text(max_size=60))
def test_any_query_is_taken_apart(text: str) -> None:
    composed(taken_apart(text))


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_form_makes_a_query(words: str, days: str) -> None:
    composed(Fields(words, words, words, words, words, (words,), words, words, words, days, days, words))
