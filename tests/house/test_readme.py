"""What README and docs show works: their `$ cormorant ...` blocks are run in order, each page in a folder of its own.

The folder holds `papers/`, the sample's documents, and the sample's site stands in for http://127.0.0.1:8000/; what
pages call /var/backups and /srv/new are places beside it. A block that cannot run here (it needs the internet, or never
ends) has `<!-- not run: why -->` before its fence. A command may end with 3: done, but something has to be looked at.
What a report counts is what the page shows.

A line that is one command is run in this process, or forked from one that has the program loaded when it starts
others, as tests of the command line are: it is the start of Python that takes the time. What else there is goes to a
shell.

Examples in Python run behind the commands, and see the same installation: neither leaves another one in the folder.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

import pytest

from cormorant.app.sample.pages import documents_folder
from cormorant.app.sample.site import SampleSite
from tests.cli import kept
from tests.cli.world import PROCESSES, Done, ended, here
from tests.clocks import HANG_S
from tests.house.reading import ROOT, text_of
from tests.house.shown import Shown, blocks

FIRST = ("README.md", "docs/tutorial.md")
"""Pages that are run one after the other, in one account: `test_first_steps.py`."""
PAGES = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
EXAMPLE = re.compile(r"^```python\n(?P<code>from cormorant import .*?)^```$", re.MULTILINE | re.DOTALL)
COUNTED = re.compile(r"^  (?:[a-z]+(?: [a-z]+)* {3,}[\d,]+$|\d+ requests|\d+ [a-z]+(?:, \d+ [a-z]+)*$)", re.MULTILINE)
"""Lines of a run report that are the same at each run: the counters, the requests, the outcomes."""
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
SITE = "http://127.0.0.1:8000/"
ELSEWHERE = re.compile(r"/(?:var/backups|srv/new)\b")
PLAIN = re.compile(r"""cormorant (?:[\w ./:=,@+-]|'[^'\n]*'|"[^"$`\\\n]*")+""")
"""What means the same to a shell as to `shlex`."""
QUOTED = re.compile(r"""'[^'\n]*'|"[^"\n]*\"""")
WELL = (0, 3)
DATA = "installation"


def shown(markdown: str) -> list[Shown]:
    """The lines of the blocks that are run."""
    return [line for block in blocks(markdown) if block.is_run for line in block.lines]


def commands(markdown: str) -> list[str]:
    """The commands alone."""
    return [each.command for each in shown(markdown)]


