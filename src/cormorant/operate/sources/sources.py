"""Sources: add, list, show, edit, delete."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, cast
from unicodedata import category

from cormorant.base.clock import rfc3339, timestamp
from cormorant.base.errors import BadSetting, ConflictError, CormorantError, NotFoundError, Unreachable, UsageError
from cormorant.base.log import logger
from cormorant.frontier.staging import pending_deletes
from cormorant.model.acl import EVERYONE
from cormorant.model.settings.source import SourceSettings, laid_over, parse_settings
from cormorant.net.egress.policy import Consent
from cormorant.operate.checks import exposure, restricted
from cormorant.operate.installation import Installation
from cormorant.operate.records.record import SettingValues
from cormorant.operate.records.sources import ConsentRecord, ExposedFilesRecord, SourceRecord
from cormorant.operate.sources import delete as source_deletion, profile_merge, secrets, test_crawl
from cormorant.plugins import PluginUnusable, SourceKind, Tools, check_services, source_kind, source_settings
from cormorant.sources.files.places import read_by_url
from cormorant.store.catalog import egress_consents, receivers, sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs

Given = Mapping[str, str | Sequence[str] | object]

_log = logger(__name__)
LONGEST: Final = 100
"""Letters of a name."""
LOOK_S = 5.0
"""Seconds to wait for the place of a source: a disk answers at once, and a dead share never."""


def settings_of(kind: str, given: Given) -> SourceSettings:
    """Parse given settings by the kind's settings class, and build the source once, so that invalid rules fail now.

    Raises NotFoundError for an unknown kind, and BadSetting, BadRule or BadAddress for invalid settings.
    """
    found = source_kind(kind)
    settings = parse_settings(found.settings, given)
    found.make(0, settings, Tools(None, _NoClock()))
    check_services(settings.services)
    with suppress(Unreachable):
        _look(found, settings)
    return settings


def doubt(row: SourceRow) -> Unreachable | None:
    """Return the error that keeps a source from being crawled now, though its settings are valid. Asks no server."""
    kind = source_kind(row.kind)
    try:
        _look(kind, parse_settings(kind.settings, row.settings))
    except Unreachable as error:
        return Unreachable(f"{error.sentence} {_until_then(row)}")
    return None


def _until_then(row: SourceRow) -> str:
    """A sentence that a crawl of a source with such settings fails, with the command to change them."""
    edit = f"`cormorant source edit {shlex.quote(row.name)} --set ...` changes it."
    return f"Until then a crawl of {row.name!r} fails. {edit}"


def doubts(row: SourceRow) -> list[str]:
    """Return a sentence for each contradiction between settings of a source that are valid one by one."""
    try:
        kind = source_kind(row.kind)
        settings = parse_settings(kind.settings, row.settings)
    except (BadSetting, NotFoundError, PluginUnusable) as error:  # an older version or a removed package took it
        return [f"{error.sentence} {_until_then(row)}"]
    with suppress(CormorantError):
        return doubts_of(kind, settings)
    return []


def doubts_of(kind: SourceKind, settings: SourceSettings) -> list[str]:
    """Return the doubts about settings that are not stored yet. Raises the errors of a kind's `doubts`."""
    found = [*kind.doubts(settings), *_opened(settings), *_forgetting(settings), *_without_effect(kind, settings)]
    if EVERYONE not in settings.grants and settings.grants:
        found.append(
            f"Its documents are only for {', '.join(settings.grants)}: the search page, where no reader signs in, "
            "shows none of them."
        )
    return found


def _without_effect(kind: SourceKind, settings: SourceSettings) -> Iterator[str]:
    """Name the settings that were given and that the kind never uses."""
    given = sorted(settings.model_fields_set & settings.unused_names())
    if given:
        have, them = ("has", "it") if len(given) == 1 else ("have", "them")
        yield f"{' and '.join(given)} {have} no effect on a source of the kind {kind.name}: leave {them} out."


def _forgetting(settings: SourceSettings) -> Iterator[str]:
    """Name the costs of a source whose every crawl begins from scratch."""
    if not settings.forgets:
        return
    yield (
        "With refresh=scratch each crawl fetches and delivers everything again, and documents that it does not find "
        "leave, unless the run is held; refresh=all also visits everything, but with conditional requests."
    )
    limits = [name for name in ("max_documents", "max_bytes", "max_minutes") if name in settings.model_fields_set]
    if limits:
        yield (
            f"With refresh=scratch and {' and '.join(limits)} each crawl begins at the start again and never gets "
            "beyond the limit."
        )


def _opened(settings: SourceSettings) -> Iterator[str]:
    """Warn that everyone may find the documents that were read with a login."""
    if settings.ways_in and EVERYONE in settings.grants:
        yield (
            "Warning: anyone who opens the search page can find everything that this source reads with its login "
            f"({', '.join(settings.ways_in)}). `--set grants=group:NAME` hides it from them; `cormorant serve "
            "--private` asks every reader for a token."
        )


