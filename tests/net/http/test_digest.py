"""Digest as RFC 7616 has it worked out, and what servers make of it."""

from __future__ import annotations

import pytest

from cormorant.net.http.digest import Challenge, DigestRequest, answer, challenge_of, schemes
from tests.clocks import cpu_s

RFC = (
    'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, '
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
)
NONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"


@pytest.mark.parametrize(
    ("algorithm", "response"),
    [
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ],
)
def test_the_example_of_the_rfc(algorithm: str, response: str) -> None:
    challenge = challenge_of([RFC.replace("SHA-256", algorithm)])
    assert challenge is not None
    said = answer(challenge, "Mufasa", "Circle of Life", DigestRequest("/dir/index.html", 1, NONCE))
    assert f'response="{response}"' in said
    assert 'username="Mufasa"' in said
    assert 'uri="/dir/index.html"' in said
    assert "qop=auth, nc=00000001" in said
    assert 'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"' in said


def test_the_example_of_the_older_rfc() -> None:
    value = (
        'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", '
        'opaque="5ccc069c403ebaf9f0171e9517f40e41"'
    )
    challenge = challenge_of([value])
    assert challenge is not None
    said = answer(challenge, "Mufasa", "Circle Of Life", DigestRequest("/dir/index.html", 1, "0a4f113b"))
    assert 'response="6629fae49393a05397450978507c4ef1"' in said


def test_without_quality_it_is_as_in_rfc_2069() -> None:
    challenge = Challenge("testrealm@host.com", "dcd98b7102dd2f0e8b11d0f600bfb0c093")
    said = answer(challenge, "Mufasa", "Circle Of Life", DigestRequest("/dir/index.html", 1, "0a4f113b"))
    assert 'response="670fd8c2df070c60b045671b8b24ff02"' in said
    assert "cnonce" not in said


def test_the_better_one_of_several_is_answered() -> None:
    found = challenge_of(
        [
            'Basic realm="Digest, or so", Digest realm="a", nonce="1", algorithm=MD5',
            'Digest realm="a", nonce="2", algorithm=SHA-256, stale=TRUE',
        ]
    )
    assert found == Challenge("a", "2", "SHA-256", "", None, stale=True)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "Digest",
        'Digest realm="x"',
        'Digest nonce="1", algorithm=SHA-1',
        'Digest nonce="1", qop="auth-int"',
        "Basic",
    ],
)
def test_what_cannot_be_answered_is_no_challenge(value: str) -> None:
    assert challenge_of([value]) is None


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (['Basic realm="x, Digest y"'], ("basic",)), (["Negotiate", "NTLM"], ("negotiate", "ntlm")),
        (['Digest realm="a", nonce="b", Bearer error="c"'], ("digest", "bearer")), ([], ()),
    ],
)  # fmt: skip
def test_schemes(values: list[str], found: tuple[str, ...]) -> None:
    assert schemes(values) == found


def test_marks_in_names_are_escaped() -> None:
    said = answer(Challenge('a"b', "n"), 'x\\"y', "p", DigestRequest("/", 1, "c"))
    assert 'username="x\\\\\\"y"' in said
    assert 'realm="a\\"b"' in said


@pytest.mark.parametrize(
    "value", ["a" * 100_000, "Digest " + "a=" * 50_000, 'Digest a="' + "\\" * 99_999, ", " * 50_000]
)
def test_a_long_field_takes_no_time(value: str) -> None:
    assert challenge_of([value]) is None
    assert len(schemes([value])) <= 1


def test_a_quotation_that_is_never_closed_takes_no_time() -> None:
    values = ['"\\' * 4096] * 8
    assert (schemes(values), challenge_of(values)) == ((), None)
    took = cpu_s(lambda: (schemes(values), challenge_of(values)))
    assert took < 2.0, "each of its marks was the beginning of another: 7 s"
