"""Mailing lists: an address and its aliases, and the messages that belong to it (RFC 2919, RFC 2369)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

_ADDRESS: Final = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9.-]{1,253}")
_NAMED: Final = re.compile(rb"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,253}")
_LIST_ID: Final = re.compile(rb"<([A-Za-z0-9_.@-]{1,300})>")
ADDRESSED: Final = ("to", "cc", "resent-to", "resent-cc", "delivered-to", "x-original-to", "list-post")
"""Fields whose addresses say to which lists a message went."""


class MailingList(NamedTuple):
    """A list: the address that it is known by, and all addresses that it has had, the first among them."""

    name: str
    addresses: tuple[str, ...]

    @property
    def ids(self) -> frozenset[bytes]:
        """The identifiers that its List-Id field may have (RFC 2919 2)."""
        return frozenset(each.replace("@", ".").encode() for each in self.addresses)


def read_lists(lines: Sequence[str]) -> tuple[MailingList, ...]:
    """Read lists as a person writes them: an address, then its aliases. Raises ValueError naming what is none."""
    found = list[MailingList]()
    for line in lines:
        addresses = tuple(dict.fromkeys(line.lower().replace(",", " ").split()))
        wrong = next((each for each in addresses if not _ADDRESS.fullmatch(each)), None)
        if wrong is not None or not addresses:
            raise ValueError(f"{wrong or line!r} is no address of a list. Write it like announce@lists.example.org.")
        found.append(MailingList(addresses[0], addresses))
    return tuple(found)


def lists_of(fields: Mapping[str, bytes], lists: Sequence[MailingList]) -> tuple[str, ...]:
    """Return the names of the lists that a message belongs to, by the fields of its header in lower case."""
    if not lists:
        return ()
    named = {each.lower().decode("ascii") for name in ADDRESSED for each in _NAMED.findall(fields.get(name, b""))}
    ids = {each.lower() for each in _LIST_ID.findall(fields.get("list-id", b""))}
    return tuple(each.name for each in lists if not named.isdisjoint(each.addresses) or not ids.isdisjoint(each.ids))
