"""Rewriting of URLs: the URL under which a page is known that was found under another.

By rules, and by a plug-in.

    found -> strip_parameters, sort_query -> rewrite (the first rule that matches) -> rewriter -> again, until it stays

Rules that never come to an end leave the address as it was found. So renaming what was renamed gives nothing new.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard, cast
from urllib.parse import quote

from cormorant.base import entry_points
from cormorant.base.entry_points import announced
from cormorant.base.errors import BadAddress, BadRule, PluginUnusable
from cormorant.base.log import logger
from cormorant.model.ruling import Discard, Renamed, Rewritten
from cormorant.model.url import canonical
from cormorant.sources.protocol import AddressRewriter
from cormorant.sources.rules import compile_pattern
from cormorant.sources.web.urls.strip_params import Stripping

ENTRY_POINTS = "cormorant.rewriters"
"""The group of entry points that packages announce their rewriters by."""
ROUNDS = 5
_log = logger(__name__)
_ARROW, _ACCESS, _DISCARD = " -> ", " access ", "discard"
_GROUP = re.compile(r"\\(\d+|g<[^>]*>|\\|.|$)", re.DOTALL)
_LIKE = (
    "Write it like PATTERN -> REPLACEMENT, PATTERN -> discard, or PATTERN -> REPLACEMENT access ACCESS, where \\1 is "
    "what the first group of the pattern matches."
)


class _Rule(NamedTuple):
    """A rule as typed, its pattern, and what takes the place of what that matches; None: discard."""

    text: str
    pattern: Any
    display: str | None
    access: str

    def of(self, address: str) -> Rewritten | Discard | None:
        """Return the result of the rule for a URL; None when it does not match."""
        found = self.pattern.search(address)
        if found is None:
            return None
        if self.display is None:
            return Discard()
        before, after = address[: found.start()], address[found.end() :]
        access = before + found.expand(self.access) + after if self.access else ""
        return Rewritten(before + found.expand(self.display) + after, access)


class AddressRules:
    """The rules about addresses of one version of a source's settings."""

    def __init__(self, stripping: Stripping, rewrite: Sequence[str] = (), rewriter: str = "") -> None:
        """Raises BadRule naming a rule that cannot be read, or a rewriter that is not installed."""
        self._stripping = stripping
        self._rules = [read_rule(text) for text in rewrite]
        self._plugin, self._plugin_name = (load(rewriter) if rewriter else None), rewriter
        self._plain = not self._rules and self._plugin is None
        self._is_reported = False

    @property
    def may_discard(self) -> bool:
        """Return whether a rule or the plug-in could discard a URL."""
        return self._plugin is not None or any(rule.display is None for rule in self._rules)

    @property
    def shows_otherwise(self) -> bool:
        """Return whether a URL may be displayed as another than the one it is fetched by."""
        return self._plugin is not None or any(rule.access for rule in self._rules)

    def rename(self, address: str) -> Renamed | None:
        """Under which address this one is known, None when under itself and shown as itself."""
        if self._plain:
            if "?" not in address and ";" not in address and "(" not in address:
                return None
            bare, done = self._stripping.of(address)
            return Renamed(bare, "", done) if done else None
        return self._renamed(address)

    def discards(self, address: str) -> str:
        """The rule that discards an address, "" when none does."""
        made, rule = self._made(address)
        return rule if isinstance(made, Discard) else ""

    def _renamed(self, found: str) -> Renamed | None:
        """Round by round, until the address that is fetched stays as it is."""
        address, display, rules = found, "", list[str]()
        for _ in range(ROUNDS):
            before = address
            address, done = self._stripping.of(address)
            rules += [done] if done else []
            made, rule = self._made(address)
            if isinstance(made, Rewritten):
                address, shown = made.access or made.display, made.display
                display = shown if made.access else ""
                rules += [rule] if rule not in rules else []
            if address == before:
                display = "" if display == address else display
                return Renamed(address, display, "; ".join(rules)) if address != found or display else None
        self._tell("a rule about addresses comes to no end", found)
        return None

    def _made(self, address: str) -> tuple[Rewritten | Discard | None, str]:
        """Return the result of the first matching rule for a URL, else of the plug-in; and its name."""
        for rule in self._rules:
            made = rule.of(address)
            if made is not None:
                return self._checked(made, address), f"rewrite: {rule.text}"
        if self._plugin is None:
            return None, ""
        return self._by_plugin(self._plugin, address), f"rewriter: {self._plugin_name}"

    def _by_plugin(self, plugin: AddressRewriter, address: str) -> Rewritten | Discard | None:
        try:
            made: object = plugin.rewrite(address)
            if not _is_as_declared(made):
                raise TypeError(f"it returned {made!r}")
        except Exception as error:  # noqa: BLE001 - other people's code
            self._tell(f"the rewriter {self._plugin_name} failed: {type(error).__name__}", address)
            return None
        return None if made is None else self._checked(made, address)

    def _checked(self, made: Rewritten | Discard, address: str) -> Rewritten | Discard | None:
        """With canonical addresses; None for what makes none that could be visited."""
        if isinstance(made, Discard):
            return made
        try:
            display, access = canonical(made.display), canonical(made.access) if made.access else ""
        except BadAddress:
            display = access = ""
        if not (access or display).startswith(("http://", "https://")):
            self._tell("a rule about addresses makes something that is none", address)
            return None
        return Rewritten(display, "" if access == display else access)

    def _tell(self, what: str, address: str) -> None:
        """Log the first of it: the same fault may come with every link."""
        if not self._is_reported:
            self._is_reported = True
            _log.warning("address_left_as_found", extra={"address": address, "reason": what})


