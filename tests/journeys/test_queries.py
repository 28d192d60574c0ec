"""Every query is answered by the search page and the API; the long form is `queries`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cormorant.search.index.query import Clauses, Exact, Like, Near, Or, Pattern, Phrase, Prefix, QueryWord, Range
from cormorant.search.query.lexer import TokenKind, lex
from cormorant.search.query.parser import parse
from tests.journeys.queries.__main__ import Asker, Tally, logged, prove
from tests.journeys.queries.grammar import Speaker

QUERIES = 300


@pytest.mark.slow
def test_every_query_is_answered(tmp_path: Path) -> None:
    tally = prove(tmp_path, QUERIES, 7)
    assert not tally.faults, "\n".join(tally.faults[:20])
    assert tally.requests == 2 * QUERIES


def test_every_form_of_a_query_is_said() -> None:
    speaker = Speaker(Random(1))
    said = [speaker.query() for _ in range(1000)]
    assert {piece.kind for text in said for piece in lex(text)[0]} == set(TokenKind)
    whole = {type(parse(text).query) for text in said}
    assert whole >= {QueryWord, Phrase, Prefix, Near, Pattern, Like, Range, Exact, Clauses, Or}


def test_slips_are_all_different() -> None:
    speaker = Speaker(Random(1))
    assert len({speaker.slip() for _ in range(200)}) > 190


def test_deviations_are_reported(tmp_path: Path) -> None:
    tally = Tally(found=1)
    Asker("http://127.0.0.1:9/", tally).ask("a")  # nobody listens there
    assert tally.statuses == {"page 0": 1, "api 0": 1}
    assert len(tally.faults) == 2
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "web.log").write_text('{"event": "x", "level": "error"}\n{"event": "y", "level": "info"}\n')
    assert len(logged(tmp_path)) == 1
