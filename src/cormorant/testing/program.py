"""The suite for programs that are sources. It can run as a program itself, so such a project needs no Python.

    python -m cormorant.testing.program [--set NAME=VALUE]... COMMAND [ARGUMENT]...

NAME is a setting of the kind `program` other than a secret; a parameter of the program is `--set parameter=NAME=VALUE`.
It prints the parameters that the program declares, and a line for each test. Exits with 1 if a test has failed.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Gone
from cormorant.model.settings.source import parse_settings
from cormorant.plugins import Source, make_source, source_kind
from cormorant.testing.means import tools
from cormorant.testing.sources import MOST, SourceSuite, resource_of

USAGE = "python -m cormorant.testing.program [--set NAME=VALUE]... COMMAND [ARGUMENT]..."


class ProgramSuite(SourceSuite):
    """Conformance suite of programs. A subclass gives `command`, and `settings` if the program takes parameters.

    The place that the program reads has a few documents, and does not change during a test.
    """

    command: ClassVar[Sequence[str]] = ()
    settings: ClassVar[Mapping[str, object]] = {}

    def make(self) -> Source:
        """Return a source that is the program."""
        return make_source("program", 1, {"command": list(self.command), **self.settings}, tools())

    def test_it_introduces_itself_alike_each_time(self) -> None:
        """Users see its parameters before it has any values for them."""
        first, second = self._hello(), self._hello()
        assert first == second, "it introduces itself otherwise the second time"
        bare = [each.name for each in first.parameters if not each.description]
        assert not bare, f"parameters without a description: {', '.join(bare)}"

    def test_it_ends_when_it_is_not_needed_any_more(self) -> None:
        """A program that goes on after its standard input is closed is killed, and may lose data."""
        source = self.make()
        session = source.session()  # type: ignore[attr-defined]  # of a ProgramSource
        began = SystemClock().monotonic()
        session.close()
        assert SystemClock().monotonic() - began < 1.5, "it did not end when its standard input was closed"

    def test_every_line_is_a_message(self) -> None:
        """Other output belongs on standard error: an unreadable line might have named a document."""
        source = self.make()
        named = self._found(source)
        assert not source.unlisted, "it wrote a line that is no message; the log shows it"
        assert named

    def test_a_document_that_was_never_there_is_gone(self) -> None:
        """Any answer other than `gone` would keep documents that do not exist."""
        source = self.make()
        found = self._found(source)[0]
        absent = found._replace(address=f"{found.address}-that-is-not-there", validator="")
        assert isinstance(self._fetched(source, absent), Gone), "a key that it never named is not answered with gone"

    def test_documents_come_in_any_order_and_twice(self) -> None:
        """Processes are reused, for any document that is next."""
        source = self.make()
        found = self._found(source)[:MOST]

        async def visits() -> list[object]:
            try:
                return [
                    await source.fetch(resource_of(each, source), VisitTrace()) for each in (*reversed(found), *found)
                ]
            finally:
                await source.close()

        got = asyncio.run(visits())
        texts = [each.body if isinstance(each, Content) else type(each) for each in got]
        assert texts[: len(found)] == texts[len(found) :][::-1], "a document is another one when it is asked for again"

    def _hello(self) -> Any:
        source = self.make()
        session = source.session()  # type: ignore[attr-defined]  # of a ProgramSource
        try:
            return session.hello
        finally:
            session.close()


def check(command: Sequence[str], given: Mapping[str, object], say: Callable[[str], None]) -> int:
    """Run the suite on a program and report each test. Returns the number of failed tests."""
    suite: Any = type("Suite", (ProgramSuite,), {"command": tuple(command), "settings": dict(given)})()
    kind = source_kind("program")
    settings = parse_settings(kind.settings, {"command": list(command), **given})
    for each in kind.declared(settings):
        say(f"parameter {each.name}: {each.about}")
    failed = 0
    for name in (each for each in dir(suite) if each.startswith("test_")):
        try:
            getattr(suite, name)()
        except AssertionError as error:
            failed += 1
            say(f"FAILED {name.removeprefix('test_').replace('_', ' ')}: {str(error).splitlines()[0]}")
        except CormorantError as error:
            failed += 1
            say(f"FAILED {name.removeprefix('test_').replace('_', ' ')}: {error.sentence}")
        else:
            say(f"ok     {name.removeprefix('test_').replace('_', ' ')}")
    return failed


def read(arguments: Sequence[str]) -> tuple[list[str], dict[str, object]]:
    """Return the command and the settings before it. Raises ValueError."""
    words, given = list(arguments), dict[str, list[str]]()
    while words and words[0] == "--set":
        name, equals, value = words[1].partition("=") if len(words) > 1 else ("", "", "")
        if not equals:
            raise ValueError("--set takes NAME=VALUE")
        given.setdefault(name, []).append(value)
        del words[:2]
    if not words or words[0].startswith("--"):
        raise ValueError("the command of a program is missing")
    return words, dict(given)


def main(arguments: Sequence[str]) -> int:
    """Run the suite on the program of the command line."""
    try:
        command, given = read(arguments)
    except ValueError as error:
        sys.stderr.write(f"{error}\n{USAGE}\n")
        return 2
    try:
        return 1 if check(command, given, lambda line: print(line, flush=True)) else 0  # noqa: T201 - its purpose
    except CormorantError as error:
        sys.stderr.write(f"{error.sentence}\n")
        return error.exit_code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
