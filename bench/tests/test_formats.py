"""The judge of bench.formats: a word counts where a reader of the index would find it, and nowhere else."""

from __future__ import annotations

import io
import zipfile

import pytest

from bench.formats.judge import Outcome, judged
from bench.formats.packages import packed
from bench.formats.places import NOISE, PLACES
from bench.formats.sample import named, places_in, still_in


@pytest.mark.parametrize(
    ("place", "text", "outcome"),
    [
        ("footnote", "A note: Quokkafootnote.", Outcome.FOUND),
        ("footnote", "A note: quokkafootnote1", Outcome.GLUED),
        ("footnote", "A note", Outcome.MISSING),
        ("tab", "quokkatabone\tquokkatabtwo", Outcome.FOUND),
        ("tab", "quokkatabonequokkatabtwo", Outcome.GLUED),
        ("text box", "quokkatextbox and quokkatextbox", Outcome.TWICE),
        ("soft hyphen", "quokka\xadsoft", Outcome.MISSING),
        ("tracked deletion", "some quokkadeletionthere", Outcome.NOISE),
        ("tracked deletion", "some", Outcome.CLEAN),
        ("percent as stored", "0.73251", Outcome.MISSING),
        ("percent as displayed", "73.25 %", Outcome.FOUND),
        ("property title", "quokkatitle", Outcome.MISSING),
    ],
)
def test_a_text_is_judged(place: str, text: str, outcome: Outcome) -> None:
    assert judged({"text": text}, named(place)) == {PLACES[place]: outcome}


def test_properties_are_attributes_and_targets_are_links() -> None:
    answer = {"title": "quokkatitle", "links": ["https://example.org/quokkalinktarget"]}
    found = judged(answer, named("property title", "link target", "body"))
    assert list(found.values()) == [Outcome.FOUND, Outcome.FOUND, Outcome.MISSING]


def test_texts_and_names_of_embedded_files_count() -> None:
    answer = {"embedded": [{"name": "quokkaattachmentname.txt", "text": "quokkaattachmenttext"}]}
    assert all(outcome.right for outcome in judged(answer, named("attachment name", "attachment text")).values())


def test_phrases_of_programs_are_noise() -> None:
    assert judged({"text": "![Picture 1](x)"}, (NOISE,)) == {NOISE: Outcome.NOISE}


def test_places_are_found_in_a_source_through_its_tags() -> None:
    names = {place.name for place in places_in("<p>quok<b>kapie</b>ces <i>quokkafootnote</i> quokkatabone</p>")}
    assert names == {"word in pieces", "footnote"}


def test_places_that_a_conversion_lost_are_left_out() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.xml", "<a>quokkabody</a>")
    assert still_in(named("body", "footnote"), stream.getvalue()) == named("body")


def test_each_package_has_the_places_that_it_is_made_for() -> None:
    made = {each.writer: each for each in packed() if each.form == "docx"}
    assert {"footnote", "SmartArt", "chart axis", "text box"} <= {place.name for place in made["by hand"].places}
