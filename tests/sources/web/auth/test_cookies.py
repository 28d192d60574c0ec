"""A jar: what it takes from whom, what it gives to whom, how much it holds, what it leaves behind."""

from __future__ import annotations

from typing import Any

import pytest

from cormorant.base.errors import SecretSealed
from cormorant.model.content import VisitTrace
from cormorant.model.url import origin_of, path_of
from cormorant.net.http.messages import Response
from cormorant.sources.web.auth.cookies import MOST, MOST_OF_A_DOMAIN, Jar
from cormorant.sources.web.auth.credentials import NOTHING
from cormorant.sources.web.auth.session import KEPT_EVERY_S, Session
from cormorant.sources.web.settings.web import WebSettings
from tests.sources.web.farm import Known

NOW = 1_800_000_000.0
DAY = 86_400.0


def filled(address: str, *values: str, jar: Jar | None = None, now: float = NOW) -> Jar:
    """A jar after one answer."""
    jar = Jar(1, lasting=True) if jar is None else jar
    jar.take(origin_of(address), path_of(address), values, now, origin_of(address).site)
    return jar


def sent(jar: Jar, address: str, now: float = NOW) -> str:
    return jar.header(origin_of(address), path_of(address), now)


@pytest.mark.parametrize(
    ("set_at", "cookie", "asked", "given"),
    [
        ("http://a.example/", "s=1", "http://a.example/x", "s=1"),
        ("http://a.example/", "s=1", "http://b.a.example/", ""),
        ("http://a.example/", "s=1; Domain=a.example", "http://b.a.example/", "s=1"),
        ("http://a.example/", "s=1; Domain=.a.example", "http://xa.example/", ""),
        ("http://b.a.example/", "s=1; Domain=a.example", "http://a.example/", "s=1"),
        ("http://a.example/", "s=1; Domain=b.a.example", "http://b.a.example/", ""),
        ("http://a.example/", "s=1; Domain=other.example", "http://other.example/", ""),
        ("http://a.co.uk/", "s=1; Domain=co.uk", "http://b.co.uk/", ""),
        ("http://me.github.io/", "s=1; Domain=github.io", "http://you.github.io/", ""),
        ("http://github.io/", "s=1; Domain=github.io", "http://you.github.io/", ""),
        ("http://github.io/", "s=1; Domain=github.io", "http://github.io/", "s=1"),
        ("http://127.0.0.1/", "s=1; Domain=0.0.1", "http://127.0.0.1/", ""),
        ("http://127.0.0.1/", "s=1; Domain=127.0.0.1", "http://127.0.0.1/", "s=1"),
        ("http://a.example:8080/", "s=1", "http://a.example:8080/", "s=1"),
        ("http://a.example:8080/", "s=1", "http://a.example/", ""),
        ("http://a.example/", "s=1", "http://a.example:8080/", ""),
        ("http://a.example/", "s=1", "https://a.example/", "s=1"),
        ("https://a.example/", "s=1", "http://a.example/", ""),
        ("https://a.example/", "s=1; Secure", "http://a.example/", ""),
        ("https://a.example/", "s=1; Secure", "https://a.example/", "s=1"),
        ("http://a.example/", "s=1; Secure", "https://a.example/", ""),
        ("http://a.example/", "__Secure-s=1", "http://a.example/", ""),
        ("https://a.example/", "__Host-s=1; Secure; Path=/", "https://a.example/", "__Host-s=1"),
        ("https://a.example/", "__Host-s=1; Secure; Path=/; Domain=a.example", "https://a.example/", ""),
        ("https://a.example/x/", "__Host-s=1; Secure", "https://a.example/x/", ""),
        ("http://a.example/x/y", "s=1", "http://a.example/x/z", "s=1"),
        ("http://a.example/x/y", "s=1", "http://a.example/xz", ""),
        ("http://a.example/", "s=1; Path=/x", "http://a.example/x?y", "s=1"),
        ("http://a.example/", "s=1; Path=/x", "http://a.example/?/x", ""),
        ("http://a.example/", "s=1; Max-Age=0", "http://a.example/", ""),
        ("http://a.example/", "s=1; Max-Age=99999999999999999999", "http://a.example/", "s=1"),
        ("http://a.example/", "s=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://a.example/", ""),
        ("http://a.example/", "s=1; Expires=soon", "http://a.example/", "s=1"),
        ("http://a.example/", "s=" + "x" * 4096, "http://a.example/", ""),
        ("http://a.example/", "s=" + "x" * 4095, "http://a.example/", "s=" + "x" * 4095),
        ("http://a.example/", "s=" + "x" * 1_000_000, "http://a.example/", ""),
    ],
)
def test_who_gets_a_cookie(set_at: str, cookie: str, asked: str, given: str) -> None:
    assert sent(filled(set_at, cookie), asked) == given


def test_what_came_over_tls_is_not_replaced_without() -> None:
    jar = filled("https://a.example/", "s=good; Path=/")
    filled("http://a.example/", "s=bad; Path=/", jar=jar)
    assert sent(jar, "https://a.example/") == "s=good"


def test_ten_thousand_cookies_are_fifty() -> None:
    jar = filled("http://a.example/", *(f"c{n}=1" for n in range(10_000)))
    assert len(jar) == MOST_OF_A_DOMAIN
    assert sent(jar, "http://a.example/").startswith("c9950=1")


def test_a_source_has_so_many_at_the_most() -> None:
    jar = Jar(1, lasting=True)
    for number in range(100):
        filled(f"http://a{number}.example/", *(f"c{n}=1" for n in range(50)), jar=jar)
    assert len(jar) <= MOST
    assert sent(jar, "http://a99.example/")


