"""What a process has its children compile it compiles as well, so that the next ones find it compiled.

Compiled statements cannot be sent, what they were compiled from can.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pickle import UnpicklingError
from tempfile import TemporaryFile
from typing import Any

from sqlalchemy.ext import serializer

from cormorant.store.db import drivers
from cormorant.store.schema import metadata

_UNREADABLE = (KeyError, UnpicklingError, EOFError, ValueError, IndexError, AttributeError)
"""Of a table that is not ours but of who migrates them; and of a child that was killed while it wrote."""
NOWHERE = {"sqlite": "sqlite://", "postgresql": "postgresql://nobody@nowhere.invalid/nothing"}
"""An address of each kind, which nobody connects to."""


class Shared(drivers.Compiled):
    """The statements of this process, to which those are added that its children compile."""

    __slots__ = ("_dialects", "_file", "_parent", "_read")

    def __init__(self, known: drivers.Compiled) -> None:
        super().__init__(drivers.MOST)
        self._data.update(known._data)
        self._parent = os.getpid()
        with TemporaryFile() as file:
            self._file = os.dup(file.fileno())
        self._read = 0
        self._dialects: dict[str, Any] = {}

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if os.getpid() != self._parent:
            said = serializer.dumps((key[0].name, value.statement, key[2], key[4]))  # type: ignore[no-untyped-call]
            os.write(self._file, len(said).to_bytes(4, "big") + said)

    def learn(self) -> None:
        """Compile what children have said since; what one could not say to its end is left for another."""
        said = os.pread(self._file, os.fstat(self._file).st_size - self._read, self._read)
        while len(said) >= (end := 4 + int.from_bytes(said[:4], "big")) > 4:
            self._read += end
            with suppress(*_UNREADABLE):
                kind, statement, columns, many = serializer.loads(said[4:end], metadata)  # type: ignore[no-untyped-call]
                statement._compile_w_cache(
                    self._dialect(kind), compiled_cache=self, column_keys=list(columns), for_executemany=many
                )
            said = said[end:]

    def close(self) -> None:
        """Let go of the file that children write into."""
        os.close(self._file)

    def _dialect(self, kind: str) -> Any:
        if kind not in self._dialects:
            self._dialects[kind] = drivers.engine(NOWHERE[kind]).dialect
        return self._dialects[kind]
