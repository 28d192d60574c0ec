"""A better query is offered, spelled as documents spell it, and only of what its reader may know."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.model.acl import ANYONE
from cormorant.model.text.display_directives import ATTRIBUTE, NO_SNIPPET
from cormorant.search.index.document import Upsert
from cormorant.search.index.memory import MemoryIndex
from cormorant.search.index.query import Everything, Search
from cormorant.search.reader import Library, Question
from tests.search.index.shelves import KINDS, entry, shelf

LIBRARY = (
    entry(1, "The timetable of the ferry to the observatory."),
    entry(2, "Accommodation near the observatory.", title="Where to stay"),
    entry(3, "The conspiracy", grants=("user:ada",)),
)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    index = MemoryIndex()
    writer = index.writer()
    writer.apply(map(Upsert, LIBRARY))
    writer.commit(1)
    return Library(index.reader(), SystemClock())


@pytest.mark.parametrize(
    ("typed", "better"),
    [
        ("accomodation", "accommodation"),
        ("+accomodation -Obsrvatory", "+accommodation -Obsrvatory"),
        ("fery timetable", "ferry timetable"),
        ('"ferry to teh"', '"ferry to the"'),
        ('"timetabel of the ferry"', '"timetable of the ferry"'),
        ("ferry", None),
        ("conspirasy", None),
        ("zebra", None),
        ("(accomodation OR fery) AND near", "(accommodation OR ferry) AND near"),
    ],
)
def test_a_better_query(library: Library, typed: str, better: str | None) -> None:
    assert library.find(Question(typed), ANYONE).suggestion == better


def test_a_word_that_nobody_wrote_is_mended_though_the_others_find_enough(tmp_path: Path) -> None:
    index = MemoryIndex()
    writer = index.writer()
    many = [entry(number, f"The ferry number {number}.") for number in range(9)]
    writer.apply(map(Upsert, [*many, entry(9, "The observatory.")]))
    writer.commit(1)
    library = Library(index.reader(), SystemClock())
    found = library.find(Question("ferry obsrvatory"), ANYONE)
    assert (found.total, found.suggestion) == (9, "ferry observatory")
    assert library.find(Question("ferry observatory"), ANYONE).suggestion is None
    assert library.find(Question("ferry zeppelin"), ANYONE).suggestion is None


FOLDED = [
    # a text, its language, what is typed, the suggestion, and the query whose results are shown
    ("Die Führung des Hauses, und die Führungen.", "de", "fuehrung", None, "fuehrung"),
    ("Die Führung des Hauses, und die Führungen.", "de", "führung", None, "führung"),
    ("Die Führung des Hauses, und die Führungen.", "de", "fuhrung", None, "fuhrung"),
    ("Die Führung des Hauses.", "", "fuehrung", "Führung", "Führung"),
    ("Die Führung des Hauses.", "de", "führunk", "Führung", "Führung"),
    ("Ein Gemälde im Öl.", "", "gemaelde", "Gemälde", "Gemälde"),
    ("Das Öl und die Größe.", "", "groesse", "Größe", "Größe"),
    ("Die Straße ist lang.", "de", "strasse", None, "strasse"),
    ("Die Straße ist lang.", "de", "strase", "Straße", "Straße"),
    ("Byen Århus.", "", "aarhus", "Århus", "Århus"),
    ("Byen Århus.", "", "arhus", None, "arhus"),
    ("Byen København.", "", "koebenhavn", "København", "København"),
    ("Byen København.", "", "kobenhavn", None, "kobenhavn"),
    ("Staden Malmö.", "", "malmoe", "Malmö", "Malmö"),
    ("Un café sur la place.", "fr", "cafe", None, "cafe"),
    ("Un café sur la place.", "", "caffé", "café", "café"),
    ("Su \u0131l\u0131k ve güzel.", "", "ilik", None, "ilik"),
    ("Su \u0131l\u0131k ve güzel.", "", "ilikk", "\u0131l\u0131k", "\u0131l\u0131k"),
    ("Miasto Łódź.", "", "lodz", None, "lodz"),
    ("Miasto Łódź.", "", "łódźź", "Łódź", "Łódź"),
    ("All harbours.", "en", "harbour", None, "harbour"),
    ("The Harbour.", "", "harbor", "harbour", "harbour"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", FOLDED, ids=lambda case: "-".join(map(str, case[1:3])))
def test_it_is_spelled_as_documents_spell_it(
    case: tuple[str, str, str, str | None, str], kind: str, tmp_path: Path
) -> None:
    text, language, typed, better, answered = case
    with shelf(kind, tmp_path / "index") as made:
        made.put(entry(1, text, language=language))
        answer = Library(made.reader, SystemClock()).find(Question(typed), ANYONE)
        assert (answer.suggestion, answer.answered, answer.total) == (better, answered, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_most_documents_say_how_a_word_is_spelled(kind: str, tmp_path: Path) -> None:
    with shelf(kind, tmp_path / "index") as made:
        made.put(entry(1, "My résumé"), entry(2, "a resume"), entry(3, "the resume"))
        asked = Search(Everything(), ANYONE)
        assert made.reader.spelling("resume", asked) == "resume"
        made.put(entry(4, "Résumé"), entry(5, "résumé, résumé"))
        assert made.reader.spelling("resume", asked) == "résumé"
        assert made.reader.spelling("harbour", asked) == "harbour"


@pytest.mark.parametrize("kind", KINDS)
def test_a_spelling_that_may_not_be_read_or_quoted_is_not_told(kind: str, tmp_path: Path) -> None:
    with shelf(kind, tmp_path / "index") as made:
        made.put(
            entry(1, "Führung", grants=("user:ada",)), entry(2, "Fuhrung"),
            entry(3, "Führung", attributes={ATTRIBUTE: (NO_SNIPPET,)}),
        )  # fmt: skip
        assert made.reader.spelling("fuhrung", Search(Everything(), ANYONE)) == "fuhrung"
        assert made.reader.spelling("fuhrung", Search(Everything(), ANYONE, hidden=frozenset((2,)))) == "fuhrung"


def test_nothing_is_corrected_where_only_what_was_typed_is_wanted(library: Library) -> None:
    answer = library.find(Question("accomodation", as_typed=True), ANYONE)
    assert (answer.total, answer.suggestion, answer.answered, answer.is_corrected) == (
        0, "accommodation", "accomodation", False,
    )  # fmt: skip


def test_where_nothing_is_found_the_better_query_is_answered(library: Library) -> None:
    answer = library.find(Question("accomodation", facets=True), ANYONE)
    assert ([hit.id for hit in answer.hits], answer.total, answer.is_corrected) == ([2], 1, True)
    assert (answer.understood.text, answer.answered) == ("accomodation", "accommodation")
    assert answer.hits[0].highlights
    assert next(each for each in answer.facets if each.name == "source").choices[0].results == 1
    why = library.why(Question("accomodation"), 2, ANYONE)
    assert why is not None
    assert why.score == pytest.approx(answer.hits[0].score)
    assert library.why(Question("accomodation", as_typed=True), 2, ANYONE) is None


@pytest.mark.parametrize("typed", ["AB-124", "accomodation2", "2027"])
def test_another_number_is_never_proposed(typed: str, tmp_path: Path) -> None:
    with shelf("memory", tmp_path / "index") as made:
        made.put(entry(1, "AB-123 accomodation1 2017"))
        assert Library(made.reader, SystemClock()).find(Question(typed), ANYONE).suggestion is None
