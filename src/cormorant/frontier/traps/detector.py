"""Spider trap detection: parts of a site with endless addresses and no new text.

Of such a part only samples are visited.

States of a template (`url_templates`), from the pages that a source visited at one site:

    unsuspected --32 visits in a row without fruit, or many addresses and fruit on under 5 % of them--> suspected
         ^---------------------------- a sample bears fruit ---------------------------------------------'

A page bears fruit if it links to a new address of another template, or has text that no other page of its template has
(`unexplained`). Only a template that feeds itself can be suspected: at least half of its addresses were first found on
its own pages. So ten thousand products behind `?id=`, which lists feed, are not suspected, nor are lists that lead to
new products.

Of a suspected template the 50th address is visited, then the 100th and the 200th after it: the samples of any number of
addresses are few, so a run ends. Pure; each batch stores the state as a fact of the site.
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
"""The newest visits of a template that are judged."""
SELDOM = 1
"""Of these, the visits that may bear fruit if there are many addresses: under 5 %."""
FEW = 2
"""Visits from which on a template counts as known."""
MANY, MANY_OF_PATH = 200, 2_000
"""Addresses of a narrow template, and of a wide one: a path with any query, or a folder."""
FEEDS = 8
"""Visits of the window that found more addresses of their own template: with fewer it comes to an end by itself."""
CHAIN, AHEAD = 100, 8
"""Visits of a chain, and addresses that it is ahead of them at most. Where pages differ in their numbers alone, only a
chain is suspected: a tree of numbered pages is ahead by far, or comes to its end."""
UNREAD = 63
"""The most pages in a row whose text is not read, while the read ones say something new."""
YOUNG = 0b11
"""Visits of a template within a suspected path that are judged."""
CANDIDATE = 8
"""Addresses from which on the texts of a template that feeds itself are read."""
SAMPLE = 50
EXAMPLES = 3
MOST_TEMPLATES, MOST_KEPT, MOST_LINES_KEPT = 512, 128, 2_048
_MASK = (1 << WINDOW) - 1


@dataclass(slots=True)
class Template:
    """Statistics of the URLs of one template.

    The last three masks hold a bit for each visit, the newest lowest.

    `own` are the known URLs that were first found on its own pages, `skipped` those not visited since it is suspected;
    `rule` is the text of its ruling meanwhile. `lines` are keys of the distinct lines of its pages. The texts of the
    next `unread` visits are not read, and of `trusted` ones after the next that says something new: templates with much
    text are seldom read.
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
        """Count a visit of a page."""
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
    """The templates of one site in one source, and the budget that a run has spent there."""

    def __init__(self, *, throttle: bool, most: SiteBudget | None = None) -> None:
        self.throttle, self.most = throttle, most
        self.spent, self.changed = Spent(), False
        self.found: OrderedDict[str, Template] = OrderedDict()
        self._suspected = 0

    def ruling(self, resource: Resource, now: float) -> Ruling | None:
        """Return the ruling that excludes a resource that the gates admit, at `now` (epoch seconds).

        None if it may be visited. Suspicion does not exclude searchable resources.
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
        """Count the bytes of a visit to the site."""
        if self.most is not None and size:
            self.spent.received += size
            self.changed = True

    def _kept_out(self, address: str) -> str:
        """Return the rule of the suspected template that excludes an address, "" if the address is a sample.

        Of two suspected templates the narrower decides: its samples are samples of both.
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
        """Return whether a narrow template has few visits, or had new text lately."""
        known = self.found.get(narrow)
        return known is None or known.visited < FEW or bool(known.fruit & YOUNG)

    def met(self, address: str, arrived: Sequence[str], words: tuple[str, str] | None) -> None:
        """Add a visited page: its new addresses of the site, and its title and text; None if it has none."""
        if not self.throttle or not (arrived or words):
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
        if words is None:
            return
        fruit, figures = self._says(page, address, words)
        for name in dict.fromkeys(page):
            at = self._at(name)
            at.note(fruit=fruit or leads, figures=figures, fed=fed)
            self._judge(name, at, address, fruit=fruit or leads)

    def _is_leaf(self, other: str, page: str) -> bool:
        """Return whether another template of the same path leads to no more of it, as far as is known.

        A template with a further parameter does.
        """
        known = self.found.get(other)
        if known is None or known.visited < FEW:
            return not refines(other, page)
        return not known.fed

    def _says(self, page: Templates, address: str, words: tuple[str, str]) -> tuple[bool, bool]:
        """Return whether a page has new text, and whether new figures in it may be more than a date.

        Texts are read only where a template feeds itself: no other template can be suspected.
        """
        wide = self._at(page.wide)
        if wide.unread or not (wide.feeds_itself or self._at(page.narrow).feeds_itself):
            wide.unread -= wide.unread > 0
            return True, True
        bare, exact = unexplained("\n".join(words), address)
        known = frozenset(wide.lines)
        fruit, figures = not bare <= known, not is_dated(address) and not exact <= known
        wide.trusted = min(wide.trusted * 2 + 1, UNREAD) if fruit else 0
        wide.unread = wide.trusted if not wide.rule else 0
        if len(wide.lines) < MOST_KNOWN:
            wide.lines.extend((bare | exact) - known)
        return fruit, figures

    def _judge(self, name: str, at: Template, address: str, *, fruit: bool) -> None:
        """Suspect a template, or clear it."""
        self.changed = True
        if at.rule and fruit:
            at.rule, at.fruit = "", _MASK >> 1  # the next visits decide again
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
        """Reset the budget if another run begins to visit the site."""
        self.spent.begin(run)

    def suspects(self) -> dict[str, Template]:
        """Suspected templates, by name."""
        return {name: at for name, at in self.found.items() if at.rule}

    def _is_in_suspected(self, narrow: str) -> bool:
        """Return whether a template belongs to a suspected path.

        Its state is stored, since `_is_young` needs it.
        """
        wide = self.found.get(narrow.partition("?")[0] + "?*")
        return wide is not None and bool(wide.rule)

    def pack(self) -> bytes:
        """Return the state to store, without small templates that others feed, which are learned again easily."""
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
        """Load a state that `pack` made, in older versions with only the limit for documents."""
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

    Searchable documents stay.
    """
    watch = watches.get(resource.source)
    ruling = watch.ruling(resource, now) if watch is not None and resource.role is not Role.ROBOTS else None
    if ruling is None:
        return None
    return Failed(ruling.status, ruling.rule) if resource.indexed else Excluded(ruling, ruling.status)


MOST_LINES, MOST_TEXT = 200, 200_000
"""Lines of a page that are looked at, and characters of them."""
MOST_KNOWN = 20_000
"""Lines that are remembered of pages of one template; further ones count as new."""
MARK = 7
"""Digits of a number that counts as an identifier: it is ignored if the address explains it."""
_WORD = re.compile(r"[^\W_]+")


def unexplained(text: str, address: str) -> tuple[set[int], set[int]]:
    """Return keys of the lines of a text: by words that its address does not explain, and whole lines with figures."""
    explained = set(_WORD.findall(address.lower()))
    explained |= {
        str(int(word) + step) for word in explained if word.isdecimal() and len(word) < 12 for step in (-1, 0, 1)
    }
    bare, exact = set[int](), set[int]()
    for line in text[:MOST_TEXT].split("\n", MOST_LINES)[:MOST_LINES]:
        words = _WORD.findall(line.lower())
        kept = [word for word in words if word not in explained and not (word.isdecimal() and len(word) < 3)]
        numbers = [word for word in words if word.isdecimal() and len(word) < MARK]
        if kept:
            bare.add(crc32(" ".join(kept).encode(errors="replace")))
        if numbers:
            exact.add(crc32(("#" + " ".join(words)).encode(errors="replace")))
    return bare, exact