def run(command: str, folder: Path, data: Path | None = None) -> Done:
    """Run one line as a reader would, without a terminal, on the account's installation or on that in a folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    given = {"CORMORANT_DATA": str(data)} if data else {}
    with patch.dict(os.environ, {"PATH": path} | given), chdir(folder):
        return _without_a_shell(command) or _by_a_shell(command)


def _without_a_shell(command: str) -> Done | None:
    """Run what is one command of ours; None for anything else."""
    if not PLAIN.fullmatch(command):
        return None
    words = shlex.split(command)[1:]
    if not PROCESSES.search(command):
        return here(*words)
    return Done(*kept.run(words, os.environ, HANG_S))


def _by_a_shell(command: str) -> Done:
    process = subprocess.Popen(
        ["bash", "-c", command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    return ended(process, HANG_S)


def zoneless(command: str, answer: str) -> list[str]:
    """Moments as programs read them in what a command of ours tells a person."""
    ours = command.startswith("cormorant ") and "--json" not in command
    return MOMENT.findall(answer) if ours else []


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with SampleSite() as started:
        yield started.address


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", [page for page in PAGES if page not in FIRST and commands(text_of(page))])
def test_page(page: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, site: str) -> None:
    shutil.copytree(documents_folder(), tmp_path / "papers")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    text = ELSEWHERE.sub(lambda place: str(elsewhere / Path(place[0]).name), text_of(page).replace(SITE, site))
    (elsewhere / "backups").mkdir()
    for command, answer in shown(text):
        done = run(command, tmp_path, tmp_path / DATA)
        assert done.code in WELL, f"{page}: $ {command}\nended {done.code}\n{done.out}{done.err}"
        assert not zoneless(command, done.out + done.err), f"{page}: $ {command}\n{done.out}{done.err}"
        counted = COUNTED.findall(answer)
        assert not counted or COUNTED.findall(done.out) == counted, f"{page}: $ {command}\n{done.out}"
    for example in EXAMPLE.finditer(text):
        (tmp_path / "papers" / "example.py").write_text(example["code"])
        done = run("python papers/example.py", tmp_path, tmp_path / DATA)
        assert done.code == 0, f"{page}:\n{example['code']}\n{done.out}{done.err}"
        assert site in done.out, "the example shows no hit"
    assert {each.name for each in tmp_path.iterdir()} == {"papers", DATA}


def test_readme_shows_what_python_can_do() -> None:
    assert EXAMPLE.search(text_of("README.md"))


def test_what_is_counted_is_read_from_a_report() -> None:
    report = (
        "Run 1 of 'a': finished after 1.1 s, 19.33 pages a second\n\n  to fetch                       0\n"
        "  fetched                   21,000\n\n  27 requests, 46.1 kB over the wire\n  20 new, 1 moved\n"
    )
    assert COUNTED.findall(report) == [
        "  to fetch                       0", "  fetched                   21,000",
        "  27 requests", "  20 new, 1 moved",
    ]  # fmt: skip


def test_a_moment_for_programs_is_seen_where_a_person_reads() -> None:
    answer = "Next: 2026-11-28T13:03:00.000Z."
    assert zoneless("cormorant status", answer)
    assert not zoneless("cormorant status --json", answer)
    assert not zoneless("cormorant status", "Next: 2026-11-28 14:03 CET.")


def test_readme_shows_commands() -> None:
    assert commands(text_of("README.md")), "README.md shows no command that can be run"


def test_commands_are_read_from_blocks() -> None:
    markdown = (
        "```console\n$ cormorant search one \\\n    --json\n{}\n$ cat x\n```\n"
        "<!-- not run: needs the internet -->\n```sh\n$ cormorant crawl\n```\n"
        "```sh\n$ make run\n```\n```python\n$ cormorant no\n```\n```sh\n$ cormorant version\n```\n"
    )
    assert commands(markdown) == ["cormorant search one     --json", "cat x", "cormorant version"]


def test_a_failing_command_is_seen(tmp_path: Path) -> None:
    assert run("exit 4", tmp_path).code not in WELL
    for wrong in ("cormorant crawl --nonsense", "cormorant sources"):
        assert run(wrong, tmp_path, tmp_path / DATA).code == 2
    assert run("echo $CORMORANT_DATA", tmp_path, tmp_path / DATA).out.strip() == str(tmp_path / DATA)


def patterns(command: str) -> list[str]:
    """The words of a command of ours that a shell may take for patterns of names: zsh refuses those that match none."""
    words = QUOTED.sub("", command).split() if command.startswith("cormorant ") else []
    return [word for word in words if set(word) & set("*?[")]


@pytest.mark.parametrize("page", PAGES)
def test_no_pattern_stands_without_quotes(page: str) -> None:
    lines = [line.command for block in blocks(text_of(page)) for line in block.lines]
    assert not [line for line in lines if patterns(line)]


def test_a_pattern_without_quotes_is_seen() -> None:
    assert patterns("cormorant source edit a --set exclude=*.csv --set 'b=*'") == ["exclude=*.csv"]
    assert not patterns("""cormorant source edit a --set 'exclude=*.csv' --set "b=c?" """)
    assert not patterns("grep -h x logs/*.log")


def test_what_needs_a_shell_gets_one() -> None:
    plain = ("cormorant search 'one two'", 'cormorant source list --set "a=b c"', "cormorant status", "cormorant crawl")
    assert all(map(PLAIN.fullmatch, plain))
    for each in (
        "cormorant search a | wc", "cormorant search *", "cormorant status > x", "cat x",
        "cormorant search $HOME", 'cormorant search "$X"', "cormorant status; ls", "cormorant status &",
    ):  # fmt: skip
        assert _without_a_shell(each) is None, each
