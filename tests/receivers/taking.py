"""What the receiver of the kind `python` calls in tests, in a process of its own.

What is taken lies in a folder, for the test to read; so does what a test wants it to do.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from cormorant.base.clock import pause
from cormorant.plugins import Delivery, Refusal, Stop

FOLDER = "TAKING"
"""The environment's word for the folder; without one nothing is kept, and everything is taken."""


def taken() -> dict[int, Delivery]:
    """What was taken, by number."""
    found: dict[int, Delivery] = {}
    for each in _read("taken"):
        found.update(each)
    return found


def calls() -> list[list[int]]:
    """The numbers of each call."""
    return list(_read("calls"))


def forget() -> None:
    """Begin anew."""
    for name in ("taken", "calls", "raises", "late", "hangs", "deadly"):
        _path(name).unlink(missing_ok=True)


def raise_for(*seqs: int) -> None:
    """Have it raise for these from now on, and for no others."""
    _put("raises", seqs)


def die_for(*seqs: int, how: str = "exit") -> None:
    """Have it end its process for these from now on, and for no others."""
    _put("deadly", (how, seqs))


def say_late(*said: Refusal | Stop) -> None:
    """Have `Shop` say this at the end of the next run."""
    _put("late", said)


def hang(*, on: bool = True) -> None:
    """Have whoever takes hang until it is not wanted any more."""
    _path("hangs").unlink(missing_ok=True) if not on else _path("hangs").touch()


def hangs() -> bool:
    """Is it wanted that whoever takes hangs?"""
    return _path("hangs").exists()


def take(batch: Sequence[Delivery]) -> list[Refusal]:
    """Take what JSON can write; raise, or die, for what a test said."""
    seqs = [each.seq for each in batch]
    _add("calls", seqs)
    for how, deadly in _read("deadly"):
        if set(deadly) & set(seqs):
            end(how)
    for bad in _read("raises"):
        if found := set(bad) & set(seqs):
            raise ValueError(f"number {min(found)}\nis odd")
    refused = [Refusal(each.seq, "not JSON") for each in batch if not _is_json(each.document)]
    _add("taken", {each.seq: each for each in batch if each.seq not in {one.seq for one in refused}})
    return refused


def end(how: str) -> None:
    """End the process, in one of the ways there are."""
    if how == "exit":
        os._exit(3)
    signal.raise_signal(getattr(signal, how))


def nonsense(batch: Sequence[Delivery]) -> Any:
    """Return what nobody understands."""
    return [seq.seq for seq in batch]


def enough(batch: Sequence[Delivery]) -> bool:
    """Want no more."""
    return False


def ends(batch: Sequence[Delivery]) -> None:
    """Try to end the process."""
    raise SystemExit("over")


def dies(batch: Sequence[Delivery]) -> None:
    """End the process with everything."""
    os._exit(3)


def talks(batch: Sequence[Delivery]) -> None:
    """Log something."""
    logging.getLogger("shop").warning("the %s is out", "mole")


def babbles(batch: Sequence[Delivery]) -> None:
    """Logs what does not go together, and a name that is no text."""
    logging.getLogger("plug").warning("%d documents", "many")
    logging.getLogger("plug").warning("odd %s", "\udcff")


class Fatal:
    """Ends the process when it is made."""

    def __init__(self, data: str) -> None:
        os._exit(4)

    def __call__(self, batch: Sequence[Delivery]) -> None:
        """Never called."""


class Poisoned:
    """Takes everything but what has a word in its address, which ends its process; keeps addresses in a file."""

    def __init__(self, data: str) -> None:
        self.word, _, path = data.partition(" ")
        self.path = Path(path)

    def __call__(self, batch: Sequence[Delivery]) -> None:
        """Take a batch."""
        if any(self.word in each.url for each in batch):
            os._exit(3)
        with self.path.open("a") as lines:
            lines.writelines(f"{each.url}\n" for each in batch)

    def approve(self, address: str) -> bool:
        """Let everything in, and die of what has the word."""
        if self.word in address:
            os._exit(3)
        return True


class Shop:
    """Made with data; keeps out what the data names; says at the end of a run what it could not take."""

    def __init__(self, data: str) -> None:
        self.data = data

    def __call__(self, batch: Sequence[Delivery]) -> list[Refusal | Stop] | None:
        while hangs():
            pause(0.02)
        _add("calls", [each.seq for each in batch])
        _add("taken", {each.seq: each for each in batch})
        if any(each.event == "finished" for each in batch):
            (said,) = list(_read("late")) or [()]
            _path("late").unlink(missing_ok=True)
            return list(said)
        return None

    def approve(self, address: str) -> bool:
        if "raise" in address:
            raise RuntimeError("no idea")
        return not (self.data and self.data in address)


def _is_json(value: object) -> bool:
    try:
        msgspec.json.encode(value)
    except TypeError:
        return False
    return True


class Slow:
    """Keeps everything out, and takes its time; made with data it says so again and again."""

    def __init__(self, data: str) -> None:
        self.data = data

    def __call__(self, batch: Sequence[Delivery]) -> None:
        """Take nothing."""

    def approve(self, address: str) -> bool:
        while hangs():
            if self.data:
                logging.getLogger("shop").warning("not yet")
            pause(0.02)
        return False


def _path(name: str) -> Path:
    return Path(os.environ.get(FOLDER, "/nowhere")) / name


def _put(name: str, value: object) -> None:
    _path(name).unlink(missing_ok=True)
    _add(name, value)


def _add(name: str, value: object) -> None:
    if FOLDER in os.environ:
        with _path(name).open("ab") as file:
            file.write(pickle.dumps(value))


def _read(name: str) -> Iterable[Any]:
    try:
        file = _path(name).open("rb")
    except OSError:
        return
    with file:
        while True:
            try:
                yield pickle.load(file)
            except (EOFError, pickle.UnpicklingError):  # the last one is being written
                return
