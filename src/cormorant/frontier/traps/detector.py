"""Spider trap detection: parts of a site that go on for ever and say nothing new.

Then only few of its pages are visited.

What is known of a template (`url_templates`), from the pages that a source visited at one site:

    unsuspected --32 visits in a row without fruit, or many addresses and fruit at under 5 % of them--> suspected
         ^---------------------------- a sample bears fruit ---------------------------------------------'

A page bears fruit when it leads to a new address that is made otherwise, or says what no other of its kind said
(`unexplained`). Only a template that feeds itself can be suspected: half of its addresses at least were first found on
its own pages. So neither ten thousand products behind `?id=` are, whose lists feed them, nor lists that lead to new
ones.

Of a suspected template the 50th address is visited, then the 100th, the 200th after it: however many there are, the
samples are few, so a run ends. Pure bookkeeping of one process; kept as a fact of the site with each batch.
"""

from __future__ import annotations

import json
import re
import zlib
from array import array
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any
from zlib import crc32

from cormorant.frontier.policy.host_budget import Spent
from cormorant.frontier.traps.url_templates import Templates, as_rule, is_dated, refines, templates
from cormorant.model.outcome import Excluded, Failed, Outcome
from cormorant.model.resource import Resource, Role
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.settings.budget import SiteBudget
from cormorant.model.status import Status

FACT = "traps"
WINDOW = 32
"""Visits that are looked back at."""
SELDOM = 1
"""Of them, those that may bear fruit where there are many addresses: under 5 %."""
FEW = 2
"""Visits from which on something is known of a template."""
MANY, MANY_OF_PATH = 200, 2_000
"""Addresses of a template, and of a path whatever its query or of a folder (faults W1 and W4)."""
FEEDS = 8
"""Visits of the window that found more addresses of their own kind: fewer, and it comes to an end by itself."""
CHAIN, AHEAD = 100, 8
"""Visits of a chain, and addresses that it is ahead of them at most. Where pages differ in their numbers alone, only a
chain is suspected: a tree of numbered pages is ahead by far, or comes to its end."""
UNREAD = 63
"""Pages in a row whose text is not looked at, at the most, while those that are have something to say."""
YOUNG = 0b11
"""Visits of a template within a suspected path that are looked back at."""
CANDIDATE = 8
"""Addresses from which on the texts of a template that feeds itself are read."""
SAMPLE = 50
EXAMPLES = 3
MOST_TEMPLATES, MOST_KEPT, MOST_LINES_KEPT = 512, 128, 2_048
_MASK = (1 << WINDOW) - 1


@dataclass(slots=True)
class Template:
    """Statistics of the URLs of one template.

    The last three masks hold a bit a visit, the newest lowest.

    `own` are the known ones that were first found on its own pages, `skipped` those not visited since it is suspected;
    `rule` is the ruling's word for it while it is. `lines` are keys of what its pages said, each once. Texts are not
    looked at for `unread` more visits, `trusted` ones after the next that says something: what says much is seldom
    looked at.
    """

    known: int = 0
    own: int = 0
    visited: int = 0
    fruit: int = 0
    figures: int = 0
    fed: int = 0
    rule: str = ""
    skipped: int = 0
    next_sample: int = SAMPLE
    examples: list[str] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("I"))
    unread: int = 0
    trusted: int = 0

    @property
    def feeds_itself(self) -> bool:
        """Return whether at least half of a template's URLs were found on its own pages."""
        return self.known >= CANDIDATE and self.own * 2 >= self.known

    def note(self, *, fruit: bool, figures: bool, fed: bool) -> None:
        """A page of it was visited."""
        self.visited += 1
        self.fruit = (self.fruit << 1 | fruit) & _MASK
        self.figures = (self.figures << 1 | figures) & _MASK
        self.fed = (self.fed << 1 | fed) & _MASK

    def is_barren(self, many: int) -> bool:
        """Return whether a template is barren enough to be suspected as a spider trap."""
        if self.visited < WINDOW or not self.feeds_itself:
            return False
        fruit, figures, fed = self.fruit.bit_count(), self.figures.bit_count(), self.fed.bit_count()
        chained = self.visited >= CHAIN and fed >= FEEDS and self.known - self.visited <= AHEAD
        if not fruit and not figures:
            return fed >= FEEDS or self.known > 2 * self.visited
        return fruit <= SELDOM and (chained or (figures <= SELDOM and self.known > many))


