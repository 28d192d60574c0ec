"""Keyring: the keys that seal secrets.

The keys are in a file of the data folder, outside the database and its backups.

    DIR/secret.key   one key a line, mode 0600; the first seals, all open

Values are sealed by Fernet (AES-128-CBC with HMAC-SHA-256), so a changed value, or one of another key, does not open.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from cormorant.base.clock import random_token
from cormorant.base.durability import sync_folder
from cormorant.base.errors import SecretSealed

NAME = "secret.key"
_MODE = 0o600


class Vault:
    """Seals and opens with the keys of one data folder. Raises SecretSealed for a key file that cannot be used."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._keys: tuple[tuple[int, int], MultiFernet] | None = None

    @property
    def exists(self) -> bool:
        """Return whether a key exists."""
        return self.path.exists()

    @property
    def is_private(self) -> bool:
        """Return whether only its owner may read the key file."""
        return not stat.S_IMODE(self.path.stat().st_mode) & 0o077

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the keys for this block. A process that seals for the store holds them until it has committed.

        On a file system without locks nothing is held.
        """
        descriptor = os.open(self.path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def seal(self, data: bytes) -> bytes:
        """Seal by the newest key, which the first call creates."""
        if not self.exists:
            self._make(Fernet.generate_key() + b"\n")
        return self._opener().encrypt(data)

    def open(self, sealed: bytes) -> bytes | None:
        """Return the plain value if one of the keys sealed it, else None."""
        if not self.exists:
            return None
        try:
            return self._opener().decrypt(sealed)
        except InvalidToken:
            return None

    def add_key(self) -> None:
        """Create a new key that seals; earlier ones still open."""
        self._replace(Fernet.generate_key() + b"\n" + self._read())

    def keep_newest_key(self) -> None:
        """Delete all keys except the one that seals."""
        self._replace(self._read().split()[0] + b"\n")

    def _opener(self) -> MultiFernet:
        """Return the present keys of the file."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise self._unusable(error) from None
        mark = (found.st_ino, found.st_mtime_ns)
        if self._keys is None or self._keys[0] != mark:
            try:
                keys = [Fernet(each) for each in self._read().split()]
            except ValueError:
                keys = []
            if not keys:
                raise SecretSealed(f"{self.path} holds no key. Restore it from a backup of the data folder.")
            self._keys = mark, MultiFernet(keys)
        return self._keys[1]

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise self._unusable(error) from None

    def _unusable(self, error: OSError) -> SecretSealed:
        return SecretSealed(f"The key of the secrets, {self.path}, cannot be read: {error.strerror}.")

    def _make(self, text: bytes) -> None:
        """Create the key file, unless another process has just done so."""
        draft = self._draft(text)
        try:
            os.link(draft, self.path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        sync_folder(self.path.parent)  # a value sealed by it may be durable elsewhere, in a database server

    def _replace(self, text: bytes) -> None:
        self._draft(text).replace(self.path)
        sync_folder(self.path.parent)

    def _draft(self, text: bytes) -> Path:
        draft = self.path.with_name(f"{NAME}.{random_token(8)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        return draft
