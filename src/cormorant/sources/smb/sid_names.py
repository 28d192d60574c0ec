"""Names of the readers in access lists: SIDs that settings or [MS-DTYP] name, and accounts that the server looks up.

Nothing here may let in more readers than the access list does. A SID that nobody can name stands for itself. A deny
counts for the name and for the SID of an account; a file with a deny whose account has no name is for nobody, since
the readers it keeps out may be known by a name that is not known here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from cormorant.model.acl import ACL, EVERYONE, NOBODY, PUBLIC
from cormorant.sources.smb.lsa import Account, AccountType
from cormorant.sources.smb.security import ReadEntry, read_entries

Lookup = Callable[[Sequence[str]], Mapping[str, Account]]
"""Asks the server for accounts by their SIDs. It raises where the server does not answer, or refuses to."""

MAX_KNOWN: Final = 100_000
"""SIDs whose names are kept; a server that makes up more is asked again."""
MAX_NAME: Final = 256
"""Characters of a name; Windows has at most 256 in the name of a group ([MS-SAMR] 2.2.2.2)."""
_USERS: Final = frozenset((AccountType.USER, AccountType.COMPUTER))
_GROUPS: Final = frozenset((AccountType.GROUP, AccountType.ALIAS, AccountType.WELL_KNOWN_GROUP))
_AUTHORITY, _BUILTIN = "NT AUTHORITY", "BUILTIN"


SidLookup: TypeAlias = Literal["domain", "account", "off"]
"""How a SID becomes a reader: by its account with the domain (`user:CORP\\ada`) or without, or not at all."""


class SidNames:
    """Names of readers by their SIDs, for one run of a source. Threads may share it."""

    def __init__(self, given: Mapping[str, str], form: SidLookup) -> None:
        self._given, self._form = given, form
        self._known: dict[str, str] = {}

    def readers(self, descriptor: bytes, lookup: Lookup) -> ACL:
        """Return who may read a file; NOBODY when its descriptor cannot be read. Raises what `lookup` raises."""
        try:
            entries = read_entries(descriptor)
        except (struct.error, ValueError):
            return NOBODY
        if entries is None:
            return PUBLIC
        if self._form == "off":
            names = {each.sid: self._given.get(each.sid, f"group:{each.sid}") for each in entries}
            return ACL.of(_of(entries, names, grant=True), _of(entries, names, grant=False))
        return self._acl(entries, self._named({each.sid for each in entries}, lookup))

    def _acl(self, entries: Sequence[ReadEntry], names: Mapping[str, str]) -> ACL:
        denied = {each.sid for each in entries if not each.grants}
        lost = denied - names.keys()
        denies = [*_of(entries, names, grant=False), *(f"group:{each}" for each in denied)]
        denies += [f"user:{each}" for each in lost] + [EVERYONE] * bool(denied & ALL_READERS)
        return ACL.of(() if lost else _of(entries, names, grant=True), denies)

    def _named(self, sids: set[str], lookup: Lookup) -> dict[str, str]:
        """Return the names of those SIDs that have one."""
        found = {sid: name for sid in sids if (name := self._own(sid))}
        asked = sorted(sid for sid in sids if sid not in found and sid not in self._known)
        if asked:
            accounts = lookup(asked)
            if len(self._known) + len(asked) > MAX_KNOWN:
                self._known.clear()
            self._known |= {sid: self._principal(accounts.get(sid)) for sid in asked}
        return found | {sid: known for sid in sids - found.keys() if (known := self._known.get(sid))}

    def _own(self, sid: str) -> str:
        """Return the name that settings or the table give a SID, else ""."""
        known = WELL_KNOWN.get(sid)
        return self._given.get(sid) or (self._written(*known) if known else "")

    def _principal(self, account: Account | None) -> str:
        """Return the reader that an account stands for; "" for none, and for a name that no account can have."""
        if account is None or account.kind not in _USERS | _GROUPS or not _is_name(account.name):
            return ""
        if self._form == "domain" and account.domain and not _is_name(account.domain):
            return ""
        return self._written("user" if account.kind in _USERS else "group", account.domain, account.name)

    def _written(self, sort: str, domain: str, name: str) -> str:
        return f"{sort}:{domain}\\{name}" if self._form == "domain" and domain else f"{sort}:{name}"


def _of(entries: Iterable[ReadEntry], names: Mapping[str, str], *, grant: bool) -> list[str]:
    return [names.get(each.sid, f"group:{each.sid}") for each in entries if each.grants is grant]


def _is_name(text: str) -> bool:
    """Say whether an account or a domain may have this name: no backslash, no end of line, no blank at an end."""
    return 0 < len(text) <= MAX_NAME and text == text.strip() and text.isprintable() and "\\" not in text


ALL_READERS: Final = frozenset(("S-1-1-0", "S-1-5-2", "S-1-5-11", "S-1-5-15"))
"""Groups of everybody who reads a share: a deny for one of them is for every reader."""
WELL_KNOWN: Final[Mapping[str, tuple[str, str, str]]] = {
    "S-1-2-0": ("group", "", "LOCAL"),
    "S-1-2-1": ("group", "", "CONSOLE LOGON"),
    "S-1-3-0": ("group", "", "CREATOR OWNER"),
    "S-1-3-1": ("group", "", "CREATOR GROUP"),
    "S-1-5-1": ("group", _AUTHORITY, "DIALUP"),
    "S-1-5-2": ("group", _AUTHORITY, "NETWORK"),
    "S-1-5-3": ("group", _AUTHORITY, "BATCH"),
    "S-1-5-4": ("group", _AUTHORITY, "INTERACTIVE"),
    "S-1-5-6": ("group", _AUTHORITY, "SERVICE"),
    "S-1-5-7": ("group", _AUTHORITY, "ANONYMOUS LOGON"),
    "S-1-5-8": ("group", _AUTHORITY, "PROXY"),
    "S-1-5-9": ("group", _AUTHORITY, "ENTERPRISE DOMAIN CONTROLLERS"),
    "S-1-5-11": ("group", _AUTHORITY, "Authenticated Users"),
    "S-1-5-12": ("group", _AUTHORITY, "RESTRICTED"),
    "S-1-5-13": ("group", _AUTHORITY, "TERMINAL SERVER USER"),
    "S-1-5-14": ("group", _AUTHORITY, "REMOTE INTERACTIVE LOGON"),
    "S-1-5-15": ("group", _AUTHORITY, "This Organization"),
    "S-1-5-17": ("group", _AUTHORITY, "IUSR"),
    "S-1-5-18": ("user", _AUTHORITY, "SYSTEM"),
    "S-1-5-19": ("user", _AUTHORITY, "LOCAL SERVICE"),
    "S-1-5-20": ("user", _AUTHORITY, "NETWORK SERVICE"),
    **{
        f"S-1-5-32-{number}": ("group", _BUILTIN, name)
        for number, name in {
            544: "Administrators",
            545: "Users",
            546: "Guests",
            547: "Power Users",
            548: "Account Operators",
            549: "Server Operators",
            550: "Print Operators",
            551: "Backup Operators",
            552: "Replicator",
            554: "Pre-Windows 2000 Compatible Access",
            555: "Remote Desktop Users",
            556: "Network Configuration Operators",
            558: "Performance Monitor Users",
            559: "Performance Log Users",
            562: "Distributed COM Users",
            568: "IIS_IUSRS",
            569: "Cryptographic Operators",
            573: "Event Log Readers",
            578: "Hyper-V Administrators",
            579: "Access Control Assistance Operators",
            580: "Remote Management Users",
        }.items()
    },
}
"""SIDs that mean the same everywhere, by their English names, whatever language the server has ([MS-DTYP] 2.4.2.4)."""
