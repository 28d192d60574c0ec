"""Rows that a batch of visits writes to the database.

Pure: visits in, rows for every table out, before the transaction begins.

The table shows which outcome writes to which table; only this module decides that.

| outcome             | content    | cache | out-links       | stream                | visit row        | hidden |
|---------------------|------------|-------|-----------------|-----------------------|------------------|--------|
| Ok                  | written    | yes   | written         | new or changed        | yes              | leaves |
| Unchanged, 304      |            |       |                 | (access)              | on a new outcome | leaves |
| Unchanged, 200      | validators |       | if bytes differ | (access)              | on a new outcome | leaves |
| Excluded when read  | validators |       | written         | (access) when it ends | yes              | enters |
| Quarantined         | validators |       |                 | (access)              | yes              |        |
| leaves the index    |            |       |                 | (access) when it ends | yes              | enters |
| Failed, Held        |            |       |                 | (access)              | on a new outcome | leaves |

(access): when the access rights have changed. "when it ends": the deletion is delivered at the end of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from cormorant.base.profiling import Steps
from cormorant.crawl import url_rewriting
from cormorant.crawl.link_filter import FilteredLinks, Screened
from cormorant.crawl.url_rewriting import Rename
from cormorant.crawl.visit.visit import VisitResult
from cormorant.frontier.links import codec
from cormorant.frontier.policy.transition import RowUpdate
from cormorant.frontier.queue.workbench import HostState
from cormorant.frontier.sitemaps.registry import SitemapContent
from cormorant.frontier.state.canonical_target import CanonicalCopy, claimed
from cormorant.frontier.state.enqueue import NewUrl
from cormorant.frontier.state.host_facts import INSTALLATION, Fact
from cormorant.frontier.state.writes import ContentRow
from cormorant.model.acl import ACL
from cormorant.model.attribute import AttributeType, type_by_value
from cormorant.model.content import Content, Document, PageLink
from cormorant.model.member import MemberEntry
from cormorant.model.outcome import Excluded, Failed, Held, Moved, Ok, Outcome, OutcomeKind, Quarantined, Unchanged
from cormorant.model.resource import DiscoveredBy, Resource, Role
from cormorant.receivers.stream import Event, NewEvent
from cormorant.sources.protocol import Source
from cormorant.store.blobs.record import Frame, encode
from cormorant.store.journal import counters
from cormorant.store.journal.visits import Exclusion, VisitRow

MAX_TITLE = 500
MISLED = "The server had answered 304 although the page had changed: a hash audit found it."
ENTRY_BYTES = 500
"""Estimated size of a sitemap entry until it is settled, in bytes."""


class Visited(NamedTuple):
    """A visit with its row update and the size of the response body in bytes."""

    report: VisitResult
    fate: RowUpdate
    size: int = 0

    @property
    def resource(self) -> Resource:
        """The visited resource."""
        return self.report.task.resource


class ContainerMembers(NamedTuple):
    """A visited document with the documents that it now contains, and the key of its site."""

    resource: Resource
    site: str
    members: Sequence[MemberEntry]


class Packed(NamedTuple):
    """An encoded frame that has no place in the cache yet, with its visit, which ended Ok."""

    visited: Visited
    frame: bytes


@dataclass(slots=True)
class Batch:
    """Visits that are settled together, the size of their encoded frames and the number of received bytes.

    `containers` are visited documents with the members that they list now, `attributes` those of the documents.
    `partly` are visits to sitemaps of which this batch has a part, but not the last. `moved` are documents whose new
    address has not been delivered to receivers.
    """

    visited: list[Visited] = field(default_factory=list)
    partly: list[Visited] = field(default_factory=list)
    arrivals: list[NewUrl] = field(default_factory=list)
    exclusions: list[Exclusion] = field(default_factory=list)
    packed: list[Packed] = field(default_factory=list)
    links: dict[int, bytes] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    of_site: dict[int, list[NewUrl | Exclusion]] = field(default_factory=dict)
    sitemaps: list[SitemapContent] = field(default_factory=list)
    size_bytes: int = 0
    received: int = 0
    moved: set[int] = field(default_factory=set)
    containers: list[ContainerMembers] = field(default_factory=list)
    attributes: dict[str, AttributeType] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """Visits that wait to be settled."""
        return len(self.visited) + len(self.partly)

    @property
    def frames(self) -> list[tuple[int, bytes]]:
        """Encoded frames by resource, for the cache."""
        return [(each.visited.resource.id, each.frame) for each in self.packed]

    def without(self, lost: set[int]) -> Batch:
        """The batch without anything from visits to these sites. Compaction frees their frames in the cache."""
        kept = Batch(visited=[v for v in self.visited if v.resource.site not in lost], attributes=self.attributes)
        drop = {id(each) for site in lost for each in self.of_site.get(site, ())}
        kept.arrivals = [a for a in self.arrivals if id(a) not in drop]
        kept.exclusions = [e for e in self.exclusions if id(e) not in drop]
        kept.packed = [p for p in self.packed if p.visited.resource.site not in lost]
        ids = {v.resource.id for v in kept.visited}
        kept.links = {number: blob for number, blob in self.links.items() if number in ids}
        kept.containers = [each for each in self.containers if each.resource.site not in lost]
        kept.sitemaps = [each for each in self.sitemaps if each.resource.site not in lost]
        kept.facts = [f for f in self.facts if f.site not in lost]
        return kept


def links_to_follow(outcome: Outcome, rename: Rename) -> FilteredLinks:
    """The links of an outcome (with its addresses rewritten): those for the follow gate, and those marked nofollow."""
    if isinstance(outcome, Ok | Unchanged | Excluded):
        return FilteredLinks(outcome.follow, outcome.unfollowed)
    if isinstance(outcome, Moved):
        return FilteredLinks(url_rewriting.links((PageLink(outcome.target),), rename), how=DiscoveredBy.REDIRECT)
    return FilteredLinks()


def add(batch: Batch, source: Source, visited: Visited, found: Screened, steps: Steps) -> None:
    """Add a visit to the batch, and encode its document for the cache."""
    outcome, resource = visited.report.outcome, visited.resource
    light = lightened(visited)
    batch.visited.append(light)
    batch.received += visited.report.wire.received
    lead(batch, resource, found)
    wire, at = visited.report.wire, visited.report.at
    for scope, facts in ((resource.source, wire.learned), (INSTALLATION, wire.shared)):
        batch.facts += [Fact(resource.site, scope, name, value, at + seconds) for name, value, seconds in facts]
    if resource.role is not Role.DOCUMENT:
        fact = source.fact(outcome.content if isinstance(outcome, Ok) else outcome, resource.role)
        if fact:
            batch.facts.append(Fact(resource.site, INSTALLATION, fact[0], fact[1], at + fact[2]))
        return
    document = outcome.document if isinstance(outcome, Ok | Unchanged) else None
    if isinstance(outcome, Ok | Unchanged) and outcome.members is not None:
        site = visited.report.task.site.key
        batch.containers.append(ContainerMembers(resource, site, outcome.members))
    links = kept_links(outcome)
    if links is not None:
        with steps("links_pack"):
            batch.links[resource.id] = codec.pack(links)
    if isinstance(outcome, Ok) and document is not None:
        for name in document.attributes.keys() - batch.attributes.keys():
            batch.attributes[name] = type_by_value(name, document.attributes[name])
        with steps("zstd"):
            frame = encode(frame_of(document, outcome.content))
        batch.packed.append(Packed(light, frame))
        batch.size_bytes += len(frame)


def kept_links(outcome: Outcome) -> Sequence[PageLink] | None:
    """The links of a page to be stored, each marked follow or nofollow; None if no links were read."""
    if isinstance(outcome, Ok | Unchanged) and outcome.document is not None:
        return outcome.document.links if outcome.follow else codec.unfollowed(outcome.document.links)
    return outcome.follow if isinstance(outcome, Excluded) and outcome.content is not None else None


def lead(batch: Batch, resource: Resource, found: Screened) -> None:
    """Add the URLs that a visit discovered to the batch."""
    batch.arrivals += found.arrivals
    batch.exclusions += found.exclusions
    if found.arrivals or found.exclusions:
        batch.of_site.setdefault(resource.site, []).extend([*found.arrivals, *found.exclusions])
    if found.sitemap is not None:
        batch.sitemaps.append(found.sitemap)
        batch.size_bytes += ENTRY_BYTES * (len(found.arrivals) + len(found.exclusions) + len(found.sitemap.claims))


def lightened(visited: Visited) -> Visited:
    """The visit without its body, text and links, to free memory: the batch already has their rows."""
    report, outcome = visited.report, visited.report.outcome
    if not isinstance(outcome, Ok | Unchanged | Excluded | Quarantined) or outcome.content is None:
        return visited
    content = replace(outcome.content, body=b"", header_block=b"")
    if isinstance(outcome, Excluded):
        bare: Outcome = replace(outcome, content=content, follow=(), unfollowed=())
    elif isinstance(outcome, Quarantined):
        bare = replace(outcome, content=content)
    else:
        document = outcome.document and replace(outcome.document, text="", links=(), attributes={})
        bare = replace(outcome, content=content, document=document, follow=(), unfollowed=())
        if isinstance(bare, Ok) and bare.sitemap is not None:
            bare = replace(bare, sitemap=None)
    return Visited(report._replace(outcome=bare), visited.fate, visited.size or len(outcome.content.body))


def frame_of(document: Document, content: Content) -> Frame:
    """Return the frame of a document for the cache."""
    return Frame(
        url=document.url,
        access_url=document.access_url,
        mime=document.mime,
        status_line=content.status_line,
        header_block=content.header_block,
        body=content.body,
        text=document.text,
        title=document.title,
        language=document.language,
        charset=document.charset,
        modified_at=document.modified_at,
        attributes=document.attributes,
        truncated=document.truncated,
        charset_from=document.charset_from,
        language_from=document.language_from,
        links_dropped=document.links_dropped,
        given_title=content.title,
        given=content.attributes,
        withheld=document.withheld,
        services=document.services,
    )


def sites(batch: Batch) -> list[HostState]:
    """The sites of a batch, whose leases are to be renewed.

    If a lost site was leased again while the batch was gathered, the older lease counts: none of it is written.
    """
    visits = reversed([*batch.visited, *batch.partly])
    return list({v.resource.site: v.report.task.site for v in visits}.values())


@dataclass(slots=True)
class BatchRows:
    """Rows for every table a batch touches. Sequence numbers are filled in when the stream has assigned them.

    `copies` name another page as their canonical page, `originals` no longer do. `regranted` are documents whose
    access rights changed, `returned` are documents that were visited before and enter the index with other rights.
    `quiet`: contents get no events. `later`: new documents are delivered and counted when a person approves them.
    """

    fates: list[tuple[Resource, RowUpdate, float]] = field(default_factory=list)
    contents: list[ContentRow] = field(default_factory=list)
    validators: list[tuple[str, str, bytes, int]] = field(default_factory=list)
    judged: list[tuple[str, str, bool, int]] = field(default_factory=list)
    access: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int, bool, bytes]] = field(default_factory=list)
    entries: list[NewEvent] = field(default_factory=list)
    visits: list[VisitRow] = field(default_factory=list)
    hidden: list[tuple[int, int, int]] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    copies: list[CanonicalCopy] = field(default_factory=list)
    originals: list[int] = field(default_factory=list)
    regranted: set[int] = field(default_factory=set)
    returned: set[int] = field(default_factory=set)
    quiet: bool = False
    later: bool = False

    def numbered(self, first: int) -> list[ContentRow]:
        """Content rows with their sequence numbers: they are the first entries of the stream, in the same order."""
        if self.quiet:
            return self.contents
        return [row._replace(seq=first + n) for n, row in enumerate(self.contents)]

    def restricted(self, first: int) -> list[tuple[int, int, int, int]]:
        """Documents whose access rights changed: hidden until the index has processed the event."""
        events = enumerate(self.entries)
        return [(e.resource, e.source, e.run, first + n) for n, e in events if e.resource in self.regranted]


def rights(batch: Batch) -> Iterator[ACL]:
    """The access lists that the rows of a batch refer to."""
    for visited in batch.visited:
        outcome = visited.report.outcome
        if isinstance(outcome, Ok) and outcome.document is not None:
            yield outcome.document.acl
        elif (acl := _acl(outcome)) is not None:
            yield acl


def rows(batch: Batch, places: Sequence[tuple[int, int, int]], run: int, acl_number: Callable[[ACL], int]) -> BatchRows:
    """Make the rows of a batch."""
    made = BatchRows(links=[(number, run, False, blob) for number, blob in batch.links.items()])
    for packed, place in zip(batch.packed, places, strict=True):
        resource, row = packed.visited.resource, content_of(packed, place, acl_number)
        made.contents.append(row)
        there = Event.MOVED if resource.id in batch.moved else _event_of(packed.visited, row)
        made.entries.append(NewEvent(resource.source, resource.id, run, there if resource.indexed else Event.NEW))
        if resource.indexed and row.acl_id != resource.acl:
            made.regranted.add(resource.id)
        elif row.acl_id != resource.acl and resource.outcome != OutcomeKind.NONE:
            made.returned.add(resource.id)
    unread = batch.moved.difference(row.id for row in made.contents)
    for visited in batch.visited:
        made.fates.append((visited.resource, visited.fate, visited.report.at))
        if visited.resource.id in unread and visited.fate.kept:
            made.entries.append(NewEvent(visited.resource.source, visited.resource.id, run, Event.MOVED))
        _changes(made, visited, run, acl_number, moved=visited.resource.id in batch.moved)
    return made


def _event_of(visited: Visited, row: ContentRow) -> Event:
    """Return the event that receivers get for a document that was already indexed.

    A document that was refetched because its copy was lost, and is unchanged, gets an event for the index alone.
    """
    resource = visited.resource
    as_it_was = resource.renewed and row.acl_id == resource.acl and says_the_same(resource, visited.report.outcome)
    return Event.FOUND if as_it_was else Event.CHANGED


def content_of(packed: Packed, place: tuple[int, int, int], acl_number: Callable[[ACL], int]) -> ContentRow:
    """The content row of a document that was read; its frame lies at `place`."""
    resource, at, outcome = packed.visited.resource, packed.visited.report.at, packed.visited.report.outcome
    if not isinstance(outcome, Ok) or outcome.document is None:
        raise AssertionError("only what was read is packed")
    said, document = outcome.content, outcome.document
    return ContentRow(
        resource.id, resource.source, document.url, said.etag, said.modified, document.content_hash, document.text_hash,
        document.mime, document.language, document.title[:MAX_TITLE], document.size_bytes, document.modified_at, at, at,
        *place, acl_number(document.acl), indexed=True, seq=0,
    )  # fmt: skip


def _changes(made: BatchRows, visited: Visited, run: int, acl_number: Callable[[ACL], int], *, moved: bool) -> None:
    """Record the changes of one visit: journal row, hiding or showing, validators and access rights."""
    resource, fate, outcome = visited.resource, visited.fate, visited.report.outcome
    changed = _change(resource, outcome, fate)
    found = resource.indexed and resource.role is Role.DOCUMENT
    if resource.indexed and (not fate.kept or (resource.role is Role.SITEMAP and _good(fate.outcome))):
        made.hidden.append((resource.id, resource.source, run))
    elif found and not _good(resource.outcome):
        made.shown.append(resource.id)
    if found:
        changed = _refreshed(made, visited, run, acl_number) or changed
    claim = claimed(resource, outcome)
    if isinstance(claim, CanonicalCopy):
        made.copies.append(claim)
    elif claim is not None:
        made.originals.append(claim)
    judged = _judged(resource, outcome)
    if judged is not None:
        made.judged.append((*judged, bool(resource.acl), resource.id))
    changed = changed or ("address" if moved else "")
    if changed:
        document = outcome.document if isinstance(outcome, Ok | Unchanged) else None
        content_hash = document.content_hash if document else None
        why = MISLED if counters.was_misled(visited.report.wire, outcome) else fate.reason or None
        made.visits.append(
            VisitRow(
                resource.id, run, visited.report.at, int(fate.outcome), fate.status, visited.size, content_hash,
                changed, why,
            )
        )  # fmt: skip


def says_the_same(resource: Resource, outcome: Outcome) -> bool:
    """Return whether a document that was fetched and delivered again by force says the same as before."""
    document = outcome.document if isinstance(outcome, Ok) else None
    return resource.indexed and document is not None and document.text_hash == resource.before


def _judged(resource: Resource, outcome: Outcome) -> tuple[str, str] | None:
    """The validators of a version that was read and is no document, None to keep the stored validators.

    The source is to confirm this version, not an indexed version before it. Both are empty if the ruling is not
    lasting: the next response may lead to another ruling for the same version.
    """
    if isinstance(outcome, Ok) and resource.role is Role.SITEMAP:
        return outcome.content.etag, outcome.content.modified
    if not isinstance(outcome, Excluded | Quarantined):
        return None
    said = outcome.content
    if isinstance(outcome, Excluded) and not outcome.ruling.lasting:
        return None if said is None and resource.outcome == OutcomeKind.NONE else ("", "")
    return (said.etag, said.modified) if said and (said.etag or said.modified or resource.acl) else None


def _change(resource: Resource, outcome: Outcome, fate: RowUpdate) -> str:
    """Return the name of the change that the journal records for a visit, "" if nothing changed.

    A robots.txt is never a new document.
    """
    if fate.outcome is OutcomeKind.OK and resource.role is Role.DOCUMENT and not says_the_same(resource, outcome):
        return "content" if resource.indexed else "new"
    if isinstance(outcome, Ok) and outcome.content.lists:  # it was a document before
        return "outcome"
    same = (fate.outcome, fate.status) == (resource.outcome, resource.status)
    return "" if same or (_good(resource.outcome) and _good(fate.outcome)) else "outcome"


def _good(outcome: int) -> bool:
    return outcome in (OutcomeKind.OK, OutcomeKind.UNCHANGED)


def _is_unread(outcome: Outcome) -> bool:
    """Return whether the visit brought no content that could be judged."""
    if isinstance(outcome, Excluded | Quarantined):
        return outcome.content is None
    return not isinstance(outcome, Ok | Unchanged)


def _acl(outcome: Outcome) -> ACL | None:
    """The current access rights of a document that was not read again, None if the source did not report them."""
    if isinstance(outcome, Failed | Moved | Excluded | Quarantined | Held):
        return outcome.acl
    if not isinstance(outcome, Unchanged):
        return None
    if outcome.document is not None:
        return outcome.document.acl
    return outcome.content.acl if outcome.content is not None else None


def _refreshed(made: BatchRows, visited: Visited, run: int, acl_number: Callable[[ACL], int]) -> str:
    """Store validators and access rights of a visit that read no new text, if they differ from the stored ones."""
    resource, outcome = visited.resource, visited.report.outcome
    if not resource.content_hash and _is_unread(outcome):
        made.validators.append(("", "", b"", resource.id))  # the next visit must read it in any case, as before
    if isinstance(outcome, Unchanged) and outcome.content is not None:
        content = outcome.content
        content_hash = outcome.document.content_hash if outcome.document else resource.content_hash
        if (content.etag, content.modified, content_hash) != (resource.etag, resource.modified, resource.content_hash):
            made.validators.append((content.etag, content.modified, content_hash, resource.id))
    acl = _acl(outcome)
    number = acl_number(acl) if acl is not None else resource.acl
    if number == resource.acl:
        return ""
    made.access.append((number, resource.id))
    made.entries.append(NewEvent(resource.source, resource.id, run, Event.ACCESS))
    made.regranted.add(resource.id)
    return "access"
