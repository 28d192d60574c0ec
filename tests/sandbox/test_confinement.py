"""What a child cannot do. Each means is asserted where this machine has it; `Allowed` says which."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from cormorant.sandbox import Allowed, Finished, ServerHandle
from tests.sandbox.conftest import Ask

IS_X86 = platform.machine() == "x86_64"


@pytest.fixture
def allowed(server: ServerHandle) -> Allowed:
    return server.allowed


def report(answer: object) -> dict[str, str]:
    assert isinstance(answer, Finished), answer
    found: dict[str, str] = json.loads(answer.value)
    return found


def test_nobody_can_be_reached(ask: Ask, allowed: Allowed, server: ServerHandle) -> None:
    if not allowed.seccomp:
        pytest.skip("no seccomp here")
    tried = report(ask("reach_out", server.address.encode()))
    if not IS_X86:
        del tried["shared_memory"]
    assert set(tried.values()) == {"EPERM"}, tried


def test_nothing_can_be_started(ask: Ask, allowed: Allowed) -> None:
    if not allowed.seccomp:
        pytest.skip("no seccomp here")
    tried = report(ask("start_others"))
    if not IS_X86:
        del tried["vfork"]
    assert set(tried.values()) == {"EPERM"}, tried


def test_what_is_started_where_nothing_forbids_it_dies_with_the_child(ask: Ask, allowed: Allowed) -> None:
    answer = ask("fork_and_linger")
    assert isinstance(answer, Finished) is not allowed.seccomp


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    for name in ("secret", "open"):
        (tmp_path / name).write_bytes(b"secret")
        (tmp_path / name).chmod(0o666)
    tmp_path.chmod(0o777)
    return tmp_path


READS = ("read_passwd", "read_folder", "list_root", "list_folder", "read_environment")
OPENS = ("create", "append")
CHANGES = ("truncate", "remove", "rename", "link", "folder", "mode", "mount")


def test_no_file_of_others_can_be_read(ask: Ask, allowed: Allowed, open_folder: Path) -> None:
    tried = report(ask("touch_files", str(open_folder).encode()))
    assert tried["read_library"] == "done"
    if not allowed.landlock:
        pytest.skip("no Landlock here")
    assert {tried[name] for name in READS} == {"EACCES"}, tried


STARTER = """
import asyncio, sys
from cormorant.sandbox import start_server
from cormorant.sandbox.client import ChildPool
handle = start_server((), {"touch_files": "tests.sandbox.tasks:touch_files"})
try:
    answer = asyncio.run(ChildPool(handle.addresses).run("touch_files", sys.argv[1].encode()))
    print(answer.value.decode())
finally:
    handle.stop()
"""


@pytest.mark.parametrize("how", ["script", "module", "named"])
def test_the_folder_of_the_starter_cannot_be_read(how: str, open_folder: Path, allowed: Allowed) -> None:
    """Python finds modules in the folder of a script and in the working folder; the data folder may lie there too."""
    if not allowed.landlock:
        pytest.skip("no Landlock here")
    (open_folder / "starter.py").write_text(STARTER, encoding="utf-8")
    found = [path for path in sys.path if path] + ([str(open_folder)] if how == "named" else [])
    command = [sys.executable, *(["-m", "starter"] if how == "module" else ["starter.py"]), str(open_folder)]
    said = subprocess.run(
        command, cwd=open_folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(found)}, capture_output=True,
        text=True, check=True,
    ).stdout  # fmt: skip
    tried = json.loads(said)
    assert tried["read_library"] == "done"
    assert {tried[name] for name in READS} == {"EACCES"}, tried


def test_no_file_can_be_written_or_changed(ask: Ask, allowed: Allowed, open_folder: Path) -> None:
    tried = report(ask("touch_files", str(open_folder).encode()))
    if not (allowed.landlock or allowed.seccomp):
        pytest.skip("neither Landlock nor seccomp here")
    assert "done" not in {tried[name] for name in (*OPENS, *CHANGES[:-2])}, tried
    if allowed.seccomp:
        assert {tried[name] for name in OPENS} == {"EACCES"}, tried
        assert {tried[name] for name in CHANGES} <= {"EPERM", "EACCES"}, tried
    assert sorted(path.name for path in open_folder.iterdir()) == ["open", "secret"]
    assert (open_folder / "open").read_bytes() == b"secret"


def test_descriptors_and_threads_run_out(ask: Ask, allowed: Allowed) -> None:
    used = json.loads(ask("use_up", files=20, processes=5).value)  # type: ignore[union-attr]
    assert used["descriptors"] == 20
    if allowed.namespaces and os.getuid() != 0:
        assert used["threads"] == 4
    else:
        assert used["threads"] == 64


def test_memory_that_is_not_counted_is_not_given(ask: Ask, allowed: Allowed) -> None:
    if not allowed.seccomp:
        pytest.skip("no seccomp here")
    assert report(ask("share_memory", b"4096")) == {"anonymous": "EPERM"}


def test_a_child_finds_nothing_lying_about(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(ask("look_around").value)  # type: ignore[union-attr]
    assert len(found["descriptors"]) == 4, "standard ones and the connection"
    assert set(found["environment"]) <= {
        "PATH", "PYTHONPATH", "LC_ALL", "LC_CTYPE", "MALLOC_ARENA_MAX", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
        "RAYON_NUM_THREADS", "TOKIO_WORKER_THREADS",
    }  # fmt: skip
    assert found["folder"] == "/"
    assert found["group"]
    assert found["core"] == [0, 0]
    assert found["stdin"] == ""