def test_what_is_sent_stays_and_what_was_not_for_long_goes() -> None:
    jar = filled("https://wiki.example/", "login=1")
    for number in range(MOST + 100):
        filled(f"http://a{number}.example/", "c=1", jar=jar)
        if number % 1000 == 0:
            assert sent(jar, "https://wiki.example/") == "login=1"
    assert sent(jar, "https://wiki.example/") == "login=1"
    assert sent(jar, "http://a0.example/") == ""
    assert len(jar) == MOST


def test_nothing_is_kept_of_a_site_that_only_takes_cookies_back() -> None:
    jar = Jar(1, lasting=True)
    filled("http://a.example/", "s=; Max-Age=0", jar=jar)
    assert (jar.used, jar._domains) == (False, {})
    filled("http://a.example/", "s=1", jar=jar)
    filled("http://a.example/", "s=; Max-Age=0", jar=jar)
    assert (jar.used, jar._domains) == (False, {})


def test_a_cookie_ends() -> None:
    jar = filled("http://a.example/", "s=1; Max-Age=10")
    assert sent(jar, "http://a.example/", NOW + 9) == "s=1"
    assert sent(jar, "http://a.example/", NOW + 10) == ""
    years = filled("http://a.example/", "s=1; Max-Age=999999999")
    assert sent(years, "http://a.example/", NOW + 401 * DAY) == ""


class TestAcrossProcesses:
    """What one process keeps another takes over; a session is of its run."""

    def given(self, lasting: bool, later_run: int) -> str:
        jar = Jar(1, lasting=lasting)
        filled("http://a.example/", "lasts=1; Max-Age=99", "session=2", jar=jar)
        filled("http://b.example/", "other=3", jar=jar)
        data, seconds = jar.dump("a.example", NOW)
        assert seconds > 0
        assert b"other" not in data
        other = Jar(later_run, lasting=lasting)
        other.load(data, "a.example", NOW + 1)
        return sent(other, "http://a.example/", NOW + 1)

    def test_within_a_run_all_of_it(self) -> None:
        assert self.given(lasting=True, later_run=1) == "lasts=1; session=2"

    def test_in_the_next_run_what_lasts(self) -> None:
        assert self.given(lasting=True, later_run=2) == "lasts=1"

    def test_nothing_when_all_is_of_the_session(self) -> None:
        assert self.given(lasting=False, later_run=2) == ""

    @pytest.mark.parametrize("data", [b"", b"\xff", b"[]", b'{"run": 1, "cookies": [[1]]}', b"x" * 100_000])
    def test_bytes_that_say_nothing_change_nothing(self, data: bytes) -> None:
        jar = filled("http://a.example/", "s=1")
        jar.load(data, "a.example", NOW)
        assert sent(jar, "http://a.example/") == "s=1"


def said(*cookies: str) -> Response:
    block = "".join(f"Set-Cookie: {each}\r\n" for each in cookies).encode()
    return Response(200, "HTTP/1.1 200 OK", block, b"", 0)


def session(run: int = 1, **given: Any) -> Session:
    return Session(7, WebSettings(start=("http://a.example/",), **given), Known({}), run)


ASKED = (origin_of("http://a.example/"), "http://a.example/")


def test_cookies_are_a_fact_of_the_site_for_one_source() -> None:
    first, wire = session(), VisitTrace(site="a.example")
    assert not first.heard(ASKED, said("s=1"), NOTHING, wire, NOW)
    ((name, value, _),) = wire.learned
    assert name == "cookies:7"
    assert b"a.example" not in value, "sealed"
    after = session()
    assert after.offer(*ASKED, VisitTrace(site="a.example", facts={name: value}), NOW).lines == ("Cookie: s=1",)
    assert session().offer(*ASKED, VisitTrace(site="a.example", facts={"cookies:8": value}), NOW).lines == ()


def test_cookies_that_change_with_every_page_are_kept_now_and_then() -> None:
    ours, kept = session(), 0
    for number in range(100):
        wire = VisitTrace(site="a.example")
        ours.heard(ASKED, said(f"s={number}"), NOTHING, wire, NOW + number * KEPT_EVERY_S / 10)
        kept += len(wire.learned)
    assert 9 <= kept <= 11
    assert ours.offer(*ASKED, VisitTrace(site="a.example"), NOW + 99).lines == ("Cookie: s=99",)


def test_a_cookie_that_stays_as_it_is_is_kept_once() -> None:
    ours, kept = session(), 0
    for number in range(100):
        wire = VisitTrace(site="a.example")
        ours.heard(ASKED, said("s=same; Max-Age=900000"), NOTHING, wire, NOW + number * 60)
        kept += len(wire.learned)
    assert kept == 1


def test_off_is_off() -> None:
    ours, wire = session(cookies="off"), VisitTrace(site="a.example")
    ours.heard(ASKED, said("s=1"), NOTHING, wire, NOW)
    assert (wire.learned, ours.offer(*ASKED, wire, NOW)) == ([], NOTHING)


@pytest.mark.parametrize("error", [SecretSealed("There is no key."), OSError(28, "No space left on device")])
def test_a_page_is_read_though_its_cookies_cannot_be_kept(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Known):
        def seal(self, data: bytes) -> bytes:
            raise error

    ours = Session(7, WebSettings(start=("http://a.example/",)), Broken({}), 1)
    for number in range(3):
        wire = VisitTrace(site="a.example")
        assert not ours.heard(ASKED, said(f"s={number}"), NOTHING, wire, NOW + 60 * number)
        assert wire.learned == []
    assert ours.offer(*ASKED, VisitTrace(site="a.example"), NOW).lines == ("Cookie: s=2",)
    assert [each.message for each in caplog.records] == ["cookies_not_kept"], "once"
