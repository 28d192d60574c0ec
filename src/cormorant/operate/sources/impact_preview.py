"""Impact preview: the effect that an edit of a source would have, without any change or request.

Every known address is judged by those gates of the edited settings that need no fetch. If the sites stay unchanged, the
next crawl removes exactly the previewed documents from search, and visits exactly the previewed excluded addresses.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import BadRule, CormorantError
from cormorant.frontier.cleanup import stale_exclusions
from cormorant.frontier.staging import pending_deletes
from cormorant.model.member import outermost
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.ruling import Renamed, Ruling
from cormorant.model.run import RunState
from cormorant.model.settings.source import SourceSettings, parse_settings
from cormorant.model.status import Status
from cormorant.model.url import fingerprint
from cormorant.operate.checks import seeds, unused_rules
from cormorant.operate.installation import Installation
from cormorant.operate.records.problem import RuleCount
from cormorant.operate.records.sources import EffectRecord, RecrawlRecord, SettingChange, SourcePreview
from cormorant.operate.sources import profile_merge, secrets, test_crawl
from cormorant.operate.sources.sources import Given, doubts_of, edited, settings_of
from cormorant.plugins import Discovery, Facts, Source, Tools, source_kind
from cormorant.sources.rules import parse_rule
from cormorant.store.catalog import sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs, visits
from cormorant.store.schema import content, resource

PAGE = 5000
SHOWN = 20
LEFT_OUT = (Status.INDEX_RULES, Status.TYPE_EXCLUDED)
"""Statuses of visited documents that these settings leave out of the index."""


def preview(house: Installation, name: str, given: Given, shown: int = SHOWN) -> SourcePreview:
    """Preview which settings change, which documents leave, which excluded addresses enter, each by its rule.

    At most `shown` addresses of each sort are named. Settings whose effect only the next crawl shows are named as
    `unjudged`; the links of entering addresses are not judged either. `run` is the run under way, if any, which follows
    the settings in `at_once`. Raises the errors of `sources.edit`.
    """
    with house.store.read() as tx:
        row = sources.named(tx, name)
        test_crawl.refuse(row)
        whole = profile_merge.beside(tx, row.kind, edited(row, given)).values
    return of_whole(house, name, whole, shown)


def of_whole(house: Installation, name: str, whole: Given, shown: int = SHOWN) -> SourcePreview:
    """Preview an edit in the same way, given all settings of the source after it, whatever their origin."""
    with house.store.read() as tx:
        row = sources.named(tx, name)
        settings = settings_of(row.kind, whole)
        profile_merge.check(tx, settings)
        secrets.check(tx, settings.secrets)
        kind = source_kind(row.kind)
        source = kind.make(row.id, settings, Tools(None, house.clock))
        was: Source | None = None
        with suppress(CormorantError):  # the present settings may no longer be valid
            was = house.source(row)
        effect = _Effect(source, was, shown)
        met = unused_rules.UnusedRules(source, None)
        for page in _known(tx, row):
            met.look([each.address for each in page])
            for each in page:
                effect.judge(each)
        for excluded in _excluded(tx, row, source):
            met.look([each.address for each in excluded])
            for one in excluded:
                effect.judge_excluded(*one)
        changes = _changes(_settings_of_now(row), settings)
        under_way, at_once = runs.unfinished(tx, row.id), kind.settings.AT_ONCE
        return {
            "source": name, "run": under_way.id if under_way is not None else None,
            "suspended": under_way is not None and under_way.state is RunState.SUSPENDED,
            "at_once": [each["setting"] for each in changes if each["setting"] in at_once],
            "changes": changes, "known": effect.known,
            "documents": pending_deletes.indexed_count(tx, row.id), **effect.record(), "idle": met.left(),
            "doubts": doubts_of(kind, settings), "unjudged": _unjudged(changes, effect, kind.settings),
            "recrawl": _recrawl(tx, row, changes, effect),
        }  # fmt: skip


def _recrawl(tx: Tx, row: SourceRow, changes: list[SettingChange], effect: _Effect) -> RecrawlRecord | None:
    """Return the changes that make the next crawl refetch all staying documents, and the requests needed."""
    judged = source_kind(row.kind).settings.JUDGED
    why = [each["setting"] for each in changes if each["setting"] in judged]
    return (
        {"settings": why, "requests": pending_deletes.indexed_count(tx, row.id) - effect.leave.rules.total()}
        if why
        else None
    )


def agreed(effect: SourcePreview) -> dict[str, int]:
    """Return the number of documents that the author of this edit has agreed to remove, by rule."""
    return {each["rule"]: each["addresses"] for each in effect["leave_rules"]}


def _settings_of_now(row: SourceRow) -> SourceSettings:
    """The settings before an edit; unvalidated if they are not valid, which the edit may repair."""
    settings = source_kind(row.kind).settings
    with suppress(CormorantError):
        return parse_settings(settings, row.settings)
    return settings.model_construct(None, **row.settings)


def _changes(before: SourceSettings, after: SourceSettings) -> list[SettingChange]:
    old, new = before.model_dump(mode="json", warnings=False), after.model_dump(mode="json")
    return [
        {"setting": key, "before": old.get(key), "after": value} for key, value in new.items() if value != old.get(key)
    ]


def _unjudged(changes: list[SettingChange], effect: _Effect, kind: type[SourceSettings]) -> list[str]:
    names = [each["setting"] for each in changes if each["setting"] not in kind.AT_ONCE]
    unknown = bool(effect.found_again.unknown)
    return [name for name in names if name not in kind.FORETOLD or (name in kind.FINDING and unknown)]


class _Known(NamedTuple):
    """Known resource, as judged by an impact preview.

    `facts` are None unless a version of it was read; `indexed`: search finds it.
    """

    address: str
    url: str
    depth: int
    outcome: int
    status: int
    reason: str
    indexed: bool
    facts: Facts | None


def _known(tx: Tx, row: SourceRow) -> Iterator[list[_Known]]:
    """Every address that became a resource, a page at a time."""
    columns, behind = resource.c, 0
    both = resource.outerjoin(content, content.c.id == columns.id)
    statement = (
        sa.select(
            columns.id, columns.address, columns.depth, columns.outcome, columns.status, columns.reason, content.c.url,
            content.c.indexed, content.c.mime, content.c.size_bytes, content.c.modified_at,
        )
        .select_from(both)
        .where(columns.source_id == row.id, columns.role == int(Role.DOCUMENT))
        .order_by(columns.id)
        .limit(PAGE)
    )  # fmt: skip
    while rows := tx.rows(statement.where(columns.id > behind)):
        yield [
            _Known(
                each.address, each.url or each.address, each.depth, each.outcome, each.status, each.reason or "",
                bool(each.indexed), Facts(each.mime, each.size_bytes, each.modified_at) if each.mime else None,
            )
            for each in rows
        ]  # fmt: skip
        if len(rows) < PAGE:
            return
        behind = rows[-1].id


def _excluded(tx: Tx, row: SourceRow, source: Source) -> Iterator[list[_Excluded]]:
    """Address, depth and rule of addresses that a gate excluded before they became resources, a page at a time.

    Nofollow links are left out, since no setting admits them, and so are start addresses that were removed from the
    settings.
    """
    begins = seeds.named(source) or frozenset()
    lists = source.discovery is not Discovery.SEEDS
    key: int | None = None
    while page := visits.exclusions_behind(tx, row.id, key, PAGE):
        known = stale_exclusions.known_among(tx, row.id, page)
        yield [
            _Excluded(each.address, each.depth, f"{each.gate}: {each.rule}")
            for each in page
            if each.hash not in known
            and each.status != Status.NOFOLLOW_ONLY
            and (lists or each.referrer is not None or each.address in begins)
        ]
        key = page[-1].hash


class _Excluded(NamedTuple):
    address: str
    depth: int
    rule: str


@dataclass(slots=True)
class _Tally:
    """Numbers of addresses by the deciding rule, and the first addresses. `unknown`: addresses without a ruling."""

    most: int
    rules: Counter[str] = field(default_factory=Counter)
    first: dict[str, list[str]] = field(default_factory=dict)
    unknown: int = 0

    def add(self, url: str, rule: str) -> None:
        """Count an address."""
        self.rules[rule] += 1
        if self.rules[rule] <= self.most:
            self.first.setdefault(rule, []).append(url)

    @property
    def examples(self) -> list[dict[str, str]]:
        """At most `most` addresses, some of every rule: first one of each, then the second of each."""
        turns = zip_longest(*([{"url": url, "rule": rule} for url in urls] for rule, urls in self.first.items()))
        return list(islice((each for turn in turns for each in turn if each), self.most))

    def by_rule(self) -> list[RuleCount]:
        """Rules with their numbers of addresses, the most first."""
        return [{"rule": rule, "addresses": count} for rule, count in self.rules.most_common()]


class _Effect:
    """Effect on known addresses of an edit of a source."""

    def __init__(self, source: Source, was: Source | None, shown: int) -> None:
        self._source, self._was = source, was
        self.known = self._unvisited = 0
        self.leave, self.enter, self.found_again = _Tally(shown), _Tally(shown), _Tally(shown)
        self.renamed, self._renaming, self._shown = 0, list[dict[str, str]](), shown
        self._targets, self._staying = set[int](), array("q")

    def judge(self, each: _Known) -> None:
        """Judge the address of a resource."""
        self.known += 1
        gates = self._source.gates
        known = self._source.rename(each.address)
        if known is not None and known.address != each.address:
            self._renames(each, known)
            return
        ruling = gates.follow(outermost(each.address), each.depth)
        if not ruling.admitted:
            self._unvisited += self._visited_now(each)
            if each.indexed:
                self.leave.add(each.url, _named(ruling))
        elif each.indexed and each.outcome != OutcomeKind.EXCLUDED:
            found = gates.find(outermost(each.address), each.facts)
            if found is not None and not found.admitted:
                self.leave.add(each.url, _named(found))
            else:
                self._staying.append(self._key(each.address))
        elif each.outcome == OutcomeKind.EXCLUDED and each.status in LEFT_OUT:
            self._count_found(each)
        elif each.outcome == OutcomeKind.EXCLUDED:
            self._count_entering(_Excluded(each.address, each.depth, each.reason))

    def _renames(self, each: _Known, known: Renamed) -> None:
        """Count a resource that gets another address: it is refetched there if that is admitted, or else leaves."""
        gates = self._source.gates
        ruling = gates.follow(known.address, each.depth)
        if not ruling.admitted:
            self._unvisited += self._visited_now(each)
        if not each.indexed:
            return
        found = gates.find(known.address, each.facts) if ruling.admitted else ruling
        if found is not None and not found.admitted:
            self.leave.add(each.url, _named(found))
            return
        self.renamed += 1
        self._targets.add(self._key(known.address))
        new = {"url": each.url, "to": known.address, "rule": known.rule}
        self._renaming += [new] if self.renamed <= self._shown else []

    def _key(self, address: str) -> int:
        return fingerprint(address, self._source.number)

    @property
    def merged(self) -> int:
        """Number of documents that are lost because they are renamed to the address of another one."""
        return self.renamed - len(self._targets) + sum(key in self._targets for key in self._staying)

    def _visited_now(self, each: _Known) -> bool:
        """Return whether the present gates admit the address of a resource."""
        return self._was is None or self._was.gates.follow(outermost(each.address), each.depth).admitted

    def judge_excluded(self, address: str, depth: int, rule: str) -> None:
        """Judge an address that a gate excluded at its discovery."""
        self.known += 1
        if self._source.gates.follow(address, depth).admitted:
            self._count_entering(_Excluded(address, depth, rule))

    def _count_entering(self, each: _Excluded) -> None:
        """Count an address that the new gates admit, unless the present ones admit it too."""
        now = self._was.gates.follow(outermost(each.address), each.depth) if self._was else None
        if now is None or not now.admitted:
            self.enter.add(each.address, _named(now) if now else each.rule)

    def _count_found(self, each: _Known) -> None:
        """Count a document that was read and left out of the index, and would now be indexed."""
        now = self._was.gates.find(outermost(each.address), each.facts) if self._was else None
        found = self._source.gates.find(outermost(each.address), each.facts)
        if found is None:
            self.found_again.unknown += 1
        elif found.admitted and (now is None or not now.admitted):
            self.found_again.add(each.url, each.reason)

    def record(self) -> EffectRecord:
        """The figures, by name."""
        leave, enter, again = self.leave, self.enter, self.found_again
        return {
            "leave": leave.rules.total(), "leaving": [each["url"] for each in leave.examples],
            "leave_rules": leave.by_rule(), "no_longer_visited": self._unvisited,
            "enter": enter.rules.total(), "entering": enter.examples, "enter_rules": enter.by_rule(),
            "rename": self.renamed, "renaming": self._renaming, "merge": self.merged,
            "found_again": again.rules.total(), "finding": again.examples, "found_rules": again.by_rule(),
        }  # fmt: skip


def _named(ruling: Ruling) -> str:
    return f"{ruling.gate}: {ruling.rule}"


def _is_of_range(rule: str) -> bool:
    """Return whether an exclude rule is of IP addresses; a pattern of files is no rule of these."""
    try:
        return parse_rule(rule).type == "ip"
    except BadRule:
        return False


def sentences(effect: SourcePreview) -> Iterator[str]:
    """Yield the effect of an edit as sentences for people; named addresses follow their sentence."""
    parts = (effect["leave"], _left), (effect["enter"], _entered), (effect["found_again"], _found)
    for count, sentences_of in parts:
        yield from sentences_of(effect) if count else ()
    if effect["rename"]:
        yield f"{effect['rename']} of {effect['documents']} documents would be known by another address:"
        for each in effect["renaming"]:
            yield f"  {each['url']} -> {each['to']}  ({each['rule']})"
    if effect["merge"]:
        yield f"{effect['merge']:,} of them would be the same as another, and would leave the index."
    for rule in effect["idle"]:
        yield f"The rule {rule!r} matches no known address. Check its spelling."
    yield from effect["doubts"]
    if any(_is_of_range(rule) for each in effect["changes"] if each["setting"] == "exclude" for rule in each["after"]):
        yield "The next crawl reports hosts whose names lead into an excluded ip: range."
    if effect["recrawl"] and effect["recrawl"]["requests"]:
        what, count = ", ".join(effect["recrawl"]["settings"]), effect["recrawl"]["requests"]
        which = f"all {count:,} remaining documents" if effect["leave"] else f"all {count:,} documents"
        yield f"Because {what} changed, the next crawl downloads {which} again."
    if effect["unjudged"]:
        what = ", ".join(effect["unjudged"])
        yield f"The effect of the change of {what} is known only after the next crawl."


def _left(effect: SourcePreview) -> Iterator[str]:
    yield f"{effect['leave']} of {effect['documents']} documents would leave the index:"
    yield from _by_rule(effect["leave_rules"], effect["leaving"])


def _entered(effect: SourcePreview) -> Iterator[str]:
    what = "address that is" if effect["enter"] == 1 else "addresses that are"
    yield f"{effect['enter']:,} {what} excluded now would be visited, with the pages that they link to:"
    yield from _by_rule(effect["enter_rules"], [each["url"] for each in effect["entering"]])


def _found(effect: SourcePreview) -> Iterator[str]:
    what = "document that is" if effect["found_again"] == 1 else "documents that are"
    yield f"{effect['found_again']:,} {what} visited and left out now would be found:"
    yield from _by_rule(effect["found_rules"], [each["url"] for each in effect["finding"]])


def _by_rule(rules: Sequence[RuleCount], examples: Sequence[str]) -> Iterator[str]:
    for each in rules:
        yield f"  {each['addresses']:,} by {each['rule']}"
    yield "For example:"
    for url in examples[:SHOWN]:
        yield f"  {url}"