def _is_as_declared(made: object) -> TypeGuard[Rewritten | Discard | None]:
    """Return whether a value is what a plug-in has to return, with text as URLs."""
    if isinstance(made, Rewritten):
        return all(isinstance(each, str) for each in made)
    return made is None or isinstance(made, Discard)


def read_rule(text: str) -> _Rule:
    """Read one line of `rewrite`. Raises BadRule that says where it is wrong."""
    pattern, arrow, result = text.partition(_ARROW)
    pattern, result = pattern.strip(), result.strip()
    if not arrow or not pattern or not result:
        raise BadRule(f"The rule {text!r} cannot be read: it has no {'pattern' if arrow else repr(_ARROW)}. {_LIKE}")
    compiled = compile_pattern(text, pattern, captures=True)
    if result == _DISCARD:
        return _Rule(text, compiled, None, "")
    display, _, access = result.partition(_ACCESS)
    made = [_template(text, each.strip(), compiled) for each in (display, access)]
    return _Rule(text, compiled, *made)


def _template(text: str, typed: str, compiled: Any) -> str:
    """Return the replacement of a match, written as in URLs. Raises BadRule that says where it is wrong."""
    names = compiled.groupindex
    for found in _GROUP.finditer(typed):
        name = found[1].removeprefix("g<").removesuffix(">")
        if name.isdecimal():
            known = int(name) <= compiled.groups and (found[1] != name or name[0] != "0")
        else:
            known = found[1] == "\\" or (found[1] != name and name in names)
        if not known:
            raise BadRule(f"The rule {text!r} cannot be read at {found[0]!r}: its pattern has no such group. {_LIKE}")
    space = re.search(r"\s+\S*", typed)
    if space is not None:
        raise BadRule(f"The rule {text!r} cannot be read at {space[0]!r}: an address has no space in it. {_LIKE}")
    return quote(typed, safe=string.punctuation)


def _made(rewriter: Any) -> object:
    return rewriter()


def load(name: str) -> AddressRewriter:
    """The rewriter of that name, made. Raises BadRule when it is not installed or cannot be made."""
    known = announced(ENTRY_POINTS)
    found = next((each for each in known if each.name == name), None)
    if found is None:
        there = ", ".join(sorted({each.name for each in known})) or "none"
        raise BadRule(f"There is no rewriter {name!r}; installed: {there}. A package announces it in {ENTRY_POINTS!r}.")
    try:
        made = _made(entry_points.load(found))
    except PluginUnusable as error:
        raise BadRule(error.sentence) from error
    except (ImportError, AttributeError, TypeError, ValueError, LookupError, OSError) as error:
        raise BadRule(f"The rewriter {found.title} cannot be made: {type(error).__name__}: {error}") from error
    if not callable(getattr(made, "rewrite", None)):
        raise BadRule(f"The rewriter {name!r} has no method rewrite(address).")
    return cast("AddressRewriter", made)
