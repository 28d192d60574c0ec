"""Sentences are plain: no banned words in help, pages, docs and docstrings; no statement begins with "What"."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.house.reading import PACKAGE, ROOT, Finding, Module, files, plant, read, report

BANNED = re.compile(r"\banew\b|\ball else\b|\btold of\b|\bfault [A-Z]\d+", re.IGNORECASE)
UNPLAIN = re.compile(r"\banew\b|\ball else\b|\btold\b|\bsomebody\b", re.IGNORECASE)
"""Words that no docstring and no comment has."""
LOOSE = re.compile(r"(?<![\w`*\"“(])(?:What|Who|Whoever|Whatever)(?:'s)? [^.!?:|]*(?P<end>[.!?:|]|$)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
TAG = re.compile(r"<[^>]+>|\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
# Decisions keep the words of their day; api.md is written from docstrings of the routes.
KEPT = ("docs/adr/", "docs/reference/api.md")
PAGES = ("README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "RELIABILITY.md", "SECURITY.md",
         "bench/README.md", "bench/RESULTS.md")  # fmt: skip
CLI = f"{PACKAGE}/cli/"
NOT_YET_READ = (f"{PACKAGE}/store/migrations/",)
"""Packages whose docstrings and comments keep the words of their day."""


def banned(path: str, text: str) -> Iterator[Finding]:
    """Words of a page that no user should meet."""
    for found in BANNED.finditer(text):
        yield Finding(path, text[: found.start()].count("\n") + 1, f"{found[0]!r} is a banned word")


def loose(path: str, markdown: str) -> Iterator[Finding]:
    """Sentences of a page that begin with a bare question word and are no question."""
    prose = HEADING.sub("", FENCED.sub(lambda block: "\n" * block[0].count("\n"), markdown))
    for paragraph in re.finditer(r"(?:[^\n]+\n?)+", prose):
        text = paragraph[0].replace("\n", " ")
        for found in LOOSE.finditer(text):
            before = text[: found.start()].rstrip()
            begins = not before or before[-1] in ".!?:|" or re.fullmatch(r"\s*(?:[-*]|\d+\.)", before) is not None
            if begins and found["end"] != "?":
                line = prose[: paragraph.start()].count("\n") + 1
                yield Finding(path, line, f"{found[0][:40]!r} is no question: name the subject")


def said(module: Module) -> Iterator[tuple[int, str]]:
    """Strings that a module of the command line can print, and the docstrings of commands, which are their help."""
    helped = {id(node) for _, node in module.functions() if any(_is_command(each) for each in node.decorator_list)}
    silent = {
        id(node.body[0].value)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and id(node) not in helped
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


def _is_command(decorator: ast.expr) -> bool:
    return "command" in ast.unparse(decorator) or "callback" in ast.unparse(decorator)


def spoken(modules: Iterable[Module]) -> Iterator[Finding]:
    """Banned words in what modules of the command line can print."""
    for module in modules:
        for line, text in said(module):
            yield from (module.finding(line, found.what) for found in banned(module.path, text))


def prose(module: Module) -> Iterator[tuple[int, str]]:
    """Docstrings of a module, those of its attributes too, and its comments, each run of comment lines as one text."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    begin, last, lines = 0, 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline) if "#" in module.text else ():
        if token.type != tokenize.COMMENT:
            continue
        if lines and token.start[0] != last + 1:
            yield begin, "\n".join(lines)
            lines.clear()
        begin, last = begin if lines else token.start[0], token.start[0]
        lines.append(token.string.lstrip("# "))
    if lines:
        yield begin, "\n".join(lines)


def unplain(modules: Iterable[Module]) -> Iterator[Finding]:
    """Banned words and loose statements in docstrings and comments."""
    for module in modules:
        for line, text in prose(module):
            for word in UNPLAIN.finditer(text):
                yield module.finding(line + text[: word.start()].count("\n"), f"{word[0]!r} is a banned word")
            for found in loose(module.path, text):
                yield module.finding(line + found.line - 1, found.what)