class TrapDetector:
    """The templates of one site as one source knows them, and what a run has asked of it."""

    def __init__(self, *, throttle: bool, most: SiteBudget | None = None) -> None:
        self.throttle, self.most = throttle, most
        self.spent, self.changed = Spent(), False
        self.found: OrderedDict[str, Template] = OrderedDict()
        self._suspected = 0

    def ruling(self, resource: Resource, now: float) -> Ruling | None:
        """Return the ruling that keeps out a resource that the gates admit, at `now` (epoch seconds).

        None: it may.

        What search can find is not kept out by suspicion.
        """
        if self.throttle and self._suspected and not resource.indexed:
            rule = self._kept_out(resource.address)
            if rule:
                return Ruling(False, Gate.TRAP, rule, Status.TRAP)
        if self.most is not None:
            self.changed = True
            if rule := self.spent.refuse(self.most, now):
                return Ruling(False, Gate.TRAP, rule, Status.TRAP)
        return None

    def received(self, size: int) -> None:
        """A visit to the site ended, for which this many bytes came."""
        if self.most is not None and size:
            self.spent.received += size
            self.changed = True

    def _kept_out(self, address: str) -> str:
        """The rule of a suspected template that keeps an address from being visited, "" when it is a sample.

        Of two that are suspected the narrower decides: a sample of that one is a sample of both.
        """
        narrow, wide = templates(address)
        for name in dict.fromkeys((narrow, wide)):
            known = self.found.get(name)
            if known is None or not known.rule or (name != narrow and self._is_young(narrow)):
                continue
            self.changed = True
            known.skipped += 1
            if known.skipped < known.next_sample:
                return known.rule
            known.next_sample *= 2
            return ""
        return ""

    def _is_young(self, narrow: str) -> bool:
        """Return whether too little is known of a template with its path, or it said something lately."""
        known = self.found.get(narrow)
        return known is None or known.visited < FEW or bool(known.fruit & YOUNG)

    def met(self, address: str, arrived: Sequence[str], said: tuple[str, str] | None) -> None:
        """A page was visited, found these new addresses of its site, and has this title and text; None: it has none."""
        if not self.throttle or not (arrived or said):
            return
        narrow, wide = page = templates(address)
        fed = leads = False
        for each in arrived:
            made = templates(each)
            fed = fed or made.wide == wide
            leads = leads or made.wide != wide or (made.narrow != narrow and self._is_leaf(made.narrow, narrow))
            for name in dict.fromkeys(made):
                at = self._at(name)
                at.known += 1
                at.own += name in page
        if said is None:
            return
        fruit, figures = self._says(page, address, said)
        for name in dict.fromkeys(page):
            at = self._at(name)
            at.note(fruit=fruit or leads, figures=figures, fed=fed)
            self._judge(name, at, address, fruit=fruit or leads)

    def _is_leaf(self, other: str, page: str) -> bool:
        """Return whether another template of the same path leads to no more of it, as far as is known.

        One with another filter does.
        """
        known = self.found.get(other)
        if known is None or known.visited < FEW:
            return not refines(other, page)
        return not known.fed

    def _says(self, page: Templates, address: str, said: tuple[str, str]) -> tuple[bool, bool]:
        """Return whether a page says anything new, and whether new figures in it may be more than a date.

        Looked at only where a template feeds itself: else nothing is suspected whatever it says.
        """
        wide = self._at(page.wide)
        if wide.unread or not (wide.feeds_itself or self._at(page.narrow).feeds_itself):
            wide.unread -= wide.unread > 0
            return True, True
        bare, exact = unexplained("\n".join(said), address)
        known = frozenset(wide.lines)
        fruit, figures = not bare <= known, not is_dated(address) and not exact <= known
        wide.trusted = min(wide.trusted * 2 + 1, UNREAD) if fruit else 0
        wide.unread = wide.trusted if not wide.rule else 0
        if len(wide.lines) < MOST_KNOWN:
            wide.lines.extend((bare | exact) - known)
        return fruit, figures

    def _judge(self, name: str, at: Template, address: str, *, fruit: bool) -> None:
        """Suspect a template, or no longer."""
        self.changed = True
        if at.rule and fruit:
            at.rule, at.fruit = "", _MASK >> 1  # it has to earn it again
            self._suspected -= 1
        elif not at.rule and at.is_barren(MANY_OF_PATH if name.endswith("*") else MANY):
            at.rule = _rule(name, at)
            at.skipped, at.next_sample = 0, SAMPLE
            self._suspected += 1
        if at.rule and len(at.examples) < EXAMPLES:
            at.examples.append(address)

    def _at(self, name: str) -> Template:
        at = self.found.get(name)
        if at is None:
            at = self.found[name] = Template()
            if len(self.found) > MOST_TEMPLATES:
                del self.found[next(each for each, known in self.found.items() if not known.rule)]
        else:
            self.found.move_to_end(name)
        return at

    def begin(self, run: int) -> None:
        """A run begins to visit the site, or goes on to."""
        self.spent.begin(run)

    def suspects(self) -> dict[str, Template]:
        """Suspected templates, by name."""
        return {name: at for name, at in self.found.items() if at.rule}

    def _is_in_suspected(self, narrow: str) -> bool:
        """Return whether a template belongs to a path that is suspected.

        Then it has to be known that it is not young.
        """
        wide = self.found.get(narrow.partition("?")[0] + "?*")
        return wide is not None and bool(wide.rule)

    def pack(self) -> bytes:
        """All that must not be lost. Small templates that feed on others are learned again for nothing."""
        kept = sorted(
            (
                (name, at)
                for name, at in self.found.items()
                if at.rule or at.feeds_itself or self._is_in_suspected(name)
            ),
            key=lambda each: (not each[1].rule, -each[1].visited),
        )[:MOST_KEPT]
        rows = [
            [name, at.known, at.own, at.visited, at.fruit, at.figures, at.fed, at.rule, at.skipped,
             at.next_sample, at.examples, b64encode(at.lines[:MOST_LINES_KEPT].tobytes()).decode()]
            for name, at in kept
        ]  # fmt: skip
        run, documents, *others = astuple(self.spent)
        return zlib.compress(json.dumps([run, documents, rows, *others]).encode(), 1)

    def unpack(self, value: bytes) -> None:
        """Take up what `pack` made, also before there were limits but for documents."""
        run, documents, rows, *others = json.loads(zlib.decompress(value))
        self.spent = Spent(run, documents, *others)
        for row in rows:
            self.found[row[0]] = _template(row[1:])
        self._suspected = len(self.suspects())


