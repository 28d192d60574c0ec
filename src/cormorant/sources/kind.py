"""A kind of source: its name, its settings, how one is made, and what is particular about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from cormorant.base.clock import Clock
from cormorant.model.ruling import Ruling
from cormorant.model.settings.source import SourceSettings
from cormorant.net.egress.guard import Egress
from cormorant.net.http.client import Fetcher
from cormorant.sources.protocol import Secrets, Source

if TYPE_CHECKING:
    from cormorant.store.journal.item_shelf import ItemShelf


@dataclass(frozen=True, slots=True)
class Tools:
    """Tools of a source: a fetcher (None when it is built for discovery alone) and the clock.

    `secrets` is None when it is only to be asked questions; `run` is the run it is built for, 0 for none. `veto` says
    of a folder, by its address, whether it may not be entered. `egress` makes the way out of a thread without an event
    loop (`net.http.http_session.HttpSession`, `net.egress.dialer.Dialer`), None when nothing may be connected to.
    `items` are what was pushed to the source, or what it keeps of what it read; None where there is no database.
    """

    fetcher: Fetcher | None
    clock: Clock
    secrets: Secrets | None = None
    run: int = 0
    veto: Callable[[str], bool] | None = None
    egress: Callable[[], Egress] | None = None
    items: ItemShelf | None = None


OWNER = "\0"
"""Stands for the name of the source in the advice of Unlisted."""


class Unlisted(NamedTuple):
    """Why no listing names a document: the ruling that left it out; or one that admits it, and what else it may be."""

    ruling: Ruling
    because: str = ""
    advice: str = ""


class DeclaredParameter(NamedTuple):
    """A parameter that only the place of a source knows: the name, the setting that takes it, and what it is for."""

    name: str
    setting: str
    about: str
    default: object = None
    needed: bool = False


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source: its name, what it is for, its settings, and how to make one.

    `look` is called when a source is added or edited: it sees, asking nobody over a network, whether the place is
    there. It raises BadSetting for what can never become one, Unreachable for what may yet, like a share to be mounted.
    `doubts` are sentences about settings that are each well and do not go together, like a rule that another covers.
    `advice` says what to do about a status, by its number, where that is not what is done on web sites; it holds for
    addresses that begin with `scheme`. `unlisted` says why a document of the place is named by no listing. `declared`
    asks the place of some settings, like a program, for the parameters that can be set besides; it raises what `look`
    raises. `script` returns statements that an administrator of the place may run, so that changes are noticed there;
    it raises UsageError where settings allow none. `meant_by` returns the addresses of documents that a person may mean
    by a text that is no address, like a path, given the number and the settings of a source. A `live` kind has no
    documents: its sources are asked at each search (`sources.live.LiveSource`), and no run of one is ordered. `noun` is
    the word for one of its documents, like row or entry.
    """

    name: str
    about: str
    settings: type[SourceSettings]
    make: Callable[[int, Any, Tools], Source]
    look: Callable[[Any], None] = lambda _: None
    doubts: Callable[[Any], Sequence[str]] = lambda _: ()
    scheme: str = ""
    advice: Mapping[int, str] = field(default_factory=dict)
    unlisted: Callable[[Source, str], Unlisted | None] = lambda _source, _address: None
    declared: Callable[[Any], Sequence[DeclaredParameter]] = lambda _: ()
    script: Callable[[Any], str] | None = None
    meant_by: Callable[[int, Any, str], Sequence[str]] = lambda _number, _settings, _text: ()
    live: bool = False
    noun: str = "document"
