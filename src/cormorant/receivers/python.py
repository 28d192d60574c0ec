"""Somebody's own code: a function or class of an installed package, called in a process of its own.

    `call = "package.module:name"`: a function, called with each batch; or a class, made once with `data`, then called

    batch -> call --returns--> nothing, refusals, stops; False: every run of the batch is to end
               `--raises, or ends its process--> the batch comes again, to a new process if need be; after `tries`
                    times one by one, and what still makes it raise or end is refused

What it raises is logged, and is nobody else's trouble, nor is how it ends. A class may have a method `approve(address)`
that says whether a folder may be entered (setting `veto`), and a method `close()`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, field_validator

from cormorant.base.errors import BadSetting, CormorantError
from cormorant.base.log import logger
from cormorant.model.settings.bounded import Count
from cormorant.receivers.plugin_process import Apart, Approve, Died, Late, Make, Tell, Untold
from cormorant.receivers.protocol import Delivery, NotTaken, ReceiverTools, RecordSettings, Refusal, Stop

_log = logger(__name__)
_CALL = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
APPROVE_S = 10.0
"""How long it may take to say whether a folder may be entered."""
MOST_DEATHS = 3
"""So many records of a batch, one by one, may end its process before it is left alone for a while; folders, for good.

Else one that ends with everything would cost the start of a process for each record there is.
"""


class PythonSettings(RecordSettings):
    """The settings of the Python object that is called, and of its data."""

    LISTED_BY = "cormorant receiver kinds python"
    call: str = Field(
        description="The function or class to call, like shop.deliver:take: an importable module and a name in it."
    )
    data: str = Field(default="", description="Passed to a class when it is created.")
    tries: Count = Field(
        default=5,
        description="Number of attempts for a batch that raises, before its documents are offered one by one.",
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


class ApartReceiver:
    """Hands batches to a callable in another process, and each document by itself when that raises again and again."""

    def __init__(self, make: Make, tries: int) -> None:
        self._make, self._tries = make, tries
        self._apart: Apart | None = None
        self._failed, self._tried = 0, 0
        self._deadly: dict[int, str] = {}

    def open(self) -> None:
        """Import and make it. Raises BadSetting when that fails."""
        self.close()
        self._apart = Apart(self._make)
        self._apart.open()

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Hand a batch over. Raises NotTaken when it raises or ends, or returns what nobody understands."""
        if not batch:
            return ()
        try:
            said = self._told(batch)
        except Untold:  # however often it comes
            said = self._one_by_one(batch)
        except NotTaken:
            self._tried = self._tried + 1 if self._failed == batch[0].seq else 1
            self._failed = batch[0].seq
            if self._tried < self._tries:
                raise
            said = self._one_by_one(batch)
        self._failed = self._tried = 0
        self._deadly.clear()
        return said

    def close(self) -> None:
        """Let it close what it has."""
        apart, self._apart = self._apart, None
        if apart is not None:
            apart.end()

    def _one_by_one(self, batch: Sequence[Delivery]) -> list[Refusal | Stop]:
        """Return the refusals and stops of each delivery in a batch.

        Raises Died when too many end it; those are known when the batch comes again.
        """
        said: list[Refusal | Stop] = []
        deaths = 0
        for each in batch:
            if each.seq in self._deadly:
                said.append(Refusal(each.seq, self._deadly[each.seq]))
                continue
            try:
                said += self._told([each])
            except Died as error:
                self._deadly[each.seq] = error.sentence
                said.append(Refusal(each.seq, error.sentence))
                deaths += 1
                if deaths == MOST_DEATHS:
                    raise
            except NotTaken as error:
                said.append(Refusal(each.seq, error.sentence))
        return said

    def _told(self, batch: Sequence[Delivery]) -> list[Refusal | Stop]:
        """Call it once. Raises NotTaken for anything that it raises, Died when it ends its process."""
        if self._apart is None:
            raise BadSetting(f"{self._make.call} is not open. Open the receiver again; the batch comes again.")
        answer = self._apart.ask(Tell(batch))
        return [*answer.refusals, *answer.stops]


class PythonReceiver(ApartReceiver):
    """Calls one callable; made anew from its name and data whenever it is opened."""

    kind: ClassVar[str] = "python"

    def __init__(self, settings: PythonSettings, tools: ReceiverTools) -> None:  # noqa: ARG002 - needs none
        self.settings = settings
        super().__init__(_make(settings), settings.tries)


class Veto:
    """Says of a folder's address whether it may not be entered.

    Where it raises, or cannot be had, nobody knows, and nothing is entered; what does not come back, or ends its
    process again and again, is not asked any more.
    """

    def __init__(self, settings: PythonSettings) -> None:
        self._apart: Apart | None = Apart(_make(settings))
        self._why, self._deaths = "", 0

    def __call__(self, address: str) -> bool:
        """Return whether a folder may not be entered. Raises NotTaken when that cannot be told."""
        if self._apart is None:
            raise NotTaken(self._why)
        try:
            answer = self._apart.ask(Approve(address), APPROVE_S)
        except BadSetting as error:
            self._end(error)
            raise NotTaken(error.sentence) from error
        except Died as error:
            self._deaths += 1
            if self._deaths == MOST_DEATHS:
                self._end(error)
            raise
        except Late as error:
            self._end(error)
            raise
        return answer.vetoed

    def _end(self, error: CormorantError) -> None:
        """Nobody is asked any more."""
        _log.warning("no veto", extra={"reason": error.sentence})
        if self._apart is not None:
            self._apart.end()
        self._apart, self._why = None, error.sentence


def veto(settings: PythonSettings) -> Veto | None:
    """Return the veto that says which folders may not be entered; None when nothing is to be asked."""
    return Veto(settings) if settings.veto else None


def _make(settings: PythonSettings) -> Make:
    return Make(settings.call, settings.data, settings.veto)
