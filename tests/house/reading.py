"""What the checks read: Python files as syntax trees, prose and settings as text."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "src/cormorant"

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Finding(NamedTuple):
    """One thing that is not as it should be, in a form editors can jump to."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


@dataclass(frozen=True)
class Module:
    """A Python file: `path` is relative to the project, with forward slashes."""

    path: str
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """Dotted name, as an import would say it."""
        parts = list(Path(self.path.removeprefix("src/")).with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def is_package(self) -> bool:
        """Whether this is the `__init__.py` of a folder."""
        return self.path.endswith("/__init__.py")

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Every function with its qualified name, nested ones too."""
        yield from _functions(self.tree, "")

    def classes(self) -> Iterator[ast.ClassDef]:
        """Every class, nested ones too."""
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))

    def finding(self, line: int, what: str) -> Finding:
        """Report `what` at a line of this file."""
        return Finding(self.path, line, what)


def _functions(node: ast.AST, inside: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # most of a tree, and no function is defined in one
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{inside}{child.name}", child
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from _functions(child, f"{inside}{getattr(child, 'name', '')}." if named else inside)


def plant(text: str, path: str = f"{PACKAGE}/planted.py") -> Module:
    """Make a module that is not on disk, to see a check find what is wrong with it."""
    return Module(path, text, ast.parse(text))


@cache
def read(*tops: str) -> tuple[Module, ...]:
    """Every Python file below these folders of the project, each parsed once."""
    with _uncollected():
        return tuple(_module(path) for path in files(*tops, suffixes=(".py",)))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the collector from walking millions of nodes, none of which is garbage: it takes as long as the parser."""
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()


@cache
def _module(path: Path) -> Module:
    return plant(path.read_text(encoding="utf-8"), _relative(path))


def files(*tops: str, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Files below these folders, leaving out caches and whatever else begins with a dot."""
    for top in tops:
        for path in sorted((ROOT / top).rglob("*")):
            inside = path.relative_to(ROOT / top).parts
            if path.suffix in suffixes and path.is_file() and not any(part.startswith(".") for part in inside):
                yield path


def text_of(name: str) -> str:
    """Return the text of one file of the project."""
    return (ROOT / name).read_text(encoding="utf-8")


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def report(findings: list[Finding]) -> str:
    """One finding a line, for the message of an assertion."""
    return "\n" + "\n".join(map(str, findings))
