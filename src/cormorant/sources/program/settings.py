"""Settings of a source that is a program."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final, Literal

from pydantic import Field, field_validator

from cormorant.model.settings.bounded import Timeout
from cormorant.model.settings.secret_name import secret_name
from cormorant.sources.protocol import Discovery
from cormorant.sources.server_settings import TimedSettings

MAX_SIZE: Final = 64 << 20
"""Bytes; no setting lets a larger document in."""
LINE_ROOM: Final = 1 << 20
"""Bytes that a line may have beside the document in it."""


class ProgramSettings(TimedSettings):
    """Settings of a source that is a program."""

    LISTED_BY = "cormorant source kinds program"
    UNSHOWN = frozenset(("parameter", "secret"))
    AT_ONCE = TimedSettings.AT_ONCE | {"start_timeout_s", "max_memory_bytes"}
    JUDGED = TimedSettings.JUDGED | {"max_size_bytes", "command", "parameter", "secret"}
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("program", "executable", "exec", "cmd", "path", "script"), "command"),
        **dict.fromkeys(("param", "params", "arguments", "args", "options", "values", "value"), "parameter"),
        **dict.fromkeys(("secrets", "password", "credentials", "token"), "secret"),
        **dict.fromkeys(("model", "discovery", "incremental", "changes"), "change_model"),
        **dict.fromkeys(("timeout", "time_limit", "limit_s"), "timeout_s"),
        **dict.fromkeys(("memory", "memory_bytes", "max_memory", "memory_limit"), "max_memory_bytes"),
        **dict.fromkeys(("max_size", "size_limit"), "max_size_bytes"),
        **dict.fromkeys(("processes", "parallel", "workers"), "per_host"),
    }

    command: tuple[str, ...] = Field(
        min_length=1,
        description="The program and its arguments, one value each, like /srv/tickets.py. May repeat.",
    )
    parameter: tuple[str, ...] = Field(
        default=(),
        description="Values of the parameters that the program declares, like url=https://desk.example. May repeat.",
    )
    secret: tuple[str, ...] = Field(
        default=(),
        description="Secret values of its parameters, like password=secret:desk. May repeat.",
    )
    change_model: Literal["listing", "feed", "seeds"] = Field(
        default="listing",
        description=(
            "The documents that the program names at each crawl: all there are (listing), those that changed since the "
            "last one (feed), or those that links begin at (seeds). The program declares it."
        ),
    )
    start_timeout_s: Timeout = Field(default=10.0, description="Seconds until the program has to answer at first.")
    max_size_bytes: int = Field(default=10_000_000, description="The largest document, like 10MB.", ge=1, le=MAX_SIZE)
    max_memory_bytes: int = Field(
        default=1 << 30, description="Memory of each process of the program, like 512MB.", ge=1 << 24, le=1 << 40
    )

    @field_validator("command")
    @classmethod
    def _absolute(cls, command: tuple[str, ...]) -> tuple[str, ...]:
        """Write the program in full, and a script that an interpreter is given: crawls begin in other folders."""
        if any("\0" in each for each in command) or not command[0].strip():
            raise ValueError("a command holds no NUL character, and begins with a program.")
        first = Path(command[0]).expanduser()
        words = [str(first.absolute()) if "/" in command[0] else command[0], *command[1:]]
        if len(words) > 1 and not words[1].startswith("-") and (script := Path(words[1]).expanduser()).is_file():
            words[1] = str(script.absolute())
        return tuple(words)

    @field_validator("parameter")
    @classmethod
    def _named(cls, pairs: tuple[str, ...]) -> tuple[str, ...]:
        for pair in pairs:
            name, equals, _ = pair.partition("=")
            if not equals or not name.strip():
                raise ValueError("write each as NAME=VALUE, like url=https://desk.example.")
        return pairs

    @field_validator("secret")
    @classmethod
    def _secret(cls, pairs: tuple[str, ...]) -> tuple[str, ...]:
        names = [pair.partition("=") for pair in pairs]
        for name, _, word in names:
            if not name.strip() or "secret:" in name:
                raise ValueError("write each as NAME=secret:NAME, like password=secret:desk.")
            secret_name(word)
        if len({name for name, _, _ in names}) < len(names):
            raise ValueError("each parameter takes one secret.")
        return pairs

    @property
    def program(self) -> str:
        """The name of the program in sentences: that of the script where the command begins with its interpreter."""
        script = len(self.command) > 1 and self.command[1].startswith("/")
        return Path(self.command[int(script)]).name

    @property
    def executable(self) -> str | None:
        """The path of the program; None where there is none that can be started."""
        return shutil.which(self.command[0])

    @cached_property
    def given(self) -> dict[str, list[str]]:
        """The values that are given openly, by parameter."""
        found = dict[str, list[str]]()
        for pair in self.parameter:
            name, _, value = pair.partition("=")
            found.setdefault(name.strip(), []).append(value)
        return found

    @cached_property
    def secret_names(self) -> dict[str, str]:
        """The names of the secrets, by parameter."""
        pairs = (pair.partition("=") for pair in self.secret)
        return {name.strip(): secret_name(word) for name, _, word in pairs}

    @property
    def secrets(self) -> frozenset[str]:
        """Names of the secrets it needs."""
        return frozenset(self.secret_names.values())

    @property
    def ways_in(self) -> tuple[str, ...]:
        """The setting by which the program is shown documents that others may not see."""
        return ("secret",) if self.secret else ()

    @property
    def discovery(self) -> Discovery:
        """The proof that a discovery is."""
        return Discovery(self.change_model)

    @property
    def line_bytes(self) -> int:
        """The longest line that a program may write: a document in base 64, and what is beside it."""
        return self.max_size_bytes * 4 // 3 + LINE_ROOM
