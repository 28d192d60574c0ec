"""The suite for kinds of sources."""

from __future__ import annotations

import asyncio
from typing import ClassVar, get_args

from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import DiscoveredUrl, Resource, Role
from cormorant.model.ruling import Prerequisite
from cormorant.model.url import try_canonical
from cormorant.plugins import Discovery, Source

MOST = 20
"""Documents that are fetched."""
STRANGE = ("https://stranger.example/", "file:///etc/hostname", "http://127.0.0.1/")


def resource_of(found: DiscoveredUrl, source: Source) -> Resource:
    """Return the resource of a document that was not visited yet, for `fetch`."""
    return Resource(
        1,
        source.number,
        1,
        found.address,
        found.role,
        found.depth,
        0,
        0,
        0,
        "",
        "",
        found.validator,
        b"",
        b"",
        0,
        False,
    )


class SourceSuite:
    """Conformance suite of sources. A subclass gives `make`: a new source for the same place at each call.

    The place has a few documents, and does not change during a test.
    """

    fetches: ClassVar[bool] = True
    """Whether `make` gives a source that can fetch."""

    def make(self) -> Source:
        """Return a new source."""
        raise NotImplementedError

    def test_discovery_ends_and_names_each_document_once(self) -> None:
        """Ending without an exception proves that no document was left out."""
        addresses = [each.address for each in self._found(self.make())]
        assert addresses, "discover names nothing: have the place hold a few documents"
        assert len(set(addresses)) == len(addresses), "discover names a document twice"

    def test_addresses_are_canonical_and_have_a_site(self) -> None:
        """An address that is not canonical would be a new document the next time."""
        for each in self._found(self.make()):
            assert try_canonical(each.address) == each.address, f"{each.address!r} is not canonical"
            assert each.site, f"{each.address!r} has no site: `found` gives it one"

    def test_two_discoveries_name_the_same(self) -> None:
        """An unchanged document has the same address and the same version; a feed may name some of them again."""
        first = self.make()
        before = {each.address: each.validator for each in self._found(first)}
        again = self.make()
        is_feed = again.discovery is Discovery.FEED
        after = {each.address: each.validator for each in self._found(again, "" if is_feed else first.next_cursor)}
        assert after == before, "a place that has not changed is discovered otherwise the second time"
        behind = self._found(self.make(), first.next_cursor) if is_feed else []
        changed = [each.address for each in behind if before.get(each.address, "") != each.validator]
        assert not changed, f"a feed names {changed[:MOST]} as changed, and nothing has changed"

    def test_what_is_discovered_is_admitted(self) -> None:
        """A gate that refuses discovered addresses would exclude them from every crawl."""
        source = self.make()
        for each in self._found(source):
            ruling = source.gates.follow(each.address, each.depth)
            assert ruling.admitted, f"{each.address} is discovered and refused: {ruling.rule}"

    def test_what_belongs_to_others_is_refused(self) -> None:
        """Documents link to anywhere: a source that admits such links would fetch them."""
        source = self.make()
        for address in STRANGE:
            ruling = source.gates.follow(address, 1)
            assert not ruling.admitted, f"{address} is none of its documents, and is admitted"
            assert ruling.rule, "a ruling names the rule that decided"

    def test_gates_say_the_same_each_time(self) -> None:
        """Rulings are pure."""
        source, other = self.make(), self.make()
        for address in (*STRANGE, *(each.address for each in self._found(source))):
            assert source.gates.follow(address, 0) == other.gates.follow(address, 0), address
            assert source.gates.rulings(address, 0), "rulings tells of at least one gate"

    def test_documents_are_fetched(self) -> None:
        """A visit returns content, or an outcome; the content has a canonical address."""
        if not self.fetches:
            return
        source = self.make()
        got = [self._fetched(source, each) for each in self._found(source)[:MOST]]
        assert any(isinstance(each, Content) for each in got), f"nothing could be fetched: {got[0]}"
        for each in got:
            if isinstance(each, Content):
                assert isinstance(each.body, bytes)
                assert try_canonical(each.address) == each.address

    def test_what_is_not_there_is_an_outcome(self) -> None:
        """A document that is gone since discovery is neither an exception nor an empty document."""
        if not self.fetches:
            return
        source = self.make()
        first = self._found(source)[0]
        got = self._fetched(source, first._replace(address=f"{first.address}-that-is-not-there", validator=""))
        assert isinstance(got, get_args(Outcome)), f"a document that is not there is {type(got).__name__}, no outcome"

    def test_addresses_can_be_shown_and_paced(self) -> None:
        """Every address has a unique display address, and every site a pace."""
        source = self.make()
        shown = [source.display(each.address) for each in self._found(source)]
        assert len(set(shown)) == len(shown), "two documents are shown as one address"
        for each in self._found(source):
            assert source.pace(each.site, {}).parallel >= 1

    def test_it_can_be_closed_twice(self) -> None:
        """A source may be closed again."""

        async def twice() -> None:
            source = self.make()
            await source.close()
            await source.close()

        asyncio.run(twice())

    def test_settings_are_described(self) -> None:
        """The reference, the form and `source kinds` show the descriptions."""
        bare = [name for name, field in type(self.make().settings).model_fields.items() if not field.description]
        assert not bare, f"settings without a description: {', '.join(bare)}"

    @staticmethod
    def _found(source: Source, cursor: str = "") -> list[DiscoveredUrl]:
        batches = [each for batch in source.discover(cursor) for each in batch]
        return [each for each in batches if isinstance(each, DiscoveredUrl) and each.role is Role.DOCUMENT]

    @staticmethod
    def _fetched(source: Source, found: DiscoveredUrl) -> Content | Outcome:
        async def visit() -> Content | Outcome:
            try:
                resource = resource_of(found, source)
                ruling = source.gates.visit(resource, {})
                assert isinstance(ruling, Prerequisite) or ruling.rule, "a ruling names the rule that decided"
                return await source.fetch(resource, VisitTrace())
            finally:
                await source.close()

        return asyncio.run(visit())
