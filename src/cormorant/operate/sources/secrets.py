"""Secrets: add, list, edit, delete, rotate their key, and open them for sources."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping

from cormorant.base.clock import rfc3339
from cormorant.base.errors import ConflictError, CormorantError, SecretSealed, UsageError
from cormorant.base.secret_masking import hide
from cormorant.model.settings.secret_name import NAME, SECRET
from cormorant.operate.installation import Installation
from cormorant.operate.records.system import SecretRecord
from cormorant.plugins import receiver_settings, source_settings
from cormorant.store.catalog import receivers, secrets, sources
from cormorant.store.catalog.keyring import Vault
from cormorant.store.catalog.receivers import ReceiverRow
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx

MOST_BYTES = 100_000
"""Bytes of one value; a chain of certificates with its key has a tenth of that."""


def add(house: Installation, name: str, value: str) -> SecretRecord:
    """Store a secret. Raises ConflictError if the name is taken, UsageError for an invalid name or value."""
    if NAME.fullmatch(name) is None:
        raise UsageError(f"{name!r} cannot be the name of a secret: use letters, digits, dots, dashes and underscores.")
    vault = Vault(house.folder)
    with vault.held():
        sealed = _sealed(vault, name, value)
        with house.store.begin() as tx:
            secrets.add(tx, name, sealed)
    return shown(house, name)


def edit(house: Installation, name: str, value: str) -> SecretRecord:
    """Replace the value of a secret; the next run uses it. Raises NotFoundError and the errors of `add`."""
    with house.store.read() as tx:
        secrets.named(tx, name)
    vault = Vault(house.folder)
    with vault.held():
        sealed = _sealed(vault, name, value)
        with house.store.begin() as tx:
            secrets.edit(tx, name, sealed)
    return shown(house, name)


def _sealed(vault: Vault, name: str, value: str) -> bytes:
    if not value or len(value.encode()) > MOST_BYTES or "\0" in value:
        raise UsageError(f"The value of {name!r} is empty, longer than {MOST_BYTES:,} bytes, or not text.")
    hide(value)
    return vault.seal(value.encode())


def listed(house: Installation) -> list[SecretRecord]:
    """All secrets with the sources and receivers that use them; never a value."""
    with house.store.read() as tx:
        rows, owners = secrets.every(tx), _owners(tx)
    vault = Vault(house.folder)
    return [
        {
            "secret": row.name, "used_by": _users(owners, row.name), "opens": _opens(vault, row.sealed),
            "created_at": rfc3339(row.created_at), "changed_at": rfc3339(row.changed_at),
        }
        for row in rows
    ]  # fmt: skip


def shown(house: Installation, name: str) -> SecretRecord:
    """One secret. Raises NotFoundError."""
    with house.store.read() as tx:
        secrets.named(tx, name)
    return next(each for each in listed(house) if each["secret"] == name)


def delete(house: Installation, name: str) -> None:
    """Delete a secret. Raises NotFoundError, and ConflictError while a source or receiver uses it."""
    with house.store.begin() as tx:
        secrets.named(tx, name)
        users = [each for each in _owners(tx) if name in _needs(each)]
        if users:
            verb = "receiver" if isinstance(users[0], ReceiverRow) else "source"
            names = ", ".join(each.name for each in users)
            edits = f"`cormorant {verb} edit {shlex.quote(users[0].name)} --set ...`"
            raise ConflictError(f"The secret {name!r} is used by {names}. Change that first: {edits}.")
        secrets.delete(tx, name)


def rotate(house: Installation) -> int:
    """Seal all secrets with a new key and delete the old one; returns the number of secrets.

    Raises SecretSealed, and changes nothing, if one cannot be opened. If the process is killed, both keys stay in the
    file. Stored cookies of sites can no longer be opened.
    """
    vault = Vault(house.folder)
    with vault.held():
        return _rotated(house, vault)


def _rotated(house: Installation, vault: Vault) -> int:
    with house.store.read() as tx:
        rows = secrets.every(tx)
    if not rows and not vault.exists:
        return 0
    for row in rows:
        _opened(vault, row)
    vault.add_key()
    with house.store.begin() as tx:
        rows = secrets.every(tx)
        for row in rows:
            secrets.edit(tx, row.name, vault.seal(_opened(vault, row)), touch=False)
    vault.keep_newest_key()
    return len(rows)


def check(tx: Tx, names: Iterable[str]) -> None:
    """Raise NotFoundError for the first of these secrets that does not exist."""
    for name in sorted(names):
        secrets.named(tx, name)


class Opened:
    """The secrets of an installation for its sources. Every revealed value is masked in logs from then on."""

    def __init__(self, house: Installation) -> None:
        self._store, self._vault = house.store, Vault(house.folder)

    def reveal(self, name: str) -> str:
        """The value of a secret. Raises NotFoundError, and SecretSealed if it cannot be opened."""
        with self._store.read() as tx:
            row = secrets.named(tx, name)
        value = _opened(self._vault, row).decode()
        hide(value)
        return value

    def seal(self, data: bytes) -> bytes:
        """Seal bytes that are no administrator's secret, with the present key."""
        return self._vault.seal(data)

    def unseal(self, data: bytes) -> bytes | None:
        """Return the plain value of a sealed secret, None if it cannot be opened."""
        try:
            return self._vault.open(data)
        except SecretSealed:
            return None


def _opened(vault: Vault, row: secrets.SecretRow) -> bytes:
    value = vault.open(row.sealed)
    if value is None:
        why = f"was sealed by another key than {vault.path}" if vault.exists else f"needs its key, {vault.path}"
        raise SecretSealed(
            f"The secret {row.name!r} {why}. Restore that file from a backup of the data folder, or enter the secret "
            f"again: cormorant secret edit {row.name}."
        )
    return value


def _opens(vault: Vault, sealed: bytes) -> bool:
    try:
        return vault.open(sealed) is not None
    except SecretSealed:
        return False


def _owners(tx: Tx) -> list[SourceRow | ReceiverRow]:
    """Return all owners that may use secrets: sources, and receivers other than the index."""
    return [*sources.every(tx), *(row for row in receivers.every(tx) if row.kind != receivers.INDEX)]


def _users(owners: Iterable[SourceRow | ReceiverRow], name: str) -> list[str]:
    return [each.name for each in owners if name in _needs(each)]


def _needs(owner: SourceRow | ReceiverRow) -> frozenset[str]:
    """The secrets of an owner; if its settings are no longer valid, those that seem to be named in them."""
    try:
        read = receiver_settings if isinstance(owner, ReceiverRow) else source_settings
        return read(owner.kind, owner.settings).secrets
    except CormorantError:
        return frozenset(name for word in _words(owner.settings) if (name := word.partition(SECRET)[2]))


def _words(value: object) -> Iterator[str]:
    """The words of all texts in settings, however deep."""
    if isinstance(value, str):
        yield from value.split()
    elif isinstance(value, Mapping):
        yield from (word for each in value.values() for word in _words(each))
    elif isinstance(value, list | tuple):
        yield from (word for each in value for word in _words(each))
