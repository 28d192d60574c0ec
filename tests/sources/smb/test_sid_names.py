"""Names of readers by their SIDs: the table, the server's answers, and who is kept out where nobody can say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from cormorant.base.errors import Unreachable
from cormorant.model.acl import ACL, NOBODY, PUBLIC
from cormorant.sources.smb.lsa import Account, AccountType
from cormorant.sources.smb.sid_names import SidLookup, SidNames
from tests.sources.smb.test_security import ALLOW, DENY, READ, descriptor

EVERYONE, SIGNED_IN, ADMINS = "S-1-1-0", "S-1-5-11", "S-1-5-32-544"
ADA, STAFF, LOST = "S-1-5-21-1-2-3-1104", "S-1-5-21-1-2-3-1105", "S-1-5-21-1-2-3-9999"
ACCOUNTS = {ADA: Account(AccountType.USER, "CORP", "ada"), STAFF: Account(AccountType.GROUP, "CORP", "Staff of \u00e4")}
GIVEN = {EVERYONE: "everyone"}


class Server:
    """Accounts of a server, and what it was asked for."""

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        self.accounts, self.asked = accounts, list[list[str]]()

    def lookup(self, sids: Sequence[str]) -> Mapping[str, Account]:
        self.asked.append(list(sids))
        return {each: self.accounts[each] for each in sids if each in self.accounts}


def readers(*entries: tuple[int, str], form: SidLookup = "domain", accounts: Mapping[str, Account] = ACCOUNTS) -> ACL:
    given = descriptor(*((kind, 0, READ, sid) for kind, sid in entries))
    return SidNames(GIVEN, form).readers(given, Server(accounts).lookup)


def both(sid: str) -> tuple[str, str]:
    return f"group:{sid}", f"user:{sid}"


def test_accounts_have_their_domain_or_not() -> None:
    entries = [(ALLOW, ADA), (ALLOW, STAFF), (ALLOW, ADMINS)]
    domain, account = readers(*entries), readers(*entries, form="account")
    assert domain.grants == ("group:BUILTIN\\Administrators", "group:CORP\\Staff of \u00e4", "user:CORP\\ada")
    assert account.grants == ("group:Administrators", "group:Staff of \u00e4", "user:ada")


def test_a_deny_is_for_the_name_and_for_the_number() -> None:
    assert readers((ALLOW, EVERYONE), (DENY, ADA)) == ACL.of(["everyone"], ["user:CORP\\ada", f"group:{ADA}"])


def test_a_grant_without_an_account_is_for_its_number() -> None:
    assert readers((ALLOW, LOST), (ALLOW, ADA)) == ACL.of([f"group:{LOST}", "user:CORP\\ada"])


def test_a_deny_without_an_account_closes_the_file() -> None:
    assert readers((ALLOW, EVERYONE), (DENY, LOST)) == ACL.of([], both(LOST))


def test_a_deny_that_settings_name_does_not() -> None:
    names = SidNames({**GIVEN, LOST: "user:gone"}, "domain")
    acl = names.readers(descriptor((ALLOW, 0, READ, EVERYONE), (DENY, 0, READ, LOST)), Server({}).lookup)
    assert acl == ACL.of(["everyone"], ["user:gone", f"group:{LOST}"])


@pytest.mark.parametrize("group", [EVERYONE, SIGNED_IN, "S-1-5-2", "S-1-5-15"])
def test_a_deny_for_all_who_read_a_share_is_for_everyone(group: str) -> None:
    assert "everyone" in readers((ALLOW, EVERYONE), (DENY, group)).denies


def test_a_grant_for_those_who_log_in_is_not_for_everyone() -> None:
    assert readers((ALLOW, SIGNED_IN)).grants == ("group:NT AUTHORITY\\Authenticated Users",)


@pytest.mark.parametrize(
    "account",
    [
        Account(AccountType.UNKNOWN, "CORP", "ada"),
        Account(AccountType.DELETED, "CORP", "ada"),
        Account(AccountType.DOMAIN, "CORP", "CORP"),
        Account(AccountType.USER, "CORP", ""),
        Account(AccountType.USER, "CORP", "OTHER\\ada"),
        Account(AccountType.USER, "CORP", "ada\nuser:eve"),
        Account(AccountType.USER, "CORP", "ada "),
        Account(AccountType.USER, "CORP", "a" * 257),
        Account(AccountType.USER, "CO\\RP", "ada"),
    ],
)
def test_a_name_that_no_account_has_counts_for_none(account: Account) -> None:
    assert readers((ALLOW, ADA), accounts={ADA: account}).grants == (f"group:{ADA}",)
    assert readers((ALLOW, EVERYONE), (DENY, ADA), accounts={ADA: account}).grants == ()


def test_each_sid_is_asked_for_once() -> None:
    server, names = Server(ACCOUNTS), SidNames(GIVEN, "domain")
    for entries in ([ADA, EVERYONE, ADMINS], [ADA, STAFF, LOST], [LOST, STAFF]):
        names.readers(descriptor(*((ALLOW, 0, READ, each) for each in entries)), server.lookup)
    assert server.asked == [[ADA], [STAFF, LOST]]


def test_a_server_that_says_nothing_gives_no_rights() -> None:
    def refuse(_: Sequence[str]) -> Mapping[str, Account]:
        raise Unreachable("No.")

    with pytest.raises(Unreachable):
        SidNames(GIVEN, "domain").readers(descriptor((ALLOW, 0, READ, ADA)), refuse)


def test_without_a_list_and_without_sense() -> None:
    names, server = SidNames(GIVEN, "domain"), Server({})
    assert names.readers(descriptor(control=0x8000), server.lookup) == PUBLIC
    assert names.readers(b"\1\0", server.lookup) == NOBODY
