"""Somebody's own code: a function or class of an installed package, called in the process that delivers.

    `call = "package.module:name"`: a function, called with each batch; or a class, made once with `data`, then called

    batch -> call --returns--> nothing, refusals, stops; False: every run of the batch is to end
               `--raises--> the batch comes again; after `tries` times one by one, and what still raises is refused

What it raises is logged, and is nobody else's trouble. A class may have a method `approve(address)` that says whether a
folder may be entered (setting `veto`), and a method `close()`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ClassVar, TypeVar

from pydantic import Field, field_validator

from cormorant.base.errors import BadSetting, CormorantError
from cormorant.base.log import logger
from cormorant.receivers.protocol import Delivery, NotTaken, ReceiverSettings, ReceiverTools, Refusal, Stop

T = TypeVar("T")

_log = logger(__name__)
_CALL = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
APPROVE_S = 10.0
"""How long it may take to say whether a folder may be entered."""
MOST_WORDS = 500
"""Characters that are kept of what was raised."""


class PythonSettings(ReceiverSettings):
    """What is called, and with what."""

    call: str = Field(
        description="What is called, like shop.deliver:take: a module of an installed package, a name in it."
    )
    data: str = Field(default="", description="Handed to a class when it is made: what it needs to know.")
    tries: int = Field(
        default=5, ge=1, description="How often a batch is tried that raises, before it is offered one by one."
    )
    veto: bool = Field(
        default=False, description="Ask its method approve(address) before a folder of a files source is entered."
    )

    @field_validator("call")
    @classmethod
    def _call(cls, text: str) -> str:
        if not _CALL.fullmatch(text):
            raise ValueError("write MODULE:NAME, like shop.deliver:take.")
        return text


class PythonReceiver:
    """Calls one callable; made anew from its name and data whenever it is opened."""

    kind: ClassVar[str] = "python"

    def __init__(self, settings: PythonSettings, tools: ReceiverTools) -> None:  # noqa: ARG002 - needs none
        self.settings = settings
        self._called: Any = None
        self._apart: Apart | None = None
        self._failed, self._tried = 0, 0

    def open(self) -> None:
        """Import and make it. Raises BadSetting when that fails."""
        self.close()
        self._apart = Apart()
        self._called = loaded(self.settings, self._apart)

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Hand a batch over. Raises NotTaken when it raises, or returns what nobody understands."""
        if not batch:
            return ()
        try:
            said = self._told(batch)
        except NotTaken:
            self._tried = self._tried + 1 if self._failed == batch[0].seq else 1
            self._failed = batch[0].seq
            if self._tried < self.settings.tries:
                raise
            said = self._one_by_one(batch)
        self._failed = self._tried = 0
        return said

    def close(self) -> None:
        """Let it close what it has."""
        called, self._called = self._called, None
        close = getattr(called, "close", None)
        if self._apart is not None and callable(close):
            with suppress(NotTaken):
                self._apart.do(close)
        if self._apart is not None:
            self._apart.end()
            self._apart = None

    def _one_by_one(self, batch: Sequence[Delivery]) -> list[Refusal | Stop]:
        said: list[Refusal | Stop] = []
        for each in batch:
            try:
                said += self._told([each])
            except NotTaken as error:
                said.append(Refusal(each.seq, error.sentence))
        return said

    def _told(self, batch: Sequence[Delivery]) -> list[Refusal | Stop]:
        """Call it once. Raises NotTaken for anything that it raises."""
        called, apart = self._called, self._apart
        if apart is None:
            raise BadSetting(f"{self.settings.call} is not open. Open the receiver again; the batch comes again.")
        return apart.do(lambda: list(_understood(called(batch), batch)))


class Apart:
    """A thread for somebody else's code, which may raise anything there, and take as long as it likes."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="plug-in")

    def do(self, work: Callable[[], T], limit_s: float | None = None) -> T:
        """Have it done. Raises NotTaken with what it raised, whatever that was, or when it takes too long.

        The log has the traceback.
        """
        done = self._thread.submit(work)
        try:
            error = done.exception(limit_s)
        except TimeoutError:
            raise NotTaken(f"It has not come back for {limit_s:g} seconds.") from None
        if error is None:
            return done.result()
        _log.warning("plug-in raised", exc_info=error)
        words = " ".join(str(error).split())[:MOST_WORDS]
        raise NotTaken(f"{type(error).__name__}: {words}".removesuffix(": ")) from error

    def end(self) -> None:
        """Let the thread end when it has nothing to do any more."""
        self._thread.shutdown(wait=False)


def loaded(settings: PythonSettings, apart: Apart) -> Any:
    """What is to be called: a function, or an instance of a class. Raises BadSetting when it cannot be had."""
    module, _, name = settings.call.partition(":")
    try:
        found: Any = apart.do(lambda: getattr(importlib.import_module(module), name))
        made: Any = apart.do(lambda: found(settings.data)) if isinstance(found, type) else found
    except NotTaken as error:
        raise BadSetting(f"{settings.call} cannot be had: {error.sentence}") from error
    if not callable(made):
        raise BadSetting(
            f"{settings.call} cannot be called. Name a function, or a class with a method __call__(batch)."
        )
    if settings.veto and not callable(getattr(made, "approve", None)):
        raise BadSetting(f"{settings.call} has no method approve(address), which the setting veto asks.")
    return made


class Veto:
    """Says of a folder's address whether it may not be entered.

    Where it raises, or cannot be had, nobody knows, and nothing is entered; what does not come back is not asked again.
    """

    def __init__(self, settings: PythonSettings) -> None:
        self._apart: Apart | None = Apart()
        self._why = ""
        try:
            self._approve: Any = loaded(settings, self._apart).approve
        except BadSetting as error:
            self._end(error)

    def _end(self, error: CormorantError) -> None:
        """Nobody is asked any more."""
        _log.warning("no veto", extra={"reason": error.sentence})
        if self._apart is not None:
            self._apart.end()
        self._apart, self._why = None, error.sentence

    def __call__(self, address: str) -> bool:
        """May it not be entered? Raises NotTaken when that cannot be told."""
        if self._apart is None:
            raise NotTaken(self._why)
        try:
            return self._apart.do(lambda: self._approve(address), APPROVE_S) is False
        except NotTaken as error:
            if not isinstance(error.__cause__, BaseException):
                self._end(error)
            else:
                _log.warning("no answer", extra={"address": address, "reason": error.sentence})
            raise


def veto(settings: PythonSettings) -> Veto | None:
    """What says which folders may not be entered; None when nothing is to be asked."""
    return Veto(settings) if settings.veto else None


def _understood(said: object, batch: Sequence[Delivery]) -> Iterator[Refusal | Stop]:
    """What a call returned, as the protocol has it. Raises TypeError for anything else."""
    if said is None or said is True:
        return
    if said is False:
        for run in sorted({each.run for each in batch}):
            yield Stop(run, "it said so")
        return
    if not isinstance(said, Iterable):
        raise TypeError(f"it returned {type(said).__name__}; nothing, True, False or refusals are understood")
    for each in said:
        if not isinstance(each, Refusal | Stop):
            raise TypeError(f"it returned {type(each).__name__} among others, which is no Refusal and no Stop")
        yield each