def _docs() -> list[Path]:
    inside = (path for path in files("docs", suffixes=(".md",)))
    return [*(ROOT / name for name in PAGES), *(path for path in inside if not _relative(path).startswith(KEPT))]


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_docs_have_no_banned_words() -> None:
    found = [each for path in _docs() for each in banned(_relative(path), path.read_text("utf-8"))]
    assert not found, report(found)


def test_no_statement_of_the_docs_begins_with_what() -> None:
    found = [each for path in _docs() for each in loose(_relative(path), path.read_text("utf-8"))]
    assert not found, report(found)


def test_templates_have_no_banned_words() -> None:
    pages = files(f"{PACKAGE}/web/templates", suffixes=(".html", ".xml"))
    found = [each for path in pages for each in banned(_relative(path), TAG.sub("", path.read_text("utf-8")))]
    assert not found, report(found)


def test_the_command_line_has_no_banned_words() -> None:
    found = list(spoken(module for module in read("src") if module.path.startswith(CLI)))
    assert not found, report(found)


def test_docstrings_and_comments_are_plain() -> None:
    found = list(unplain(module for module in read("src") if not module.path.startswith(NOT_YET_READ)))
    assert not found, report(found)


@pytest.mark.parametrize("words", ["made anew", "All else needs a token", "is told of", "see fault W9", "Anew"])
def test_banned_words_are_found(words: str) -> None:
    assert list(banned("a.md", f"One line.\n{words}.\n"))
    assert list(spoken([plant(f'print("{words}")\n')]))
    assert list(spoken([plant(f'@app.command()\ndef show() -> None:\n    """Show. {words}."""\n')]))


def test_docstrings_that_are_no_help_are_left_alone() -> None:
    assert not list(spoken([plant('"""Made anew."""\n\n\ndef show() -> None:\n    """Show anew."""\n')]))


@pytest.mark.parametrize(
    "page",
    [
        "What is gone leaves.\n",
        "It stays. What is gone\nleaves the index.\n",
        "- Who has both has them.\n",
        "| a | Whatever ends it, it goes on |\n",
        "Three things: What is new, and the rest.\n",
    ],
)
def test_a_loose_statement_is_found(page: str) -> None:
    assert list(loose("a.md", page))


@pytest.mark.parametrize(
    "page",
    [
        "# What survives a kill\n",
        "What now? It goes on.\n",
        "- What is it? A crawler.\n",
        "It says what is new. The WHATWG says so.\n",
        "```text\nWhat is gone leaves.\n```\n",
    ],
)
def test_questions_and_headings_are_left_alone(page: str) -> None:
    assert not list(loose("a.md", page))


@pytest.mark.parametrize(
    "sentence", ["It is made anew.", "Receivers are told.", "Somebody has it.", "What is gone goes."]
)
@pytest.mark.parametrize(
    "planted",
    [
        '"""{}"""\n',
        '"""A page.\n\nIt stays. {}\n"""\n',
        'class A:\n    """A page."""\n\n    size = 1\n    """{}"""\n',
        "size = 1\n# {}\n",
        "size = 1  # {}\n",
        "# It stays.\n#\n# {}\nsize = 1\n",
    ],
)
def test_prose_that_is_not_plain_is_found(planted: str, sentence: str) -> None:
    module = plant(planted.format(sentence))
    (found,) = unplain([module])
    assert sentence in module.text.splitlines()[found.line - 1]


@pytest.mark.parametrize(
    "planted",
    [
        'told = "What is told stays."\n',
        '"""What is it? A page."""\n',
        '"""A page. It says what is new."""\n',
        "# What now? It stays.\nsize = 1\n",
        "size = 1  # it says\nanew = 2  # what is new\n",
    ],
)
def test_names_messages_and_questions_are_left_alone(planted: str) -> None:
    assert not list(unplain([plant(planted)]))
