"""Addresses of messages: mail://3/FOLDER/.../NAME, where the parts may hold any characters or bytes.

mail://3/INBOX/1608/17                  an IMAP folder, its UIDVALIDITY, the UID
mail://3/archive.mbox/9f86d081884c7d65  an mbox file, the identity of the message
mail://3/Work/1700000000.M1P2.host      a Maildir folder, the unique name of the message
"""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import quote, unquote

_DOTS: Final = ("", ".", "..")


class MessageEntry(NamedTuple):
    """A message as a listing names it: the parts of its address, its version, its identifier where it was asked for."""

    parts: tuple[str, ...]
    version: str
    message_id: str = ""


def address_of_parts(beginning: str, parts: tuple[str, ...]) -> str:
    """Return the address of a message, or with an empty last part that of a folder; dots alone would name another."""
    return beginning + "/".join(map(_quoted, parts[:-1])) + "/" + (_quoted(parts[-1]) if parts[-1] else "")


def parts_of_address(beginning: str, address: str) -> tuple[str, ...]:
    """Return the parts that an address was made of."""
    return tuple(
        unquote(each, errors="surrogateescape").removeprefix("~") for each in address.removeprefix(beginning).split("/")
    )


def _quoted(part: str) -> str:
    mark = "~" if part in _DOTS or part.startswith("~") else ""
    return mark + quote(part.encode("utf-8", "surrogateescape"), safe="")