def _template(row: list[Any]) -> Template:
    made = Template(*row[:-1])
    made.lines = array("I", b64decode(row[-1]))
    return made


def _rule(name: str, at: Template) -> str:
    """Return the ruling text for every URL that is skipped because of a suspected template."""
    return (
        f"trap {name}: of {at.known:,} addresses {at.visited:,} were visited, the last {WINDOW} said nothing new and "
        f"led nowhere else; 1 in {SAMPLE} is. To leave it out: exclude {as_rule(name)}"
    )


def stopped(watches: Mapping[int, TrapDetector], resource: Resource, now: float) -> Outcome | None:
    """Return the outcome of a visit that the trap detector of its source forbids, None if it may begin.

    What search can find stays.
    """
    watch = watches.get(resource.source)
    ruling = watch.ruling(resource, now) if watch is not None and resource.role is not Role.ROBOTS else None
    if ruling is None:
        return None
    return Failed(ruling.status, ruling.rule) if resource.indexed else Excluded(ruling, ruling.status)


MOST_LINES, MOST_TEXT = 200, 200_000
"""Lines of a page that are looked at, and characters of them."""
MOST_KNOWN = 20_000
"""Lines that are remembered of pages made alike; beyond them nothing counts as said before."""
MARK = 7
"""Digits of a number that is a mark and no figure: it says nothing when the address explains it."""
_WORD = re.compile(r"[^\W_]+")


def unexplained(text: str, address: str) -> tuple[set[int], set[int]]:
    """Keys of the lines of a text: by words that its address does not explain, and of lines with figures whole."""
    told = set(_WORD.findall(address.lower()))
    told |= {str(int(word) + step) for word in told if word.isdecimal() and len(word) < 12 for step in (-1, 0, 1)}
    bare, exact = set[int](), set[int]()
    for line in text[:MOST_TEXT].split("\n", MOST_LINES)[:MOST_LINES]:
        words = _WORD.findall(line.lower())
        kept = [word for word in words if word not in told and not (word.isdecimal() and len(word) < 3)]
        numbers = [word for word in words if word.isdecimal() and len(word) < MARK]
        if kept:
            bare.add(crc32(" ".join(kept).encode(errors="replace")))
        if numbers:
            exact.add(crc32(("#" + " ".join(words)).encode(errors="replace")))
    return bare, exact
