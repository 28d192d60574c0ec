"""Accounts by their SIDs: calls as they are sent, answers as they come, and hostile ones."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from cormorant.sources.remote.protocol import ConnectionBroken
from cormorant.sources.smb.lsa import LSARPC, Account, AccountType, LsaRefusal, accounts_of, lookup, sid_bytes
from cormorant.sources.smb.rpc_pipe import RpcFault, RpcPipe

ADA, STAFF = "S-1-5-21-1-2-3-1104", "S-1-5-21-1-2-3-1105"
HANDLE = bytes(range(20))
NOTHING = struct.pack("<IIIII", 0, 0, 0, 0, 0)


def text(value: str) -> bytes:
    data = value.encode("utf-16-le")
    return struct.pack("<III", len(value), 0, len(value)) + data + bytes(-len(data) % 4)


def answered(names: Sequence[tuple[int, str, int]], domains: Sequence[str], status: int = 0) -> bytes:
    """The results of LsarLookupSids2, by kind, name and the index of the domain."""
    sizes = [2 * len(each) for each in domains]
    heads = b"".join(struct.pack("<HHII", size, size, 4, 8) for size in sizes)
    tails = b"".join(text(each) + struct.pack("<I", 4) + sid_bytes("S-1-5-21-1-2-3") for each in domains)
    first = struct.pack("<IIIII", 1, len(domains), 1, 32, len(domains)) + heads + tails
    entries = b"".join(
        struct.pack("<HxxHHIiI", kind, 2 * len(name), 2 * len(name), 9 if name else 0, domain, 0)
        for kind, name, domain in names
    )
    second = (
        struct.pack("<III", len(names), 1, len(names)) + entries + b"".join(text(each[1]) for each in names if each[1])
    )
    return first + second + struct.pack("<II", len(names), status)


GOOD = answered([(1, "ada", 0), (2, "Staff", 1), (8, "", -1)], ["CORP", "OTHER X"], 0x107)


class Pipe:
    """A file of the pipe: pieces to be read, and what was written."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces, self.written = list(pieces), list[bytes]()

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def read(self, offset: int, size: int) -> bytes:
        assert (offset, size) == (0, 65_536)
        return self.pieces.pop(0) if self.pieces else b""


def fragment(kind: int, body: bytes, call: int, flags: int = 3) -> bytes:
    return struct.pack("<BBBB4sHHI", 5, 0, kind, flags, b"\x10\0\0\0", 16 + len(body), 0, call) + body


def response(results: bytes, call: int, flags: int = 3) -> bytes:
    return fragment(2, struct.pack("<IHH", len(results), 0, 0) + results, call, flags)


def test_names_domains_and_kinds() -> None:
    assert accounts_of(GOOD) == [
        Account(AccountType.USER, "CORP", "ada"),
        Account(AccountType.GROUP, "OTHER X", "Staff"),
        Account(AccountType.UNKNOWN, "", ""),
    ]


def test_an_answer_without_names() -> None:
    assert accounts_of(NOTHING[:-4] + struct.pack("<I", 0xC0000073)) == []
    assert accounts_of(struct.pack("<IIIII", 0, 2, 0, 0, 0x107)) == [None, None]


def test_a_kind_that_nobody_knows_is_no_account() -> None:
    assert accounts_of(answered([(99, "ada", 0)], ["CORP"])) == [None]


def test_a_refusal_is_not_taken_for_no_account() -> None:
    with pytest.raises(LsaRefusal, match="0xc0000022"):
        accounts_of(answered([], [], 0xC0000022))


@pytest.mark.parametrize(
    ("at", "number"),
    [(4, 51), (4, 0xFFFFFFFF), (16, 3), (52, 0xFFFFFFFF), (48, 1), (52, 1)],
    ids=["more domains", "endless domains", "another count", "a long name", "a name from its middle", "a short name"],
)
def test_counts_that_contradict(at: int, number: int) -> None:
    wrong = bytearray(GOOD)
    struct.pack_into("<I", wrong, at, number)
    with pytest.raises(ValueError, match=r"the answer|a name is longer"):
        accounts_of(bytes(wrong))


def test_an_answer_that_is_cut_names_nobody() -> None:
    status = GOOD[-4:]
    for length in range(len(GOOD) - 11):
        with pytest.raises((ValueError, struct.error)):
            accounts_of(GOOD[:length] + bytes(4) + status)


@given(st.binary(max_size=400))
def test_any_bytes_end_soon(data: bytes) -> None:
    with suppress(ValueError, struct.error, LsaRefusal):
        accounts_of(data + bytes(4))


def test_a_lookup_opens_asks_and_closes() -> None:
    sids = [ADA] * 50 + [STAFF]
    first, second = answered([(1, "ada", 0)] * 50, ["CORP"]), answered([(2, "Staff", 0)], ["CORP"])
    large = [response(first[:2_000], 2, 1), response(first[2_000:], 2, 2)]
    pipe = Pipe(response(HANDLE + bytes(4), 1), *large, response(second, 3), response(HANDLE + bytes(4), 4))
    found = lookup(RpcPipe(pipe), sids)
    assert found == {ADA: Account(AccountType.USER, "CORP", "ada"), STAFF: Account(AccountType.GROUP, "CORP", "Staff")}
    assert [struct.unpack_from("<H", each, 22)[0] for each in pipe.written] == [44, 57, 57, 0]
    assert pipe.written[1][24:44] == pipe.written[3][24:] == HANDLE
    assert sid_bytes(STAFF) in pipe.written[2]


def test_fragments_may_come_in_pieces() -> None:
    whole = response(b"abcdefgh", 1)
    assert RpcPipe(Pipe(whole[:3], whole[3:20], whole[20:])).call(7, b"") == b"abcdefgh"


def test_an_interface_is_bound() -> None:
    secondary = b"\\pipe\\lsass\0"
    body = struct.pack("<HHIH", 4280, 4280, 1, len(secondary)) + secondary
    body += bytes(-len(body) % 4) + struct.pack("<BxxxHH", 1, 0, 0) + bytes(20)
    pipe = Pipe(fragment(12, body, 1))
    RpcPipe(pipe).bind(LSARPC)
    assert LSARPC.number.bytes_le in pipe.written[0]
    refused = body[:-24] + struct.pack("<HH", 2, 1) + bytes(20)
    with pytest.raises(RpcFault):
        RpcPipe(Pipe(fragment(12, refused, 1))).bind(LSARPC)


def test_a_fault_has_its_status() -> None:
    with pytest.raises(RpcFault, match="0x00000005"):
        RpcPipe(Pipe(fragment(3, struct.pack("<IHHI", 0, 0, 0, 5), 1))).call(57, b"")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n\r\n",
        response(b"", 9),
        fragment(2, b"", 1),
        fragment(11, bytes(20), 1),
        response(b"", 1)[:8] + b"\4\0" + response(b"", 1)[10:],
    ],
    ids=["nothing", "another protocol", "another call", "a cut head", "another kind", "a length below the head"],
)
def test_what_is_no_answer(answer: bytes) -> None:
    with pytest.raises(ConnectionBroken):
        RpcPipe(Pipe(answer)).call(57, b"")


def test_results_have_an_end() -> None:
    class Endless(Pipe):
        def read(self, offset: int, size: int) -> bytes:
            return response(bytes(60_000), 1, 0)

    with pytest.raises(ConnectionBroken):
        RpcPipe(Endless()).call(57, b"")
