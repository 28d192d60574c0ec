from __future__ import annotations

import pytest

from cormorant.extract.compare.text_change import main_text_hash
from cormorant.extract.html.page import extract_html
from cormorant.model.content import Extraction, Manner

STAMPS = [
    "2026-11-21 10:15:02", "2026-11-22T23:01:59Z", "21.11.2026", "1/2/2026 3:05 PM", "21 November 2026, 10:15",
    "November 2nd, 2026", "Sat, 21 Nov 2026 10:15:02 GMT", "21. Dezember 2026", "3 janvier 2027", "Tuesday, 5 May 2026",
]  # fmt: skip
SENTENCES = [
    f"The pump number {number} in the northern hall is to be checked before each start." for number in range(9)
]
SHAPES = {
    "footer": "<body><nav><a href=a>Home</a></nav><main><h1>Pumps</h1>{body}</main><footer>Printed on {stamp}</footer>",
    "div": "<body><div><a href=a>Home</a></div><div id=content><h1>Pumps</h1>{body}</div><div>Made {stamp}</div>",
    "last paragraph": "<body><h1>Pumps</h1>{body}<p>Printed on {stamp}</p>",
    "first paragraph": "<body><p>As of {stamp}</p><h1>Pumps</h1>{body}",
    "table": "<body><table><tr><td>Date: {stamp}<td>Home<tr><td>{body}</table>",
    "short": "<body><h1>Pumps</h1><p>{sentence}</p><p>Printed on {stamp}</p>",
}


def page(shape: str, sentences: list[str], stamp: str) -> Extraction:
    body = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    markup = SHAPES[shape].format(body=body, sentence=sentences[0], stamp=stamp)
    return extract_html(markup.encode(), address="https://h.example/pumps", manner=Manner(main=True))


@pytest.mark.parametrize("shape", SHAPES)
def test_thirty_prints_of_one_page_are_one(shape: str) -> None:
    stamps = [f"2026-11-{day:02} {day % 24:02}:15:{day:02}" for day in range(1, 31)]
    assert len({main_text_hash(page(shape, SENTENCES, stamp)) for stamp in stamps}) == 1


@pytest.mark.parametrize("stamp", STAMPS)
def test_dates_of_every_shape_do_not_count_at_the_edge(stamp: str) -> None:
    other = stamp.replace("1", "2").replace("Tuesday", "Friday").replace("Sat,", "Sun,")
    assert main_text_hash(page("last paragraph", SENTENCES, stamp)) == main_text_hash(
        page("last paragraph", SENTENCES, other)
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_changed_sentence_is_a_change(shape: str) -> None:
    changed = [SENTENCES[0].replace("northern", "southern"), *SENTENCES[1:]]
    assert main_text_hash(page(shape, SENTENCES, STAMPS[0])) != main_text_hash(page(shape, changed, STAMPS[0]))


def test_a_changed_date_in_the_middle_is_a_change() -> None:
    before = [*SENTENCES[:4], "The next check of all pumps together is due on 2026-12-01 at 10:00.", *SENTENCES[4:]]
    after = [line.replace("12-01", "12-24") for line in before]
    assert main_text_hash(page("footer", before, "x")) != main_text_hash(page("footer", after, "x"))


def test_without_a_main_part_all_of_the_text_counts_but_its_dates() -> None:
    assert main_text_hash(Extraction(text="Stock on 2026-11-21: 5")) == main_text_hash(
        Extraction(text="Stock on 2026-11-22: 5")
    )
    assert main_text_hash(Extraction(text="Stock: 5")) != main_text_hash(Extraction(text="Stock: 6"))
