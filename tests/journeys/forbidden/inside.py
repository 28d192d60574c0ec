"""Run in a network namespace of its own: every address leads here, and every connection is counted.

    unshare --net --mount python -m tests.journeys.forbidden.inside FOLDER SPELLINGS REBINDING

Crawls as a person would, from a public site whose pages lead to forbidden addresses in every way there is, and writes
what came of it to standard output as JSON. Nothing leaves: there is no other network here.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from dnslib import AAAA, QTYPE, RR, A, DNSRecord  # type: ignore[import-untyped]

from cormorant.app.build import BuildPlan, open_house
from cormorant.app.processes.entrypoints import way_out
from cormorant.app.settings import InstallationSettings
from cormorant.base.errors import CormorantError
from cormorant.model.url import canonical
from cormorant.net.egress.policy import Consent
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request
from tests.journeys.forbidden import spellings

PUBLIC, CONTROL, NAME_SERVER = "93.184.216.34", "10.9.8.7", "127.0.0.53"
LISTENING = (80, 443, 8080, 8765, 5432, 6379)
INNER, INNER_PORT = "10.0.0.1", 9999
"""Where nothing public listens, so that a client which tries one address after the other comes to it."""
GOOD = "www.good.test"
ENTRIES = (
    "link", "301", "302", "303", "307", "308", "refresh", "canonical", "Link", "Content-Location", "Refresh", "base",
    "frame",
)  # fmt: skip
"""The ways in which a page leads elsewhere; a start address by file is one more, and so is a robots.txt's redirect."""
_SIX = {
    "six.evil.test": "fd00:ec2::254", "mapped.evil.test": "::ffff:10.0.0.1", "nat64.evil.test": "64:ff9b::a00:1",
    "sixtofour.evil.test": "2002:a00:1::",
}  # fmt: skip
_FOUR = {
    GOOD: (PUBLIC,), "robots.good.test": (PUBLIC,), "mixed.evil.test": (PUBLIC, "10.0.0.1"),
    "meta.evil.test": ("169.254.169.254",), "lan.evil.test": ("192.168.1.1",),
    "metadata.google.internal": ("169.254.169.254",), "db.cluster.local": ("10.0.0.1",), "api.svc": ("10.0.0.1",),
    "instance-data": ("169.254.169.254",),
}  # fmt: skip


