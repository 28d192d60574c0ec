"""The examples of the page that tells how a program asks: run by curl, on the sample, as they stand there."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.cli.world import InstalledCli, ended
from tests.clocks import HANG_S
from tests.house.reading import text_of

PAGE = "docs/how-to/api.md"
BLOCK = re.compile(r"^```console\n(?P<body>\$ curl.*?)^```$", re.MULTILINE | re.DOTALL)
SERVED, SITE = "http://127.0.0.1:8765/", "http://127.0.0.1:8000/"


class Example(NamedTuple):
    """A command of the page, and what it answers there; "" when that is not shown."""

    command: str
    answer: str


def examples() -> list[Example]:
    """Every command of the page that asks a server."""
    blocks = [block["body"] for block in BLOCK.finditer(text_of(PAGE))]
    pieces = [piece for block in blocks for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)]
    return [Example(*piece.strip().partition("\n")[::2]) for piece in pieces if piece]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The sample, crawled and served: the addresses of the server and of the sample's site."""
    home = InstalledCli(tmp_path_factory.mktemp("sample") / "data")
    home.run("quickstart", "--no-serve")
    (site,) = home.fine("source", "show", "sample-site", "--json").object["settings"]["start"]
    process = home.start("serve", "--port", "0", "--json")
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["address"], site
    process.send_signal(signal.SIGTERM)
    ended(process)


@pytest.mark.slow
@pytest.mark.parametrize("example", examples(), ids=lambda each: each.command)
def test_example(example: Example, served: tuple[str, str]) -> None:
    command = example.command.replace(SERVED, served[0]).replace(SITE, served[1])
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines() if "ndjson" in command else [done.stdout]
    said = [json.loads(line) for line in lines]
    assert all(said)
    assert "code" not in said[0] or "999" in command, said
    if "..." not in example.answer and example.answer:
        assert said == [json.loads(example.answer)]
    shown = re.findall(r'"(\w+)":', example.answer)
    assert [key for key in shown if f'"{key}":' not in done.stdout] == []


def test_the_page_shows_each_route_that_is_there() -> None:
    asked = " ".join(example.command for example in examples())
    assert len(examples()) >= 12
    for noun in (
        "search",
        "documents",
        "explain",
        "sources",
        "sources/kinds",
        "runs",
        "suggest",
        "queries",
        "queries/zero",
        "receivers/kinds",
        "receivers/lines/resend",
        "schedules/nightly/disable",
        "parameters/gentle/preview",
        "sources/harbour/test",
        "runs/3/stop",
        "system",
        "provider/pause",
    ):
        assert f"/api/v1/{noun}" in asked
