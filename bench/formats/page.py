"""The tables as Markdown, for docs/reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from bench.formats.judge import Outcome
from bench.formats.places import PLACES, Kind, Place
from bench.formats.sample import Sample, Unmade

_ORDER: Final = {place: number for number, place in enumerate(PLACES.values())}
_ABOUT: Final = """\
# Places of documents that readers find

`python -m bench.formats` makes documents with one word of its own in every place where text can stand, and asks each
reader for their text. It compares Cormorant's readers with Apache Tika, markitdown and xberg.

| cell | meaning |
| --- | --- |
| found | the word is there, as a word of its own; a property is an attribute, a target is a link |
| - | the word is missing |
| glued | it is there, but joined to its neighbour, so that nobody finds it |
| twice | a text box is there twice |
| clean | a word that must not be found is not there |
| NOISE | a word that must not be found is there: deleted text, field codes, names of styles, prompts |
| 2 of 3 | right in so many of the documents that have the place |

Documents per CPU second are those of the samples, which are small, read in turns by a process that has read them as
often before: its start is not counted. Tika reads the files in a document too, and so do our readers.
One of the xlsx documents is encrypted with the password that Excel tries by itself; 100,000 hashes lead to its key.
"""


class Judgement(NamedTuple):
    """A sample with the outcome of each place per reader, and the errors of readers that could not read it."""

    sample: Sample
    outcomes: Mapping[str, Mapping[Place, Outcome]]
    errors: Mapping[str, str]


class Speed(NamedTuple):
    """Documents that were read, and the CPU seconds they took."""

    documents: int
    cpu_s: float

    def __str__(self) -> str:
        """Return documents per CPU second, "-" for none."""
        return f"{self.documents / self.cpu_s:,.0f}" if self.cpu_s else "-"


class Report(NamedTuple):
    """All that a run found out: readers by title in the order of columns, and for each format its results."""

    readers: Sequence[str]
    about: Sequence[str]
    judgements: Mapping[str, Sequence[Judgement]]
    unmade: Sequence[Unmade]
    speeds: Mapping[str, Mapping[str, Speed]]


def written(report: Report) -> str:
    """Return the whole page."""
    parts = [_ABOUT, *(f"- {line}" for line in report.about), "", "## Totals", "", *_totals(report), ""]
    for form, judgements in report.judgements.items():
        parts += [f"## {form}", "", *_format(report, form, judgements), ""]
    return "\n".join(parts).rstrip() + "\n"


def _totals(report: Report) -> list[str]:
    """Return a row per format: places found of those there are, noise, and speed."""
    timed = [name for name in report.readers if any(name in speeds for speeds in report.speeds.values())]
    rows = [_row("format", "places", *report.readers, *(f"documents per CPU s, {name}" for name in timed))]
    rows.append(_row(*["---"] * (2 + len(report.readers) + len(timed))))
    for form, judgements in report.judgements.items():
        totals = [_total(judgements, name) for name in report.readers]
        speeds = report.speeds.get(form, {})
        rows.append(
            _row(form, str(_places(judgements)), *totals, *(str(speeds.get(name, Speed(0, 0.0))) for name in timed))
        )
    every = [each for judgements in report.judgements.values() for each in judgements]
    sums = [_sum(speeds[name] for speeds in report.speeds.values() if name in speeds) for name in timed]
    rows.append(_row("all", str(_places(every)), *(_total(every, name) for name in report.readers), *map(str, sums)))
    return rows


def _sum(speeds: Iterable[Speed]) -> Speed:
    listed = list(speeds)
    return Speed(sum(each.documents for each in listed), sum(each.cpu_s for each in listed))


def _places(judgements: Iterable[Judgement]) -> int:
    return sum(place.kind is not Kind.ABSENT for each in judgements for place in each.sample.places)


def _total(judgements: Iterable[Judgement], reader: str) -> str:
    outcomes = Counter(outcome for each in judgements for outcome in each.outcomes[reader].values())
    noise = f", {outcomes[Outcome.NOISE]} NOISE" if outcomes[Outcome.NOISE] else ""
    return f"{outcomes[Outcome.FOUND]}{noise}"


def _format(report: Report, form: str, judgements: Sequence[Judgement]) -> list[str]:
    rows = [f"Documents by: {'; '.join(each.sample.writer for each in judgements)}."]
    rows += [f"Not made: {each.writer} ({each.why})." for each in report.unmade if each.form == form]
    errors = [
        f"{name} cannot read the one by {each.sample.writer}." for each in judgements for name in each.errors
    ]  # fmt: skip
    rows += [*errors, "", _row("place", *report.readers), _row(*["---"] * (1 + len(report.readers)))]
    places = dict.fromkeys(place for each in judgements for place in each.sample.places)
    for place in sorted(places, key=lambda place: _ORDER.get(place, len(_ORDER))):
        rows.append(_row(place.name, *(_cell(judgements, place, name) for name in report.readers)))
    return rows


def _cell(judgements: Sequence[Judgement], place: Place, reader: str) -> str:
    outcomes = [each.outcomes[reader][place] for each in judgements if place in each.sample.places]
    if len(set(outcomes)) == 1:
        return outcomes[0].value
    right = sum(outcome.right for outcome in outcomes)
    worst = next((outcome for outcome in (Outcome.NOISE, Outcome.TWICE, Outcome.GLUED) if outcome in outcomes), None)
    return f"{right} of {len(outcomes)}" + (f", {worst.value}" if worst else "")


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def behind(report: Report, ours: str) -> list[str]:
    """Return a line for each place that another reader has right and ours has not, and for all noise of ours."""
    lines = []
    for form, judgements in report.judgements.items():
        for each in judgements:
            wrong = (place for place, outcome in each.outcomes[ours].items() if not outcome.right)
            lines += [f"{form} | {each.sample.writer} | {_beside(each, place, ours)}" for place in wrong]
    return [line for line in lines if not line.endswith("| ")]


def _beside(judgement: Judgement, place: Place, ours: str) -> str:
    """Return the place with our outcome and the readers that have it right, or have the same noise."""
    outcome = judgement.outcomes[ours][place]
    others = [name for name, found in judgement.outcomes.items() if name != ours and found[place].right]
    names = ", ".join(others) or ("nobody" if outcome is Outcome.NOISE else "")
    return f"{place.name} | {outcome.value} | {names}"
