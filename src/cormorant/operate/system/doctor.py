"""Doctor: what is installed, what works here, what is wrong and how to fix it."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from cormorant.base.clock import Clock, SystemClock
from cormorant.base.errors import CacheDamaged, CormorantError, DataFolderError, IndexDamaged
from cormorant.extract.ocr.engine_interface import EngineMissing
from cormorant.extract.ocr.engines import load_engine
from cormorant.net.egress.resolver import Resolver, Unresolved
from cormorant.operate.checks import seeds
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.search import index_consistency
from cormorant.operate.sources import secrets
from cormorant.operate.storage import check
from cormorant.operate.storage.check import Finding
from cormorant.operate.system import host_checks
from cormorant.plugins import added
from cormorant.search.index.tantivy.schema import LAYOUT
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.catalog import sources
from cormorant.store.catalog.keyring import Vault
from cormorant.store.db import drivers, heartbeats
from cormorant.store.schema import SCHEMA_VERSION

MOST_NAMES = 10
"""Hosts of start addresses that are looked up: enough to see whether names resolve at all."""


def examine(
    folder: Path, cache: Path, house: Installation | None, trouble: CormorantError | None, more: Sequence[Finding] = ()
) -> list[Finding]:
    """Look at everything.

    Kept copies are in `cache`. `trouble` is why the installation could not be opened, when there is one and it could
    not. `more` was found by whoever knows which processes and ports there are.
    """
    clock: Clock = house.clock if house is not None else SystemClock()
    file_store = house is None or house.store.sqlite
    found = [
        *host_checks.versions(),
        *host_checks.folders(folder, cache, file_store=file_store),
        *host_checks.limits(clock),
        *plugged_in(),
    ]
    if trouble is not None:
        found.append(Finding("data folder", ok=False, said=trouble.sentence, mend="See the sentence to the left."))
    elif house is None:
        found.append(Finding("data folder", None, f"nothing in {folder} yet", "`cormorant quickstart` makes it."))
    else:
        found += [Finding("data folder", ok=True, said=str(folder)), _store(house), _index(house), _copies(house)]
        found += [*_receivers(house), *_secrets(house), *_names(house), *_engines(house), *_read_again(house)]
    return [*found, *more]


def plugged_in() -> Iterator[Finding]:
    """Look at what installed packages add: all of it is loaded."""
    usable = []
    for entry, error in added():
        if error is None:
            usable.append(f"{entry.name} ({entry.package})")
        else:
            mend = "Mend or uninstall the package; until then everything works but what it would add."
            yield Finding(f"plug-in {entry.name}", ok=False, said=error.sentence, mend=mend)
    if usable:
        yield Finding("plug-ins", ok=True, said=", ".join(usable))


def _engines(house: Installation) -> Iterator[Finding]:
    """Look whether the engines are installed that sources have text in pictures recognised with."""
    with house.store.read() as tx:
        wanted = {str(row.settings.get("ocr", "off")) for row in sources.every(tx)} - {"off"}
    for name in sorted(wanted):
        try:
            load_engine(name)
        except EngineMissing as error:
            yield Finding(f"ocr {name}", ok=False, said="It is not installed.", mend=str(error))
        else:
            yield Finding(f"ocr {name}", ok=True, said="It is installed.")


def _read_again(house: Installation) -> Iterator[Finding]:
    """Count the documents that wait to be read again, since their copy was lost or their reader is newer."""
    with house.store.read() as tx:
        waiting = len(check.awaited(tx))
    if waiting:
        said = f"{waiting:,} documents: their copy was lost, or the reader of their format is newer than their text."
        yield Finding("documents to be read again", None, said, "The next crawl of their sources reads them.")


def _store(house: Installation) -> Finding:
    """Check that the database answers and has the current schema."""
    try:
        with house.store.read() as tx:
            version = tx.driver("SELECT sqlite_version()" if tx.sqlite else "SELECT version()").scalar_one()
    except CormorantError as error:
        return Finding(
            "database", ok=False, said=error.sentence, mend="Check CORMORANT_STORE, and that the server runs."
        )
    kind = "SQLite" if house.store.sqlite else ""
    said = f"{kind} {version} at {drivers.mask(house.store.url)}, schema {SCHEMA_VERSION}".strip()
    return Finding("database", ok=True, said=said)


def _index(house: Installation) -> Finding:
    """Check that the index can be read and is made of these rows."""
    if not house.searchable:
        return Finding("index", None, "this installation runs without one", "CORMORANT_INDEX=embedded makes one.")
    try:
        if (trouble := index_consistency.trouble(house)) is not None:
            raise trouble
        figures = house.index_reader().stats()
    except IndexDamaged as error:
        return Finding("index", ok=False, said=error.sentence, mend="`cormorant index rebuild` makes it anew.")
    said = f"{figures.documents:,} documents, {figures.size_bytes / 1e6:.1f} MB, layout {LAYOUT}"
    return Finding("index", ok=True, said=said)


def _copies(house: Installation) -> Finding:
    """Check that kept copies can be read. The newest is; `cache check` reads them all."""
    with house.store.read() as tx:
        newest = check.newest_copy(tx)
    if newest is None:
        return Finding("kept copies", ok=True, said="none yet")
    try:
        packs = _read(house, newest)
    except CacheDamaged as error:
        mend = "`cormorant cache check` names the damage, `cormorant crawl --force` fetches those documents again."
        return Finding("kept copies", ok=False, said=error.sentence, mend=mend)
    except DataFolderError as error:
        return Finding("kept copies", ok=False, said=error.sentence, mend="Check the disk.")
    return Finding("kept copies", ok=True, said=f"{sum(packs) / 1e6:.1f} MB, and the newest can be read")


def _read(house: Installation, place: BlobPlace) -> list[int]:
    """Read one copy; the sizes of what holds them."""
    cache = house.cache()
    try:
        cache.read(place)
        return cache.sizes()
    finally:
        cache.close()


def _receivers(house: Installation) -> Iterator[Finding]:
    """Receivers that refuse what they are given."""
    for each in receivers.listed(house):
        if each["error"]:
            name = each["receiver"]
            yield Finding(f"receiver {name}", ok=False, said=each["error"], mend="The next crawl tries it again.")


def _secrets(house: Installation) -> Iterator[Finding]:
    """Check that the key of the secrets is present, private, and opens them."""
    vault, rows = Vault(house.folder), secrets.listed(house)
    if vault.exists and not vault.is_private:
        mend = f"Close it to others: chmod 600 {shlex.quote(str(vault.path))}"
        yield Finding("key of secrets", ok=False, said=f"{vault.path} can be read by others", mend=mend)
    closed = [each["secret"] for each in rows if not each["opens"]]
    if closed:
        said = f"{vault.path} {('does not open' if vault.exists else 'is missing, so closed are')} {', '.join(closed)}"
        yield Finding("secrets", ok=False, said=said, mend="Restore the key from a backup, or enter them again.")
    elif rows:
        yield Finding("secrets", ok=True, said=f"{len(rows):,}, sealed by {vault.path}")


def _names(house: Installation) -> Iterator[Finding]:
    """Check that the hosts of start addresses resolve. Without a source nobody knows which names matter."""
    hosts = sorted({host for address in _addresses(house) if (host := urlsplit(address).hostname)})[:MOST_NAMES]
    if not hosts:
        return
    answers = asyncio.run(_resolved(hosts, house.clock))
    lost = [f"{host} ({answer.reason})" for host, answer in answers.items() if isinstance(answer, Unresolved)]
    if not lost:
        yield Finding("names", ok=True, said=f"{', '.join(hosts)}")
        return
    mend = "Check those start addresses, and the name servers: getent hosts NAME; cat /etc/resolv.conf"
    yield Finding("names", None, f"{len(lost)} of {len(hosts)} do not resolve: {', '.join(lost)}", mend)


def _addresses(house: Installation) -> Iterator[str]:
    with house.store.read() as tx:
        rows = sources.every(tx)
    for row in rows:
        try:
            yield from seeds.named(house.source(row)) or ()
        except CormorantError:
            continue  # `start` names settings that make no source


async def _resolved(hosts: Sequence[str], clock: Clock) -> dict[str, tuple[str, ...] | Unresolved]:
    resolver = Resolver(clock)
    try:
        known = await asyncio.gather(*map(resolver.resolve, hosts))
    finally:
        await resolver.close()
    return {host: each.answer for host, each in zip(hosts, known, strict=True)}


def at_work(house: Installation, resting: str | None) -> Finding:
    """Report which processes are at work.

    `resting` is the node of this folder when no process owns it, None when one does.
    """
    with house.store.read() as tx:
        now = tx.now()
        alive = [each for each in heartbeats.alive(tx) if each.name.rpartition("@")[2] != resting]
    said = ", ".join(f"{each.name} on {each.node} ({now - each.seen_at:.0f} s ago)" for each in alive)
    if resting is not None:
        return Finding(
            "processes", ok=True, said=f"no process works on this folder{(f'; others: {said}' if said else '')}"
        )
    if alive:
        return Finding("processes", ok=True, said=said)
    mend = (
        f"A process that starts reports within {heartbeats.ALIVE_S:.0f} s. If this stays, read logs/, and restart it."
    )
    return Finding("processes", None, "something owns this folder, and no retriever reports that it runs", mend)
