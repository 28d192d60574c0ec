"""Kerberos logins: the packages that they need, and the reasons why one fails, by the numbers of MIT Kerberos.

The library of the system asks the domain's controllers (KDC) by itself, as /etc/krb5.conf says. It takes the password
of the settings, or the ticket of the account under which this program runs.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.sources.smb.faults import Login

NO_KERBEROS: Final = (
    "Kerberos needs packages that are compiled here: install a compiler and the headers of MIT Kerberos (Debian: gcc, "
    'python3-dev, libkrb5-dev), then `pip install "cormorant[smb,kerberos]"`. Or set auth=ntlm.'
)
_TABLE: Final = 0x96C73A00
"""The number of the first error of MIT Kerberos; those up to 127 are of RFC 4120 7.5.9, the others its own."""
_OF_TICKETS: Final = {7: 141, 11: 32}
"""The numbers for GSS_S_NO_CRED and GSS_S_CREDENTIALS_EXPIRED (RFC 2744 3.9.1)."""
_MOST_CAUSES: Final = 10

_REFUSED: Final = {
    6: "The Kerberos domain knows no user {user!r}. Write it like ada@EXAMPLE.ORG, as the domain does.",
    18: "The account of user {user!r} is locked or disabled. Have its domain open it, then crawl with --force.",
    23: "The password of user {user!r} has expired. Set a new one in its domain, then run `cormorant secret add`.",
    24: "Kerberos refuses the password of user {user!r}. Check user and password.",
    31: "Kerberos refuses the password of user {user!r}. Check user and password.",
    134: "{user!r} is no name of a Kerberos user. Write it like ada@EXAMPLE.ORG.",
}
_NO_TICKET: Final = (
    "The account that runs Cormorant has no Kerberos ticket of user {user!r}. Get one with `kinit`, name a client "
    "keytab in /etc/krb5.conf, or set password."
)
_EXPIRED: Final = "The Kerberos ticket of user {user!r} has expired. Get another one with `kinit`, or set password."
_CLOCK: Final = (
    "The clocks of this machine, of {host} and of the Kerberos domain differ too much. Set them to one time."
)
_NO_REALM: Final = (
    "This machine knows no controller of the Kerberos domain of user {user!r}. Name it in /etc/krb5.conf, or check the "
    "part behind @."
)
_SILENT: Final = (
    "No controller of the Kerberos domain of user {user!r} answers. Check the network to it, and /etc/krb5.conf."
)
_CONFIGURATION: Final = "The Kerberos library cannot read its configuration. Check /etc/krb5.conf."
_UNREACHABLE: Final = {
    7: "The Kerberos domain knows no server {host}. Write the server's full name in url, as the domain has it.",
    32: _EXPIRED,
    33: _CLOCK,
    37: _CLOCK,
    135: _CONFIGURATION,
    136: _CONFIGURATION,
    141: _NO_TICKET,
    148: _CLOCK,
    154: _NO_REALM,
    156: _SILENT,
    195: _NO_TICKET,
    220: _SILENT,
    224: _NO_REALM,
}


def see_kerberos() -> None:
    """See that Kerberos can be used. Raises BadSetting with how to install it."""
    if not all(find_spec(each) for each in ("gssapi", "krb5")):
        raise BadSetting(NO_KERBEROS)


def library_errors() -> tuple[type[Exception], ...]:
    """Return what the library raises at a login by a password, which the SMB library lets through."""
    if find_spec("krb5") is None:
        return ()
    from krb5 import Krb5Error  # noqa: PLC0415 - optional

    return (Krb5Error,)


def kerberos_fault(error: BaseException, login: Login) -> Unreachable | None:
    """Return why a login failed, a LoginRefused where the user or the password is at fault; None if not by Kerberos."""
    numbers = _numbers(error)
    for number in numbers:
        if number in _REFUSED:
            return LoginRefused(_REFUSED[number].format(user=login.user, host=login.host))
        if number in _UNREACHABLE:
            return Unreachable(_UNREACHABLE[number].format(user=login.user, host=login.host))
    if not numbers:
        return None
    return Unreachable(
        f"Kerberos gave user {login.user!r} no login at {login.host} (error {numbers[0]}). Try `kinit` and `kvno "
        f"cifs/{login.host}` on this machine, which say more."
    )


def _numbers(error: BaseException) -> list[int]:
    """Return the numbers of an error and of its causes: those of Kerberos, then what GSS-API says of tickets."""
    own, general = list[int](), list[int]()
    cause: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if cause is None:
            break
        for name in ("err_code", "min_code"):
            number = (getattr(cause, name, None) or 0) % (1 << 32) - _TABLE
            own += [number] if 0 <= number < 256 else []
        routine = (getattr(cause, "maj_code", None) or 0) >> 16 & 0xFF
        general += [_OF_TICKETS[routine]] if routine in _OF_TICKETS else []
        cause = cause.__cause__ or cause.__context__
    return own + general
