"""Faults planted into a copy of the package, to see that the hostile servers and the network namespace find them."""

from __future__ import annotations

from typing import NamedTuple

from tests.journeys.plants import Plant


class Caught(NamedTuple):
    """A plant, and the hostile hosts that show it; without hosts the proof of forbidden addresses shows it."""

    plant: Plant
    hosts: tuple[str, ...] = ()


def _one(name: str, file: str, before: str, after: str, *hosts: str) -> Caught:
    return Caught(Plant(name, file, ((before, after),)), hosts)


HANG = ("a header, a byte a second", "a body, a byte a second", "half a body, then silence")
PLANTS = (
    _one("no idle time-out", "net/http/curl_handle.py", "elif now - self._marked >= idle_s:", "elif False:", *HANG),
    _one("no cap on the size of a body as sent", "net/http/curl_handle.py",
         "setopt(pycurl.MAXFILESIZE_LARGE, 0 if request.cut else request.max_bytes)", "pass", "an endless body"),
    _one("no cap on the growth of a body by decompression", "net/http/content_encoding.py",
         "self._size > received * MAX_RATIO", "False",
         "a deflate bomb"),
    _one("a truncated body counts as complete", "net/http/curl_handle.py",
           "if code == 0 or (", "if code in (0, 18) or (",
         "a Content-Length that is too large"),
    _one("a truncated header counts as complete", "net/http/curl_handle.py",
           "if not part.complete:", "if False:",
         "a reset within the header"),
    _one("no cap on interim responses", "net/http/curl_handle.py", "if part.interims > MAX_INTERIMS:", "if False:",
         "thirty interim answers"),
    _one("no cap on header fields", "net/http/curl_handle.py",
           "if part.fields > MAX_FIELDS or", "if", "300 header fields"),
    _one("certificates are not verified", "net/http/curl_handle.py",
           "(pycurl.SSL_VERIFYPEER, 1)", "(pycurl.SSL_VERIFYPEER, 0)",
         "an expired certificate", "a certificate it made itself"),
    _one("the name of a certificate is not verified", "net/http/curl_handle.py", "(pycurl.SSL_VERIFYHOST, 2)",
         "(pycurl.SSL_VERIFYHOST, 0)", "a certificate of another host"),
    _one("a 304 to an unconditional request is accepted", "sources/web/response.py",
         "if status == 304 and conditional:", "if status == 304:",
         "not modified, unasked"),
    _one("a partial response counts as complete", "sources/web/response.py",
         "if status == 200:", "if status in (200, 206):",
         "a part, unasked"),
    _one("a Retry-After of a site is ignored", "frontier/policy/host_backoff.py",
         "if isinstance(outcome, Deferred) and outcome.whole_site:", "if False:", "away for ten years"),
    _one("no cap on redirects within a visit", "sources/web/source.py", "MAX_HOPS = 10", "MAX_HOPS = 100_000",
         "redirects to ever other addresses"),
    _one("no cap on chains of permanent redirects", "frontier/links/redirect_chains.py", "MOST = 10", "MOST = 100_000",
         "moves to ever other addresses"),
    _one("a stalled visit occupies a slot of the worker", "crawl/worker/concurrency.py",
           "LONG_S = 1.0", "LONG_S = 1e9", *HANG,
         "half a chunk, then silence", "never answers"),
    _one("the fetcher is no wider than the worker", "net/http/client.py", "if len(self._slots) >= self._most",
         "if len(self._slots) >= self._width", *HANG, "half a chunk, then silence", "never answers"),
    _one("private addresses are not refused", "net/egress/guard.py",
         "if not judge(address, port, host, consent, self._own_ports, mine=mine).admitted:", "if False:"),
    _one("only the first address of a name is checked", "net/egress/guard.py",
           "for address in addresses:\n            mine",
         "for address in addresses[:1]:\n            mine"),
    Caught(Plant("names are resolved again when connecting", "net/http/curl_handle.py", (
        ("        if resolve is not None:\n            setopt(pycurl.RESOLVE, resolve)", ""),
        ("or self._egress.veto(at[0], at[1], self._pinned)", ""),
        ("if peer not in self._pinned.addresses or port != self._pinned.port:", "if False:"),
    ))),
    _one("an IPv4 address embedded in an IPv6 address is not checked", "net/egress/policy.py",
         "for each in _carried(at)",
         "for each in ()"),
    _one("a file of start addresses permits private addresses", "sources/web/settings/web.py",
         "origins = [origin_of(address) for address in (*self.start,",
         "origins = [origin_of(address) for address in (*self.starts(),"),
    _one("connections to the database's port are permitted", "net/egress/guard.py",
         "ours = await self._is_ours(port, known.answer)",
         "ours = False"),
    _one("connections to our own ports are permitted", "app/egress_guard.py",
         "return frozenset() if port is None else frozenset({port})", "return frozenset()"),
)  # fmt: skip
