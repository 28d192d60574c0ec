"""Names of accounts by their SIDs, as the Local Security Authority of the server knows them ([MS-LSAT] 3.1.4).

    lookup(): LsarOpenPolicy2 -> LsarLookupSids2, MAX_SIDS at a time -> LsarClose

The answer is NDR (C706 chapter 14). Every length and count of it is compared with the bytes that came.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Final, NamedTuple
from uuid import UUID

from cormorant.sources.smb.rpc_pipe import RpcInterface, RpcPipe

LSARPC: Final = RpcInterface("lsarpc", UUID("12345778-1234-abcd-ef00-0123456789ab"), 0)
MAX_SIDS: Final = 50
"""SIDs of one call: as many of the longest as one fragment has room for."""
_CLOSE, _OPEN_POLICY, _LOOKUP_SIDS = 0, 44, 57
_LOOKUP_NAMES: Final = 0x00000800
_SOME_NOT_MAPPED, _NONE_MAPPED = 0x00000107, 0xC0000073
_PRESENT: Final = 0x00020000
"""A referent: any number but 0 says that a pointer leads to something (C706 14.3.10)."""


class AccountType(IntEnum):
    """SID_NAME_USE ([MS-LSAT] 2.2.13)."""

    USER = 1
    GROUP = 2
    DOMAIN = 3
    ALIAS = 4
    WELL_KNOWN_GROUP = 5
    DELETED = 6
    INVALID = 7
    UNKNOWN = 8
    COMPUTER = 9
    LABEL = 10


class Account(NamedTuple):
    """The account that a SID stands for. `domain` is the name of a domain or of a machine, "" where there is none."""

    kind: AccountType
    domain: str
    name: str


class LsaRefusal(Exception):
    """The server does not look up SIDs for this user; `status` is of [MS-ERREF] 2.3."""

    def __init__(self, status: int) -> None:
        super().__init__(f"0x{status:08x}")
        self.status = status


def lookup(pipe: RpcPipe, sids: Sequence[str]) -> Mapping[str, Account]:
    """Return the accounts of these SIDs as far as the server knows them.

    Raises LsaRefusal, what `RpcPipe.call` raises, and ValueError and struct.error for an answer that cannot be read.
    """
    opened = pipe.call(_OPEN_POLICY, struct.pack("<8I", 0, 24, 0, 0, 0, 0, 0, _LOOKUP_NAMES))
    handle, status = struct.unpack("<20sI", opened)
    if status:
        raise LsaRefusal(status)
    found = dict[str, Account]()
    for start in range(0, len(sids), MAX_SIDS):
        asked = sids[start : start + MAX_SIDS]
        answer = accounts_of(pipe.call(_LOOKUP_SIDS, handle + _question(asked)))
        found |= {sid: each for sid, each in zip(asked, answer, strict=False) if each is not None}
    pipe.call(_CLOSE, handle)
    return found


def sid_bytes(text: str) -> bytes:
    """Return a SID as it is sent ([MS-DTYP] 2.4.2.2), from its text like S-1-5-32-544. Raises ValueError."""
    mark, revision, authority, *parts = text.split("-")
    if (mark, revision) != ("S", "1"):
        raise ValueError("not a SID")
    numbers = [int(each) for each in parts]
    head = struct.pack("<BB", 1, len(numbers)) + int(authority).to_bytes(6, "big")
    return head + struct.pack(f"<{len(numbers)}I", *numbers)


def accounts_of(answer: bytes) -> list[Account | None]:
    """Read the results of LsarLookupSids2 (3.1.4.10): an account for each SID in the order asked, None for no account.

    Raises LsaRefusal, ValueError and struct.error.
    """
    (status,) = struct.unpack_from("<I", answer, len(answer) - 4)
    if status not in (0, _SOME_NOT_MAPPED, _NONE_MAPPED):
        raise LsaRefusal(status)
    ndr = _NdrReader(answer[:-8])  # behind the names are their number and the status
    domains = list(_domains(ndr)) if ndr.number() else []
    count, present = ndr.number(), ndr.number()
    if not present:
        return [None] * min(count, MAX_SIDS)
    if count != ndr.number() or count > MAX_SIDS:
        raise ValueError("the answer names more accounts than were asked for")
    heads = [_NAME.unpack(ndr.take(_NAME.size)) for _ in range(count)]
    return [_account(kind, ndr.text(length) if there else "", domains, index) for kind, length, there, index in heads]


_NAME: Final = struct.Struct("<H2xH2xIi4x")
"""LSAPR_TRANSLATED_NAME_EX: kind, bytes of the name, its pointer, the index of the domain (2.2.21)."""
_DOMAIN: Final = struct.Struct("<H2xII")
"""LSAPR_TRUST_INFORMATION: bytes of the name, its pointer, the pointer of the SID (2.2.11)."""


def _domains(ndr: _NdrReader) -> Iterator[str]:
    count, present, _ = ndr.number(), ndr.number(), ndr.number()
    if not present:
        return
    if count != ndr.number() or count > MAX_SIDS:
        raise ValueError("the answer names more domains than SIDs were asked for")
    for length, name, sid in [_DOMAIN.unpack(ndr.take(_DOMAIN.size)) for _ in range(count)]:
        yield ndr.text(length) if name else ""
        if sid:
            ndr.take(8 + 4 * ndr.number())


def _account(kind: int, name: str, domains: Sequence[str], index: int) -> Account | None:
    domain = domains[index] if 0 <= index < len(domains) else ""
    try:
        return Account(AccountType(kind), domain, name)
    except ValueError:
        return None


def _question(sids: Sequence[str]) -> bytes:
    """Return the arguments of LsarLookupSids2 behind the handle."""
    count = len(sids)
    array = struct.pack(f"<III{count}I", count, _PRESENT, count, *range(_PRESENT + 4, _PRESENT + 4 + 4 * count, 4))
    packed = [sid_bytes(each) for each in sids]
    named = b"".join(_le((len(each) - 8) // 4) + each for each in packed)
    return array + named + struct.pack("<IIHxxIII", 0, 0, 1, 0, 0, 2)


def _le(number: int) -> bytes:
    return struct.pack("<I", number)


class _NdrReader:
    """Reads numbers and strings one after the other. Raises struct.error and ValueError behind the end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self) -> int:
        """Read an unsigned number of four bytes."""
        return int.from_bytes(self.take(4), "little")

    def take(self, size: int) -> bytes:
        """Read bytes, from the next multiple of four."""
        start = (self._at + 3) // 4 * 4
        if start + size > len(self._data):
            raise ValueError("the answer ends in the middle")
        self._at = start + size
        return self._data[start : self._at]

    def text(self, size: int) -> str:
        """Read a conformant and varying string (C706 14.3.4.2), of which the first `size` bytes count."""
        self.number()
        begin, count = self.number(), self.number()
        if begin or size > 2 * count:
            raise ValueError("a name is longer than its characters")
        return self.take(2 * count)[:size].decode("utf-16-le", "replace")
