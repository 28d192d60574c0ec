"""What runs the product as a service fits it: files that are there, options it has, bounds it can live with."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess

import pytest
import typer

from cormorant.cli.begin import serve
from tests.house.reading import ROOT, text_of

UNIT, CONTAINER, NGINX = "deploy/cormorant.service", "deploy/Containerfile", "deploy/nginx.conf"
MOST_EXPOSED = 25
"""Of a hundred, as `systemd-analyze security` counts."""
WALLS = {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp", "capset", "unshare"}
"""What converters ask the kernel for to bind themselves. Without one of them none starts, and every document waits."""


def settings(unit: str) -> dict[str, list[str]]:
    """The values of a unit by name."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", unit, re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


def instructions(containerfile: str) -> list[tuple[str, str]]:
    """The instructions of a Containerfile, each on one line."""
    lines = (line for line in containerfile.replace("\\\n", " ").splitlines() if line and not line.startswith("#"))
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def options_of_serve() -> set[str]:
    command = typer.main.get_command(serve.app)
    return {name for each in command.params for name in each.opts}


def unknown_options(text: str) -> set[str]:
    """Options of `cormorant serve` that a text names and that it does not have."""
    calls = re.findall(r"\bserve((?: +[^ \n#]+)*)", text.replace('", "', " ").replace('"]', ""))
    named = {word for call in calls for word in shlex.split(call) if word.startswith("--")}
    return named - options_of_serve()


def test_what_is_told_to_serve_it_understands() -> None:
    for name in (UNIT, CONTAINER, NGINX, "docs/how-to/serving.md"):
        assert not unknown_options(text_of(name)), name


def test_an_unknown_option_is_found() -> None:
    assert unknown_options('CMD ["serve", "--hots", "0.0.0.0"]') == {"--hots"}
    assert unknown_options("cormorant serve --name a --prox b") == {"--prox"}


def test_converters_can_bind_themselves_under_the_unit() -> None:
    filters = settings(text_of(UNIT))["SystemCallFilter"]
    assert set(filters[-1].split()) >= WALLS
    assert {"user", "net"} <= set(settings(text_of(UNIT))["RestrictNamespaces"][0].split())


def test_the_unit_ends_as_the_product_does() -> None:
    unit = settings(text_of(UNIT))
    assert unit["KillMode"] == ["mixed"], "the first process ends the others in order"
    assert unit["SuccessExitStatus"] == ["130"]
    assert int(unit["TimeoutStopSec"][0]) > 40


def test_the_unit_is_bounded() -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here to be asked")
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager"]
    done = subprocess.run([*command, str(ROOT / UNIT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_container_copies_is_there_and_let_in() -> None:
    let_in = {line.removeprefix("!") for line in text_of(".dockerignore").splitlines() if line.startswith("!")}
    copied = [word for name, rest in instructions(text_of(CONTAINER)) if name == "COPY" and "--from" not in rest
              for word in rest.split()[:-1]]  # fmt: skip
    assert copied
    for path in copied:
        assert (ROOT / path).exists(), path
        assert path.partition("/")[0] in let_in, path
    for lock in re.findall(r"requirements/\S+\.txt", text_of(CONTAINER)):
        assert lock in copied, lock


def test_the_container_runs_as_nobody_else_and_stops_when_asked() -> None:
    said = dict(instructions(text_of(CONTAINER)))
    assert said["USER"] == "10001:10001"
    assert said["VOLUME"] == "/data"
    assert said["STOPSIGNAL"] == "SIGTERM"
    assert "/health/ready" in said["HEALTHCHECK"]
    assert json.loads(said["ENTRYPOINT"])[-1] == "cormorant"
    assert json.loads(said["CMD"])[0] == "serve"
    installs = [rest for name, rest in instructions(text_of(CONTAINER)) if name == "RUN" and "pip install" in rest]
    for call in re.findall(r"pip install[^&]+", " && ".join(installs)):
        assert "--require-hashes" in call or "--no-index" in call, call
