"""Command registry: every command, its purpose and its module. Plain data, so that --help is quick."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from cormorant.base.errors import UsageError
from cormorant.cli import options


class Command(NamedTuple):
    """A command: its name, the module and the attribute in it, and what it does."""

    name: str
    module: str
    app: str
    about: str


SECTIONS: dict[str, tuple[Command, ...]] = {
    "Begin": (
        Command("quickstart", "begin.quickstart", "app", "Crawl addresses or folders and search them at once"),
        Command("serve", "begin.serve", "app", "Serve the search page and crawl what is asked for"),
    ),
    "Crawl": (
        Command("source", "crawl.sources", "app", "Places documents come from"),
        Command("parameters", "crawl.profiles", "app", "Values of settings that many sources share"),
        Command("crawl", "crawl.crawl", "app", "Crawl sources now"),
        Command("run", "crawl.runs", "app", "Runs: list, look at, answer"),
        Command("schedule", "crawl.schedules", "app", "Crawl sources by themselves, at hours you choose"),
        Command("trap", "crawl.traps", "app", "What seems to go on for ever, and rules that leave it out"),
        Command("receiver", "crawl.receivers", "app", "Where crawled documents are delivered"),
        Command("site", "crawl.hosts", "app", "Hosts: how politely each is visited"),
        Command("provider", "crawl.delivery", "app", "Pause and resume deliveries"),
    ),
    "Find": (
        Command("search", "find.search", "app", "Search"),
        Command("explain", "find.explain", "app", "Say why an address is, or is not, in the index"),
        Command("document", "find.documents", "app", "What is known about addresses"),
        Command("takedown", "find.takedowns", "app", "Documents hidden from every reader: list, lift, erase"),
        Command("query", "find.queries", "app", "What readers search for, and find nothing of"),
    ),
    "Look after it": (
        Command("secret", "admin.secrets", "app", "Passwords, tokens and keys that sources need"),
        Command("token", "admin.tokens", "app", "Who may do more than search from other machines"),
        Command("tuning", "admin.ranking", "app", "What counts how much in the order of hits"),
        Command("status", "admin.status", "app", "The state of everything on one page"),
        Command("index", "admin.index_and_cache", "index", "The search index: rebuild, optimize, figures"),
        Command("cache", "admin.index_and_cache", "cache", "Kept copies: figures, check, repair, differences"),
        Command("store", "admin.store", "app", "Check and repair, backup and restore, compact"),
        Command("doctor", "admin.doctor", "app", "What is wrong, and how to mend it"),
        Command("version", "admin.doctor", "version", "Which version this is"),
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
    """The command of that name. Raises UsageError with the nearest there is."""
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
