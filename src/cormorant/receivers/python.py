"""Receiver of third-party code: a function or class of an installed package, called in a process of its own.

    `call = "package.module:name"`: a function, called with each batch; or a class, made once with `data`, then called

    batch -> call --returns--> nothing, refusals, stops; False: every run of the batch has to end
               `--raises, or ends its process--> the batch is delivered again, to a new process if need be; after
                    `tries` times one by one, and a delivery that still makes it raise or end is refused

Exceptions are logged and affect no other receiver, nor does the end of the process. A class may have a method
`approve(address)` that says whether a folder may be entered (setting `veto`), and a method `close()`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, field_validator

from cormorant.base.errors import BadSetting, CormorantError
from cormorant.base.log import logger
from cormorant.model.settings.bounded import Count
from cormorant.receivers.plugin_process import Apart, Approve, Deliver, Died, Late, Make, NotEncodable
from cormorant.receivers.protocol import Delivery, NotTaken, ReceiverTools, RecordSettings, Refusal, Stop

_log = logger(__name__)
_CALL = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
APPROVE_S = 10.0
"""Seconds that `approve` may take for a folder."""
MOST_DEATHS = 3
"""Records of a batch, one by one, that may end the process before it pauses; for folders, before the veto is given up.

Otherwise a receiver that ends with every record would cost the start of a process for each.
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
    """Delivers batches to a callable in another process, and each document by itself after repeated failures."""

    def __init__(self, make: Make, tries: int) -> None:
        self._make, self._tries = make, tries
        self._apart: Apart | None = None
        self._failed, self._tried = 0, 0
        self._deadly: dict[int, str] = {}

    def open(self) -> None:
        """Import and make the callable. Raises BadSetting when that fails."""
        self.close()
        self._apart = Apart(self._make)
        self._apart.open()

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Deliver a batch. Raises NotTaken when the call raises, ends its process, or returns an unknown type."""
        if not batch:
            return ()
        try:
            said = self._deliver(batch)
        except NotEncodable:  # a repeat would fail too
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
        """Let the callable close its resources, and end its process."""
        apart, self._apart = self._apart, None
        if apart is not None:
            apart.end()

    def _one_by_one(self, batch: Sequence[Delivery]) -> list[Refusal | Stop]:
        """Return the refusals and stops of each delivery in a batch.

        Raises Died if too many of them end the process; those are skipped when the batch is delivered again.
        """
        said: list[Refusal | Stop] = []
        deaths = 0
        for each in batch:
            if each.seq in self._deadly:
                said.append(Refusal(each.seq, self._deadly[each.seq]))
                continue
            try:
                said += self._deliver([each])
            except Died as error:
                self._deadly[each.seq] = error.sentence
                said.append(Refusal(each.seq, error.sentence))
                deaths += 1
                if deaths == MOST_DEATHS:
                    raise
            except NotTaken as error:
                said.append(Refusal(each.seq, error.sentence))
        return said

    def _deliver(self, batch: Sequence[Delivery]) -> list[Refusal | Stop]:
        """Call it once. Raises NotTaken for an exception, Died when it ends its process."""
        if self._apart is None:
            raise BadSetting(f"{self._make.call} is not open. Open the receiver again; the batch comes again.")
        answer = self._apart.ask(Deliver(batch))
        return [*answer.refusals, *answer.stops]


class PythonReceiver(ApartReceiver):
    """Calls one callable; `open` makes it again from its name and data."""

    kind: ClassVar[str] = "python"

    def __init__(self, settings: PythonSettings, tools: ReceiverTools) -> None:  # noqa: ARG002 - needs none
        self.settings = settings
        super().__init__(_make(settings), settings.tries)


class Veto:
    """Decides by a folder's address whether it may not be entered.

    If the call raises or cannot be made, the answer is unknown, and nothing is entered. After a timeout, or repeated
    ends of its process, it is not called any more.
    """

    def __init__(self, settings: PythonSettings) -> None:
        self._apart: Apart | None = Apart(_make(settings))
        self._why, self._deaths = "", 0

    def __call__(self, address: str) -> bool:
        """Return whether a folder may not be entered. Raises NotTaken when that is unknown."""
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
        """Stop asking; every later call raises this error's sentence."""
        _log.warning("no veto", extra={"reason": error.sentence})
        if self._apart is not None:
            self._apart.end()
        self._apart, self._why = None, error.sentence


def veto(settings: PythonSettings) -> Veto | None:
    """Return the veto that decides which folders may be entered; None without the setting `veto`."""
    return Veto(settings) if settings.veto else None


def _make(settings: PythonSettings) -> Make:
    return Make(settings.call, settings.data, settings.veto)