def _command(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


def make_network(folder: Path) -> None:
    """Have every address there is lead to this machine, and names be asked of `Names`."""
    _command("ip", "link", "set", "lo", "up")
    _command("ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo")
    with suppress(subprocess.CalledProcessError):  # a machine without IPv6
        _command("ip", "-6", "route", "add", "local", "::/0", "dev", "lo")
    (folder / "resolv.conf").write_text(f"nameserver {NAME_SERVER}\noptions timeout:1 attempts:1\n")
    _command("mount", "--bind", str(folder / "resolv.conf"), "/etc/resolv.conf")


class Names(asyncio.DatagramProtocol):
    """A name server: fixed names, and those below rebind.test, which are public at first and then this machine's."""

    def __init__(self) -> None:
        self.flips: Counter[str] = Counter()
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the way back."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        """Answer one question, for no time at all."""
        asked = DNSRecord.parse(data)
        name, kind = str(asked.q.qname).rstrip(".").lower(), asked.q.qtype
        reply = asked.reply()
        if kind == QTYPE.A:
            for each in self._four(name):
                reply.add_answer(RR(asked.q.qname, QTYPE.A, rdata=A(each), ttl=0))
        elif kind == QTYPE.AAAA and name in _SIX:
            reply.add_answer(RR(asked.q.qname, QTYPE.AAAA, rdata=AAAA(_SIX[name]), ttl=0))
        assert self._transport is not None
        self._transport.sendto(reply.pack(), addr)

    def _four(self, name: str) -> tuple[str, ...]:
        if name.endswith(".rebind.test"):
            self.flips[name] += 1
            return (PUBLIC,) if self.flips[name] % 2 else ("127.0.0.1",)
        return _FOUR.get(name, ())


class Net:
    """Listens everywhere. `counted` are connections by local address and port, `asked` the public site's paths."""

    def __init__(self, targets: list[str], rebinding: int) -> None:
        self.counted: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self._targets, self._rebinding = targets, rebinding

    def led(self) -> int:
        """How many pages that lead to a forbidden address were asked for."""
        ways = (path.removeprefix(GOOD).strip("/").split("/") for path in self.asked)
        return sum(len(words) == 2 and words[0] in ENTRIES and words[1].isdigit() for words in ways)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Count a connection; answer at the public address and at the control one, and hang up anywhere else."""
        at = writer.get_extra_info("sockname")
        host = at[0].removeprefix("::ffff:")
        self.counted[f"{host} {at[1]}"] += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while host in (PUBLIC, CONTROL):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                path = head.split(" ", 2)[1]
                name = head.lower().partition("\nhost:")[2].partition("\r")[0].strip()
                self.asked[f"{name}{path}"] += 1
                writer.write(self._answer(name, path) if host == PUBLIC else _said(200, "<p>consented to</p>"))
                await writer.drain()
        writer.close()

    def _answer(self, name: str, path: str) -> bytes:
        if name == "robots.good.test" and path == "/robots.txt":
            return _said(302, "", "Location: http://169.254.169.254/robots.txt")
        if path == "/robots.txt":
            return _said(404, "")
        if path == "/":
            return _said(200, "".join(f'<a href="/page/{n}">{n}</a> ' for n in range(len(self._targets) // 50 + 1)))
        words = path.strip("/").split("/")
        if words[0] == "page":
            start = int(words[1]) * 50
            number = [*range(start, min(start + 50, len(self._targets)))]
            ways = "".join(f'<a href="/{way}/{n}">{way} {n}</a> ' for n in number for way in ENTRIES)
            more = range(self._rebinding) if not start else ()
            return _said(
                200, ways + "".join(f'<a href="http://r{n}.rebind.test/{k}">r</a>' for n in more for k in "ab")
            )
        if len(words) == 2 and words[0] in ENTRIES:
            return _leading(words[0], self._targets[int(words[1])])
        return _said(200, "<p>a page of the public site</p>")


def _leading(way: str, target: str) -> bytes:
    """A page that leads to a target in one of the ways."""
    shown = escape(target)
    if way.isdigit():
        return _said(int(way), "", f"Location: {_header(target)}")
    if way in ("Content-Location", "Refresh", "Link"):
        value = {"Refresh": f"0; url={_header(target)}", "Link": f'<{_header(target)}>; rel="canonical"'}
        return _said(200, f"<p>{way} {shown}</p>", f"{way}: {value.get(way, _header(target))}")
    page = {
        "link": f'<a href="{shown}">there</a>',
        "refresh": f'<meta http-equiv="refresh" content="0; url={shown}">',
        "canonical": f'<link rel="canonical" href="{shown}">',
        "base": f'<base href="{shown}"><a href="below">there</a>',
        "frame": f'<iframe src="{shown}"></iframe>',
    }[way]
    return _said(200, f"<html><head>{page}</head><body>{page} {shown}</body></html>")


def _header(target: str) -> str:
    return quote(target, safe="".join(chr(each) for each in range(0x21, 0x7F)))


def _said(status: int, body: str, *fields: str) -> bytes:
    data = body.encode()
    lines = (f"HTTP/1.1 {status} Said", "Content-Type: text/html; charset=utf-8", f"Content-Length: {len(data)}")
    return "\r\n".join((*lines, *fields)).encode() + b"\r\n\r\n" + data


async def cormorant(data: Path, *words: str, fine: tuple[int, ...] = (0,)) -> str:
    """Run a command; returns its output."""
    environment = {**os.environ, "CORMORANT_RETRIEVERS": "2"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "cormorant", "--data", str(data), *words, env=environment,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert process.returncode in fine, f"{words}: {process.returncode}\n{err.decode()[-2000:]}"
    return out.decode()


def _filed(folder: Path, targets: list[str]) -> tuple[Path, int]:
    """A file of start addresses, of those that are addresses at all; and how many."""
    good = []
    for each in targets:
        with suppress(CormorantError):
            good.append(canonical(each))
    path = folder / "starts.txt"
    path.write_text("\n".join(good), encoding="utf-8")
    return path, len(good)


async def store_refused(folder: Path) -> str:
    """How it ends to ask for the installation's own database, which lies where the source may go otherwise."""
    plan = BuildPlan(folder, InstallationSettings(store=f"postgresql://cormorant@{CONTROL}:5432/cormorant"))
    with tempfile.TemporaryDirectory() as place:
        house = open_house(BuildPlan(Path(place), InstallationSettings()), first=True)
        fetcher = Fetcher(way_out(plan, house), width=1)
        consent = Consent.of([(CONTROL, 5432)], ["private", "loopback"])
        got = [
            await fetcher.get(Request(f"http://{host}:5432/", consent=consent))
            for host in (CONTROL, f"[::ffff:{CONTROL}]")
        ]
        await fetcher.close()
        house.store.close()
    return " ".join(str(each.status) for each in got)


async def prove(folder: Path, targets: list[str], rebinding: int) -> dict[str, Any]:
    """Crawl; returns what was counted."""
    net, names, data = Net(targets, rebinding), Names(), folder / "data"
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: names, local_addr=(NAME_SERVER, 53))
    for port in LISTENING:
        await asyncio.start_server(net.talk, None, port, backlog=500)
    await asyncio.start_server(net.talk, INNER, INNER_PORT)
    given = ("delay_s=0", "per_host=8", "patience_s=0", "include=any", "max_hosts=unlimited")
    brisk = tuple(word for each in given for word in ("--set", each))
    path, filed = _filed(folder, targets)
    sources: dict[str, Callable[[], tuple[str, ...]]] = {
        "linked": lambda: ("--set", f"start=http://{GOOD}/"),
        "filed": lambda: ("--set", f"start_file={path}"),
        "robots": lambda: ("--set", "start=http://robots.good.test/"),
        "mixed": lambda: ("--set", f"start=http://mixed.evil.test:{INNER_PORT}/"),
        "own": lambda: ("--set", "start=http://127.0.0.1:8765/"),
        "metadata": lambda: ("--set", "start=http://169.254.169.254/", "--set", "network=private"),
    }
    for name, words in sources.items():
        await cormorant(data, "source", "add", "web", name, *words(), *brisk)
        await cormorant(data, "crawl", name, "--json", fine=(0, 3, 6))
    store = await store_refused(folder)
    before = dict(net.counted)
    await cormorant(data, "source", "add", "web", "control", "--set", f"start=http://{CONTROL}/", *brisk)
    await cormorant(data, "crawl", "control", "--json")
    listed = [json.loads(line) for line in (await cormorant(data, "document", "list", "--json")).splitlines()]
    return {
        "attempts": net.led() + filed + len(names.flips) + 4,
        "led": net.led(),
        "must_lead": len(targets) * len(ENTRIES),
        "names": len(names.flips),
        "must_change": rebinding,
        "spellings": len(targets),
        "ways": len(ENTRIES) + 2,
        "forbidden": {at: count for at, count in before.items() if at != f"{PUBLIC} 80"},
        "public": before.get(f"{PUBLIC} 80", 0),
        "asked": sum(net.asked.values()),
        "control": net.counted.get(f"{CONTROL} 80", 0),
        "refused": sum(each["status"] == 974 for each in listed),
        "store": store,
        "flips": sum(names.flips.values()),
        "statuses": dict(Counter(f"{each['outcome']} {each['status']}" for each in listed)),
    }


def main() -> None:
    """Prove it here."""
    folder, most, rebinding = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    make_network(folder)
    sys.stdout.write(json.dumps(asyncio.run(prove(folder, spellings.some(most), rebinding))) + "\n")


if __name__ == "__main__":
    main()
