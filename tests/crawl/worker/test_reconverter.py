"""Documents whose reader is newer than their text are read from their kept copies, beside the visits of a retriever."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from cormorant.base.errors import ConflictError
from cormorant.base.profiling import unmeasured
from cormorant.crawl.resource_guard import DiskGuard
from cormorant.crawl.visit.containers import Containers
from cormorant.crawl.visit.convert import Converter
from cormorant.crawl.worker.reconverter import PUT_OFF_S, Reconverter, ReconverterConfig
from cormorant.frontier.links import codec
from cormorant.frontier.queue import outdated_texts
from cormorant.frontier.state import refetch, writes
from cormorant.model.acl import PUBLIC
from cormorant.model.content import PageLink
from cormorant.model.run import Refresh
from cormorant.receivers import stream
from cormorant.receivers.stream import Event
from cormorant.sandbox.client import ChildPool
from cormorant.sources.protocol import Source
from cormorant.store.blobs.local import LocalCache
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.blobs.record import encode
from cormorant.store.catalog import readers, receivers, sources
from cormorant.store.catalog.acls import AclLookup, ACLNumbers
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from cormorant.store.schema import content, outlinks, resource
from tests.clocks import Hands
from tests.crawl.samples import web_source
from tests.frontier.samples import a_content, admitted, numbers, pages
from tests.store.blobs.pages import MOMENT, page

OWNER = "retriever-1@here"
HTML = {"text/html": "1"}
COUNT = 3


class World:
    """A source of three pages whose kept copies say more than their texts, and a retriever."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.hands = store, Hands(MOMENT)
        self.cache = LocalCache(folder, self.hands)
        self.versions: Mapping[str, str] = {"text/html": "2"}
        self.fails = False
        with store.begin() as tx:
            self.source = sources.add(tx, "web", "docs", {})
            receivers.add(tx, "index", "index", None, {}, 0)
            self.acl = ACLNumbers().of(tx, PUBLIC)
            heartbeats.say(tx, OWNER, "retriever", 0.0)
            readers.replace(tx, HTML)
        admitted(store, *pages(COUNT), source=self.source)
        with store.begin() as tx:
            self.known = sorted(numbers(tx).values())
        for number in self.known:
            self.keep(number, "<title>Plover</title><p>Words that are in it.")
        self.reconverter = self.begun()

    def keep(self, number: int, body: str, header: bytes = b"") -> None:
        """Have a document with this kept copy, and the text of an older reader."""
        frame = replace(page(number), body=body.encode(), header_block=header)
        (place,) = self.cache.keep([(number, encode(frame))])
        row = a_content(number, self.source)._replace(title="Older", acl_id=self.acl, fetched_at=5.0, changed_at=5.0)
        with self.store.begin() as tx:
            writes.contents(tx, [row._replace(pack=place.pack, pack_offset=place.offset, pack_length=place.length)])
            tx.execute(sa.update(resource).where(resource.c.id == number).values(outcome=1, status=200, reason="old"))

    def begun(self, owner: str = OWNER) -> Reconverter:
        rights = AclLookup(self.store)
        reader = Converter(
            ChildPool({}), unmeasured, rights=rights, containers=Containers(self.store, self.cache, rights)
        )
        room = DiskGuard([], self.hands.monotonic)
        return Reconverter(
            ReconverterConfig(
                owner, self.store, self.cache, self.hands, reader, room, self._build, lambda: self.versions
            )
        )

    def _build(self, row: SourceRow) -> Source:
        if self.fails:
            raise ConflictError("Its settings make none.")
        source = web_source()
        source.number = row.id
        return source

    def step(self) -> bool:
        return asyncio.run(self.reconverter.step())

    def waiting(self) -> int:
        with self.store.read() as tx:
            return outdated_texts.counts(tx).get(self.source, 0)

    def titles(self) -> list[str]:
        with self.store.read() as tx:
            return [row.title for row in tx.rows(sa.select(content.c.title).order_by(content.c.id))]

    def events(self) -> list[tuple[int, Event]]:
        with self.store.read() as tx:
            return [(each.resource, each.event) for each in stream.after(tx, 0, 100, None, receivers.index(tx))]

    def awaited(self) -> set[int]:
        with self.store.read() as tx:
            return refetch.awaited(tx, self.known)


@pytest.fixture
def world(store: Store, tmp_path: Path) -> World:
    return World(store, tmp_path)


def test_another_version_of_a_reader_has_its_documents_read_again(world: World) -> None:
    assert world.step()
    assert world.titles() == ["Plover"] * COUNT
    assert world.events() == [(number, Event.CHANGED) for number in world.known]
    assert (world.waiting(), world.awaited()) == (0, set())
    with world.store.read() as tx:
        assert readers.versions(tx) == {"text/html": "2"}
        rows = tx.rows(sa.select(content).order_by(content.c.id))
        frames = [world.cache.read(BlobPlace(row.pack, row.pack_offset, row.pack_length)) for row in rows]
        assert [row.seq for row in rows] == [1, 2, 3]
        reasons = {row.reason for row in tx.rows(sa.select(resource.c.reason))}
    assert [frame.text for frame in frames] == ["Words that are in it."] * COUNT
    assert {row.fetched_at for row in rows} == {5.0}, "it was not fetched"
    assert {row.content_hash for row in rows} == {b"c" * 32}
    assert all(row.changed_at > 5.0 for row in rows)
    assert reasons == {None}, "an older remark is no longer true"
    assert not world.step()
    world.reconverter = world.begun()
    assert not world.step(), "the versions are those of the newest start"


