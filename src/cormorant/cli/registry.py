"""Command registry: every command, its purpose and its module. Plain data, so that --help is quick."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from cormorant.base.errors import UsageError
from cormorant.cli import options


class Command(NamedTuple):
    """A command: its name, its module and the attribute in it, and its purpose."""

    name: str
    module: str
    app: str
    about: str


SECTIONS: dict[str, tuple[Command, ...]] = {
    "Begin": (
        Command("quickstart", "begin.quickstart", "app", "Crawl addresses or folders and search them at once"),
        Command("serve", "begin.serve", "app", "Serve the search page and run the ordered crawls"),
    ),
    "Crawl": (
        Command("source", "crawl.sources", "app", "Sources of documents"),
        Command("parameters", "crawl.profiles", "app", "Settings that several sources share"),
        Command("crawl", "crawl.crawl", "app", "Crawl sources now"),
        Command("push", "crawl.push", "app", "Hand documents of a program to a source"),
        Command("run", "crawl.runs", "app", "Runs: list, show, answer"),
        Command("schedule", "crawl.schedules", "app", "Crawl sources at set times"),
        Command("trap", "crawl.traps", "app", "Suspected spider traps, and rules against them"),
        Command("receiver", "crawl.receivers", "app", "Receivers of crawled documents"),
        Command("site", "crawl.hosts", "app", "Hosts and their pace"),
        Command("provider", "crawl.delivery", "app", "Pause and resume deliveries"),
    ),
    "Find": (
        Command("search", "find.search", "app", "Search"),
        Command("explain", "find.explain", "app", "Explain why an address is, or is not, in the index"),
        Command("document", "find.documents", "app", "Known addresses"),
        Command("takedown", "find.takedowns", "app", "Documents hidden from every reader: list, lift, erase"),
        Command("query", "find.queries", "app", "Searches of readers, with and without results"),
    ),
    "Look after it": (
        Command("secret", "admin.secrets", "app", "Passwords, tokens and keys that sources need"),
        Command("token", "admin.tokens", "app", "Tokens for programs and people who sign in"),
        Command("attribute", "admin.attributes", "app", "Search attributes and their types"),
        Command("lov", "admin.value_lists", "app", "Lists of values of attributes, with display names"),
        Command("tuning", "admin.ranking", "app", "Weights that decide the order of hits"),
        Command("status", "admin.status", "app", "The state of the installation on one page"),
        Command("index", "admin.index_and_cache", "index", "The search index: rebuild, optimize, figures"),
        Command("cache", "admin.index_and_cache", "cache", "Kept copies: figures, check, repair, differences"),
        Command("store", "admin.store", "app", "Check and repair, backup and restore, compact"),
        Command("doctor", "admin.doctor", "app", "Find problems and their remedies"),
        Command("version", "admin.doctor", "version", "Show the version"),
    ),
}
ALL = {command.name: command for section in SECTIONS.values() for command in section}

EXAMPLES = """\
Examples:
  cormorant quickstart https://handbook.example.org/ ~/papers
  cormorant source add web handbook --set start=https://handbook.example.org/
  cormorant crawl handbook
  cormorant search "travel expenses" --limit 5"""


def find(name: str) -> Command:
    """The command of that name. Raises UsageError with the most similar name."""
    command = ALL.get(name)
    if command is None:
        near = difflib.get_close_matches(name, ALL, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else "`cormorant --help` lists them."
        what = "option" if name.startswith("-") else "command"
        raise UsageError(f"There is no {what} {name!r}. {hint}")
    return command


def overview() -> str:
    """Return the text of `cormorant --help`."""
    lines = [
        "Usage: cormorant [OPTIONS] COMMAND ...",
        "",
        "Crawl web sites and folders, and search what is in them.",
        "",
    ]
    for section, commands in SECTIONS.items():
        lines.append(f"{section}:")
        lines += [f"  {command.name:<12} {command.about}" for command in commands]
        lines.append("")
    return "\n".join([*lines, options.HELP, "", EXAMPLES, "", "`cormorant COMMAND --help` explains a command."])
