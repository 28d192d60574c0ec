"""The readers that are compared: what each is called, and the command of its process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final, NamedTuple

from bench.formats.environments import environment, jars
from bench.places import BENCH

_READERS: Final = "bench.formats.readers"
_TIKA: Final = BENCH / "formats" / "readers" / "tika"


class Peer(NamedTuple):
    """A reader. `title` has its version, `command` makes the command and raises NotHere; `timed`: for its speed too."""

    name: str
    title: str
    command: Callable[[], tuple[str, ...]]
    timed: bool = False


def _ours() -> tuple[str, ...]:
    return sys.executable, "-m", f"{_READERS}.ours"


def _tika() -> tuple[str, ...]:
    folder = jars("tika", _TIKA / "pom.xml")
    return "java", "-Xmx1g", "-cp", f"{folder}/*", str(_TIKA / "TikaReader.java")


def _markitdown() -> tuple[str, ...]:
    return str(environment("markitdown", "markitdown[all]==0.1.9")), "-m", f"{_READERS}.with_markitdown"


def _xberg() -> tuple[str, ...]:
    return str(environment("xberg", "xberg==1.3.9")), "-m", f"{_READERS}.with_xberg"


OURS: Final = Peer("ours", "ours", _ours, timed=True)
PEERS: Final = (
    Peer("tika", "Tika 3.2.3", _tika, timed=True),
    Peer("markitdown", "markitdown 0.1.9", _markitdown),
    Peer("xberg", "xberg 1.3.9", _xberg),
)