def opened(house: Installation) -> list[str]:
    """Names of the sources whose documents were read with a login and may be found by everyone."""
    found = []
    for row in every(house):
        with suppress(CormorantError):
            if any(_opened(source_settings(row.kind, row.settings))):
                found.append(row.name)
    return found


def _look(kind: SourceKind, settings: SourceSettings) -> None:
    """Raise the errors of the kind's `look`, and Unreachable if it does not return, as on a dead share."""
    raised: list[CormorantError] = []
    ended = threading.Event()

    def look() -> None:
        try:
            kind.look(settings)
        except CormorantError as error:
            raised.append(error)
        finally:
            ended.set()

    threading.Thread(target=look, name="look", daemon=True).start()
    if not ended.wait(LOOK_S):
        raise Unreachable(f"Cormorant looked for {LOOK_S:g} seconds, and no server answered. Is the server running?")
    for error in raised:
        raise error


class _NoClock:
    """A clock for building a source, which needs no time."""

    def now(self) -> float:
        """Zero."""
        return 0.0

    def monotonic(self) -> float:
        """Zero."""
        return 0.0


def check_name(name: str, thing: str) -> None:
    """Raise UsageError for an invalid name of a source, receiver, schedule or set; `thing` names which of these.

    Only new names are checked; existing ones stay valid. Combining marks belong to letters in some scripts.
    """
    fits = all(each.isalnum() or each in "._-" or category(each).startswith("M") for each in name)
    if not fits or not name.strip(".") or name.startswith("-") or len(name) > LONGEST:
        raise UsageError(
            f"{name!r} cannot be the name of a {thing}: use letters, digits, dots, dashes and underscores, at most "
            f"{LONGEST} of them and no dash in front."
        )


def foreseen(house: Installation, kind: str, name: str, given: Given) -> exposure.Seen:
    """Count files that such a source would expose to everyone in search. Raises the errors of `add`."""
    check_name(name, "source")
    kind, given = _by_url(kind, given)
    with house.store.read() as tx:
        whole = profile_merge.beside(tx, kind, given)
    return _seen(kind, settings_of(kind, whole.values))


def _by_url(kind: str, given: Given) -> tuple[str, Given]:
    return read_by_url(given) if kind == "files" else (kind, given)


def _seen(kind: str, settings: SourceSettings) -> exposure.Seen:
    return exposure.look(source_kind(kind).make(0, settings, Tools(None, _NoClock()))) if settings.exposes else None


def add(house: Installation, kind: str, name: str, given: Given, seen: exposure.Seen = None) -> SourceRow:
    """Add a source. `seen` is the answer of `foreseen`, if that was asked before.

    A source of the kind `files` whose `url` is on a server gets the kind that reads that, like `sftp`. Raises
    ConflictError if the name is taken, UsageError for an invalid name, NotFoundError for an unknown secret or set.
    """
    check_name(name, "source")
    kind, given = _by_url(kind, given)
    with house.store.read() as tx:
        whole = profile_merge.beside(tx, kind, given)
    settings = settings_of(kind, whole.values)
    seen = (seen or _seen(kind, settings)) if settings.exposes else None
    with house.store.begin() as tx:
        profile_merge.check(tx, settings)
        secrets.check(tx, settings.secrets)
        number = sources.add(tx, kind, name, profile_merge.kept(settings, given, whole))
        row = sources.numbered(tx, number)
        exposure.keep(tx, number, seen)
    _trace(name, settings)
    if row is None:
        raise ConflictError(f"Another administrator deleted the source {name!r} at the same moment.")
    return row


def edit(house: Installation, name: str, given: Given, agreed: Mapping[str, int] | None = None) -> SourceRow:
    """Change settings of a source; others stay. An empty list or text resets one to its default.

    A run under way follows the settings in AT_ONCE, such as delays; other settings apply to the next run. `agreed` has
    the number of leaving documents by rule that a person has confirmed: the next run is not held for those. Raises the
    errors of `settings_of`, and ConflictError if the source was changed meanwhile and for the copy of a test.
    """
    row = named(house, name)
    test_crawl.refuse(row)
    wanted = edited(row, given)
    with house.store.read() as tx:
        whole = profile_merge.beside(tx, row.kind, wanted)
    settings = settings_of(row.kind, whole.values)  # may wait for a disk, so outside a transaction
    seen = _seen(row.kind, settings) if _shows_more(row, settings) else None
    with house.store.begin() as tx:
        see_unchanged(row, sources.named(tx, name))
        profile_merge.check(tx, settings)
        secrets.check(tx, settings.secrets)
        sources.edit(tx, row.id, profile_merge.kept(settings, wanted, whole), agreed)
        hurry(tx, row.id, settings)
        exposure.keep(tx, row.id, seen)
        changed = sources.named(tx, name)
    _trace(name, settings)
    return changed


def exposed(house: Installation, name: str) -> list[str]:
    """Sentences about files that a source shows to everyone though others may not read them. Raises NotFoundError."""
    with house.store.read() as tx:
        return [*exposure.sentences(name, exposure.of_source(tx, sources.named(tx, name)))]


