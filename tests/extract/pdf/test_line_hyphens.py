"""Which hyphens at the end of a line belong to the word?"""

from __future__ import annotations

import time

import pytest

from cormorant.extract.pdf.line_hyphens import MAX_ASIDES, joined_lines
from cormorant.extract.pdf.pdf import extract_pdf
from tests.extract.pdf.pdf_writer import TASK, page_file


def joined(text: str, *others: str) -> tuple[str, list[str]]:
    """Join the words of a text in which | stands where a line ends behind a hyphen."""
    texts, asides = joined_lines([text.replace("|", "\ufffe"), *others])
    return texts[0], asides


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        # English
        ("an exam|ple of it", "an example of it"),
        ("the SARS|related virus", "the SARS-related virus"),
        ("an Anglo|Saxon word", "an Anglo-Saxon word"),
        ("in COVID|19 wards", "in COVID-19 wards"),
        ("the pre- and post|war years", "the pre- and postwar years"),
        ("send e|mail to us", "send e-mail to us"),
        ("an X|ray picture", "an X-ray picture"),
        ("at http://example.org/debian|security/x", "at http://example.org/debian-security/x"),
        ("run /usr/lib/base|files now", "run /usr/lib/base-files now"),
        # German
        ("die Verwal|tung tagt", "die Verwaltung tagt"),
        ("der Haupt|und Nebeneingang", "der Haupt- und Nebeneingang"),
        ("die Software|Entwicklung dort", "die Software-Entwicklung dort"),
        ("eine EU|weite Frist", "eine EU-weite Frist"),
        ("Anträge auf Grund|oder Zusatzrente", "Anträge auf Grund- oder Zusatzrente"),
        ("die Stadtverwaltung Nord|Süd", "die Stadtverwaltung Nord-Süd"),
        # French
        ("la ges|tion du parc", "la gestion du parc"),
        ("un pays franco|Canadien", "un pays franco-Canadien"),
        ("c'est-à|dire tout", "c'est-à-dire tout"),
        ("l'a|mour", "l'amour"),
        ("une politique court|et long-termiste", "une politique court- et long-termiste"),
        ("l'ONU|même", "l'ONU-même"),
        # Spanish
        ("la configura|ción nueva", "la configuración nueva"),
        ("la guerra Irán|Irak", "la guerra Irán-Irak"),
        ("un satélite tele|y radiodifusor", "un satélite tele- y radiodifusor"),
        ("el grupo G|20 habla", "el grupo G-20 habla"),
        # Greek, Cyrillic
        ("η διοίκη|ση", "η διοίκηση"),
        ("управле|ние", "управление"),
    ],
)
def test_signs_of_the_word_decide(broken: str, whole: str) -> None:
    assert joined(broken)[0] == whole


def test_a_word_that_stands_elsewhere_unbroken_is_that_word() -> None:
    assert joined("a time|consuming task", "It was time-consuming.") == ("a time-consuming task", [])
    assert joined("a note|book", "My notebook, a note, a book.") == ("a notebook", [])
    assert joined("Ge|oder", "das Geoder") == ("Geoder", [])
    assert joined("im HAUPT|SAAL", "Der Hauptsaal.") == ("im HAUPTSAAL", [])


def test_a_word_that_stands_elsewhere_in_both_ways_is_found_in_both() -> None:
    assert joined("by e|mail, by note|book", "email, e-mail; notebook, note-book") == (
        "by e-mail, by notebook",
        ["note-book"],
    )


@pytest.mark.parametrize(
    ("broken", "other", "whole", "aside"),
    [
        ("good decision|making", "The decision is in the making.", "good decisionmaking", "decision-making"),
        ("das deutsch|französische Amt", "Es spricht deutsch und französische Lieder.", None, "deutsch-französische"),
        ("il a peut|être faim", "", "il a peutêtre faim", "peut-être"),
        ("dit|il alors", "", "ditil alors", "dit-il"),
        ("un tema socio|económico", "", "un tema socioeconómico", "socio-económico"),
        ("INTERNA|TIONAL", "", "INTERNATIONAL", "INTERNA-TIONAL"),
        ("package fonts-crosextra|carlito", "", "package fonts-crosextracarlito", "crosextra-carlito"),
    ],
)
def test_in_doubt_both_ways_are_found(broken: str, other: str, whole: str | None, aside: str) -> None:
    text, asides = joined(broken, other)
    assert text == (whole or broken.replace("|", ""))
    assert asides == [aside]


def test_pieces_of_a_broken_word_prove_nothing() -> None:
    assert joined("exam|ple exam|ple") == ("example example", [])


def test_lines_that_pdfium_did_not_join_are_joined() -> None:
    assert joined_lines(["from 1990-\r\n1995, exam\u2010\r\nple, soft\xad\r\nhyphen, Haupt-\r\nund"])[0] == [
        "from 1990-1995, example, softhyphen, Haupt- und"
    ]


def test_a_dash_at_the_end_of_a_line_stays() -> None:
    assert joined_lines(["he came -\r\nand went", "a list:\r\n-\r\nitem"])[0] == [
        "he came -\r\nand went",
        "a list:\r\n-\r\nitem",
    ]


def test_a_mark_beside_no_word_is_a_hyphen() -> None:
    assert joined("(end) |, |") == ("(end) -, -", [])


def test_asides_have_a_bound() -> None:
    text = " ".join(f"non|w{number}x" for number in range(MAX_ASIDES + 100))
    assert len(joined(text)[1]) == MAX_ASIDES


def test_a_long_word_and_many_marks_take_no_long_time() -> None:
    begin = time.process_time()
    joined_lines(["x" * 1_000_000 + "\ufffe" * 20_000 + "y" * 1_000_000, "-\r\n" * 100_000])
    assert time.process_time() - begin < 5


def test_words_that_a_pdf_broke_are_found_whole() -> None:
    said = extract_pdf(page_file("the SARS-", "related virus, an exam-", "ple, self-", "sufficient"), TASK).text
    assert said == "the SARS-related virus, an example, selfsufficient\n\nself-sufficient"
