"""Why a login by Kerberos failed, by the numbers of errors and of their causes."""

from __future__ import annotations

import pytest

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.settings.source import parse_settings
from cormorant.sources.smb.faults import Login
from cormorant.sources.smb.kerberos import kerberos_fault
from cormorant.sources.smb.settings import SmbSettings

LOGIN = Login("files.example.org", "papers", "ada@EXAMPLE.ORG", "kerberos")
FIRST = -1765328384


class LibraryError(Exception):
    """An error as the two libraries for Python have it."""

    def __init__(self, *, err_code: int = 0, min_code: int = 0, maj_code: int = 0) -> None:
        super().__init__("of a library")
        self.err_code, self.min_code, self.maj_code = err_code, min_code, maj_code


def caused(cause: Exception) -> Exception:
    """The same error behind another, as the SMB library raises it."""
    try:
        raise ValueError("of the SMB library") from cause
    except ValueError as error:
        return error


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (LibraryError(err_code=FIRST + 24), LoginRefused, "refuses the password of user 'ada@EXAMPLE.ORG'"),
        (caused(LibraryError(min_code=2**32 + FIRST + 7)), Unreachable, "knows no server files.example.org"),
        (caused(LibraryError(min_code=2**32 + FIRST + 37)), Unreachable, "of files.example.org and of the Kerberos"),
        (caused(LibraryError(maj_code=7 << 16, min_code=100001)), Unreachable, "has no Kerberos ticket of user"),
        (caused(LibraryError(maj_code=11 << 16, min_code=100001)), Unreachable, "has expired"),
        (
            LibraryError(maj_code=7 << 16, min_code=2**32 + FIRST + 156),
            Unreachable,
            "No controller of the Kerberos domain",
        ),
        (LibraryError(err_code=FIRST + 14), Unreachable, r"no login at files.example.org \(error 14\)"),
    ],
)
def test_the_first_number_that_is_known_decides(error: Exception, kind: type[Exception], sentence: str) -> None:
    found = kerberos_fault(error, LOGIN)
    assert type(found) is kind
    with pytest.raises(kind, match=sentence):
        raise found


@pytest.mark.parametrize(
    "error", [LibraryError(), caused(OSError(5, "no")), LibraryError(err_code=5, maj_code=13 << 16)]
)
def test_an_error_of_anything_else_is_none_of_kerberos(error: Exception) -> None:
    assert kerberos_fault(error, LOGIN) is None


def test_causes_that_lead_in_a_circle_end() -> None:
    error = ValueError()
    error.__context__ = other = KeyError()
    other.__context__ = error
    assert kerberos_fault(error, LOGIN) is None


GIVEN = {"url": "smb://files.example.org/papers", "user": "ada@EXAMPLE.ORG"}


def test_a_ticket_takes_the_place_of_a_password() -> None:
    settings = parse_settings(SmbSettings, {**GIVEN, "auth": "kerberos"})
    assert (settings.password, settings.ways_in) == ("", ("auth",))
    with pytest.raises(BadSetting, match="needs its password"):
        parse_settings(SmbSettings, GIVEN)


def test_a_user_has_the_name_of_a_realm() -> None:
    given = {**GIVEN, "user": "CORP\\ada", "password": "secret:p"}
    assert parse_settings(SmbSettings, given).user == "CORP\\ada"
    with pytest.raises(BadSetting, match="names like ada@EXAMPLE"):
        parse_settings(SmbSettings, {**given, "auth": "kerberos"})