def _shows_more(row: SourceRow, settings: SourceSettings) -> bool:
    """Return whether an edit may show everyone other files than before: another folder, rules or readers."""
    with suppress(CormorantError):
        before = source_settings(row.kind, row.settings)
        return settings.exposes and any(
            getattr(before, name) != getattr(settings, name) for name in (*settings.FORETOLD, *settings.JUDGED)
        )
    return settings.exposes


def see_unchanged(row: SourceRow, now: SourceRow | None) -> None:
    """Raise ConflictError if a source was edited or deleted since it was read."""
    if now is None or now.version != row.version:
        raise ConflictError(f"Another administrator changed the source {row.name!r} at the same moment. Try again.")


def _trace(name: str, settings: SourceSettings) -> None:
    """Log that robots.txt is to be ignored, so that the time of this decision is known."""
    if getattr(settings, "robots", "obey") == "ignore":
        _log.warning("robots_ignored", extra={"source": name})


def hurry(tx: Tx, number: int, settings: SourceSettings) -> None:
    """Apply those of these settings that take effect at once to the source's run under way."""
    values, at_once = settings.model_dump(mode="json", exclude_defaults=True), settings.AT_ONCE
    under_way = runs.unfinished(tx, number)
    if under_way is not None:
        kept = {name: value for name, value in under_way.settings.items() if name not in at_once}
        new = {name: value for name, value in values.items() if name in at_once}
        runs.change(tx, under_way.id, settings=json.dumps(kept | new))


def edited(row: SourceRow, given: Given) -> SettingValues:
    """The own settings of a source with these changes. Raises BadSetting for an unknown name."""
    return laid_over(source_kind(row.kind).settings, row.own, given)


def every(house: Installation) -> list[SourceRow]:
    """All sources by name."""
    with house.store.read() as tx:
        return sources.every(tx)


def named(house: Installation, name: str) -> SourceRow:
    """One source. Raises NotFoundError."""
    with house.store.read() as tx:
        return sources.named(tx, name)


def as_record(house: Installation, row: SourceRow, *, effective: bool = False) -> SourceRecord:
    """Return the record of `source show`: settings as given, or all of them with the origin of each value."""
    with house.store.read() as tx:
        hidden, exposed, last = restricted.closed(tx, row), exposure.of_source(tx, row), runs.every(tx, row.id, 1)
        whole = runs.last_whole(tx, row.id)
        record: SourceRecord = {
            "source": row.name, "kind": row.kind, "version": row.version, "created_at": timestamp(row.created_at),
            "settings": dict(row.own), "consent": _consent(tx, row),
            "doubts": [
                *doubts(row), *([hidden.sentence] if hidden else []), *exposure.sentences(row.name, exposed),
            ],
            "exposed_files": cast("ExposedFilesRecord", exposed.as_record()) if exposed is not None else None,
            "documents": pending_deletes.indexed_count(tx, row.id), "last_run": last[0].id if last else None,
            "all_looked_at": rfc3339(whole.started_at) if whole is not None else None,
        }  # fmt: skip
    if effective:
        values = source_settings(row.kind, row.settings).model_dump(mode="json")
        record["effective"] = {
            name: {"value": value, "from": profile_merge.origin(row, name)} for name, value in values.items()
        }
    return record


def _consent(tx: Tx, row: SourceRow) -> list[ConsentRecord]:
    """The class of the first address of each host that its settings name, to which an administrator consented.

    None if `network` withdraws the consent.
    """
    with suppress(CormorantError):
        settings = source_settings(row.kind, row.settings)
        named = Consent.of(getattr(settings, "named_hosts", ()), getattr(settings, "network", ())).named
        return [
            cast("ConsentRecord", each._asdict())
            for each in egress_consents.every(tx)
            if (each.host, each.port) in named
        ]
    return []


def delete(house: Installation, name: str) -> int:
    """Delete a source with its documents and places in schedules; receivers get events. Returns the documents removed.

    Raises ConflictError while a run of it is under way, or if a receiver belongs to it alone.
    """
    with house.store.begin() as tx:
        row = sources.named(tx, name)
        if runs.open_runs(tx, row.id):
            raise ConflictError(f"A run of {name!r} is under way. Stop it first, or wait until it ends.")
        bound = [each.name for each in receivers.of_source(tx, row.id) if each.source_id == row.id]
        if bound:
            verbs = ", ".join(f"`cormorant receiver delete {shlex.quote(each)}`" for each in bound)
            raise ConflictError(f"Some receivers belong to {name!r} alone. Delete them first: {verbs}.")
        if (copy := sources.copy_of(tx, row.id)) is not None:
            if runs.open_runs(tx, copy.id):
                raise ConflictError(f"A test of {name!r} is under way. Stop it first, or wait until it ends.")
            source_deletion.remove(tx, copy)
        return source_deletion.remove(tx, row)
