"""Languages with rules for forms are those that the installed stemmers have, and no word or tag makes them fail."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import Stemmer
from hypothesis import given, strategies as st

from cormorant.extract.detect.language import DETECTED
from cormorant.search.index import stemming
from cormorant.search.index.stemming import LANGUAGES, SHORTEST, beginning, beginnings, language_of, stem

OLDER = {"dutch_porter", "porter"}
"""Rules that others have replaced."""


def test_the_list_is_what_the_stemmers_have() -> None:
    assert set(stemming._NAMES.values()) == set(Stemmer.algorithms()) - OLDER
    assert frozenset(stemming._NAMES) == LANGUAGES


def test_a_language_that_the_stemmers_lack_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with an older release of them: its words are found as they are written."""
    monkeypatch.setattr(stemming, "LANGUAGES", LANGUAGES - {"pl"})
    stem.cache_clear()
    try:
        assert language_of("pl-PL") == ""
        assert stem("latarnia", "pl") == beginning("latarnia", "pl") + "a" == "latarnia"
    finally:
        stem.cache_clear()


@pytest.mark.parametrize("language", sorted(LANGUAGES | DETECTED | {"", "tlh"}))
def test_every_language_takes_every_word(language: str) -> None:
    for word in ("a", "latarnia", "маяк", "φάρος", "منارة", "दीपस्तंभ", "灯台", "\U0010ffff" * 4, "x" * 255, "e" * 5000):
        assert stem(word, language)
        assert word.startswith(beginning(word, language))
        assert all(beginnings(word, language))


@given(st.text(min_size=1), st.sampled_from(sorted(LANGUAGES)))
def test_no_word_is_refused(word: str, language: str) -> None:
    assert stem(word, language) or not word
    assert word.startswith(beginning(word, language))


def test_forms_of_a_word_have_one_stem() -> None:
    families = {
        "ca": "muntanya muntanyes", "cs": "hrad hradu", "da": "hus huset", "de": "haus hauser", "en": "ferry ferries",
        "es": "faro faros", "et": "maja majad", "eu": "mendi mendiak", "fi": "talo talot", "hu": "hajo hajok",
        "id": "baca membaca", "lt": "namas namai", "nl": "boot boten", "pl": "kot kotami", "ru": "маяк маяки",
        "sr": "grada gradu", "sv": "bat batar",
    }  # fmt: skip
    apart = {tag: words for tag, words in families.items() if len({stem(each, tag) for each in words.split()}) > 1}
    assert not apart


def test_where_something_is_put_before_a_word_its_stem_is_a_beginning_too() -> None:
    assert set(beginnings("membaca", "id")) == {"mem", "baca"}
    assert beginnings("ferry", "en") == (beginning("ferry", "en"),)
    assert beginning("boot", "nl") == beginning("boten", "nl") == "bo"
    assert len(beginning("ferries", "en")) >= SHORTEST


def test_threads_have_stemmers_of_their_own() -> None:
    words = [f"lighthouse{letter}ks" for letter in "abcdefghijklmnopqrst"]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda word: stem.__wrapped__(word, "en"), words * 50)) == [w[:-1] for w in words] * 50