def test_an_unchanged_text_is_delivered_to_the_index_alone(world: World) -> None:
    world.step()
    with world.store.begin() as tx:
        refetch.outdate(tx, ["text/html"], 0, 100)
        before = {row.id: row.changed_at for row in tx.rows(sa.select(content))}
    assert world.step()
    with world.store.read() as tx:
        assert {row.id: row.changed_at for row in tx.rows(sa.select(content))} == before
        index = receivers.index(tx)
        assert [each.event for each in stream.after(tx, COUNT, 100, None, index)] == [Event.FOUND] * COUNT
        assert stream.after(tx, COUNT, 100, None, 99) == []


def test_one_that_leads_elsewhere_is_also_for_the_next_crawl(world: World) -> None:
    world.keep(world.known[0], '<title>Plover</title><p>Words <a href="/9">nine</a>')
    world.keep(world.known[1], '<title>Plover</title><p>Words <a href="/9">nine</a>')
    with world.store.begin() as tx:
        links = codec.pack([PageLink("https://a.example/9", "nine")])
        writes.links(tx, [(world.known[1], 1, False, links)])
    world.step()
    assert world.titles() == ["Plover"] * COUNT
    assert world.awaited() == {world.known[0]}
    assert world.waiting() == 0
    with world.store.read() as tx:
        assert [row.id for row in tx.rows(sa.select(outlinks.c.id))] == [world.known[1]], "nothing became known"
        assert len(numbers(tx)) == COUNT


@pytest.mark.parametrize(
    ("body", "header"),
    [
        ("<title>Plover</title><p>Words", b"X-Robots-Tag: noindex\r\n"),
        ('<meta name="robots" content="noindex"><p>Words', b""),
        ("", b""),
        ('<link rel="canonical" href="https://a.example/2"><title>Plover</title><p>Words', b""),
        ('<meta http-equiv="refresh" content="0; url=/elsewhere"><p>Words', b""),
    ],
)
def test_what_a_crawl_has_to_judge_is_left_to_it(world: World, body: str, header: bytes) -> None:
    world.keep(world.known[0], body, header)
    world.step()
    assert world.titles() == ["Older", "Plover", "Plover"]
    assert world.awaited() == {world.known[0]}
    assert not world.step()
    assert [number for number, _ in world.events()] == world.known[1:]


def test_a_damaged_copy_is_left_to_the_next_crawl_and_one_out_of_sight_waits(world: World, tmp_path: Path) -> None:
    with world.store.begin() as tx:
        tx.execute(sa.update(content).where(content.c.id == world.known[0]).values(pack_length=20))
    world.step()
    assert world.awaited() == {world.known[0]}
    with world.store.begin() as tx:
        refetch.outdate(tx, ["text/html"], 0, 100)
        tx.execute(sa.update(content).where(content.c.id == world.known[1]).values(pack=77))
    assert not world.step()
    assert world.waiting() == 2, "its disk may come back"
    assert not world.step()
    world.hands.at += PUT_OFF_S + 1
    assert not world.step()
    assert world.waiting() == 2


def test_documents_without_known_rights_are_left_to_the_next_crawl(world: World) -> None:
    with world.store.begin() as tx:
        tx.execute(sa.update(content).where(content.c.id == world.known[0]).values(acl_id=77))
    world.step()
    assert world.titles() == ["Older", "Plover", "Plover"]
    assert world.awaited() == {world.known[0]}


def test_a_source_at_which_a_run_is_at_work_is_left_to_it(world: World) -> None:
    with world.store.begin() as tx:
        number = runs.request(tx, world.source, "{}", Refresh.ALL, force=False)
    assert not world.step()
    assert world.waiting() == COUNT
    with world.store.begin() as tx:
        assert runs.suspend(tx, number, "for the night")
    assert world.step()
    assert world.titles() == ["Plover"] * COUNT


def test_the_first_retriever_by_name_leads(world: World) -> None:
    world.reconverter = world.begun("retriever-2@here")
    assert not world.step()
    assert world.waiting() == 0, "nothing was marked either"
    with world.store.begin() as tx:
        heartbeats.leave(tx, OWNER)
        heartbeats.say(tx, "retriever-2@here", "retriever", 0.0)
    assert world.step()


def test_settings_that_make_no_source_leave_it_alone_for_a_while(world: World) -> None:
    world.fails = True
    assert not world.step()
    world.fails = False
    assert not world.step()
    assert world.waiting() == COUNT
    world.hands.at += PUT_OFF_S + 1
    assert world.step()


def test_a_type_that_gains_a_reader_has_documents_without_one_fetched(world: World) -> None:
    world.versions = HTML | {"text/x-ours": "ours 1.0"}
    with world.store.begin() as tx:
        tx.execute(sa.update(resource).values(validator="v", status=200))
        tx.execute(sa.update(resource).where(resource.c.id == world.known[0]).values(status=908))
        tx.execute(sa.update(resource).where(resource.c.id == world.known[1]).values(status=1001))
    assert not world.step()
    with world.store.read() as tx:
        found = dict(tx.rows(sa.select(resource.c.id, resource.c.validator)))
        assert readers.versions(tx) == world.versions
    assert [found[number] for number in world.known] == [None, "v", "v"]
    world.versions = world.versions | {"audio/*": "Apache Tika"}
    world.reconverter = world.begun()
    assert not world.step()
    with world.store.read() as tx:
        found = dict(tx.rows(sa.select(resource.c.id, resource.c.validator)))
    assert [found[number] for number in world.known] == [None, None, "v"], "sound is no document without Tika"
