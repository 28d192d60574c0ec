"""DFS namespace of a source: the links that its connections met, and the servers behind them that rest or refuse.

    a path --is a link known above it?--> its targets, in the server's order --permitted, and awake?--> a place
       ^                                                                                                  |
       `---------------- that place may lie behind another link: at most MAX_LINKS -----------------------'

A referral comes from outside: a login goes to the servers that the settings permit and to no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple

from cormorant.base.clock import Clock
from cormorant.base.log import logger
from cormorant.model.status import Status
from cormorant.sources.remote.protocol import RemoteRefusal
from cormorant.sources.smb.dfs_referral import Referral, SharePlace
from cormorant.sources.smb.settings import SmbSettings

MAX_LINKS: Final = 8
"""Links behind one another on the way to one folder."""
MAX_KNOWN: Final = 10_000
"""Links that are kept; a server that makes up more is asked again."""
MOST_TARGETS: Final = 10
"""Targets of a link that are kept."""
MAX_KEPT: Final = 16 << 20
"""Bytes that the names of all links and their targets may take."""
_NAME_BYTES: Final = 64
"""Bytes that a name takes beside its own."""
_MAX_HOST: Final = 253
LEAST_S: Final = 60.0
MOST_S: Final = 600.0
"""Seconds that a referral holds, whatever the server says."""
REST_S: Final = 60.0
"""Seconds before a server that did not answer is tried again."""
TRIES_S: Final = 60.0
"""Seconds in which further targets of links are tried for one folder or file, beside the time of the last attempt."""
_log = logger(__name__)


class _Link(NamedTuple):
    """A link: where it lies, the places that it stands for, and until when that holds."""

    at: SharePlace
    targets: tuple[SharePlace, ...]
    until: float


class _Choice(NamedTuple):
    """The target of a link that may be used, and why the one before it may not."""

    link: _Link
    target: SharePlace
    hindrance: RemoteRefusal | None


class ResolvedPath(NamedTuple):
    """The place where a path of the namespace lies, and the targets of the links on the way there, in their order."""

    place: SharePlace
    choices: tuple[_Choice, ...]

    @property
    def target(self) -> SharePlace | None:
        """The folder that the last link leads to, None if the path lies behind no link."""
        return self.choices[-1].target if self.choices else None


class _Rest(NamedTuple):
    """Why a share behind a link is left alone, and until when."""

    refusal: RemoteRefusal
    until: float


class DfsNamespace:
    """Knows the way from a path of the namespace to the servers that have it. Threads may share it."""

    def __init__(self, settings: SmbSettings, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._links: dict[tuple[str, str], dict[tuple[bytes, ...], _Link]] = {}
        self._resting: dict[tuple[str, str, tuple[bytes, ...]], _Rest] = {}
        self._used: dict[SharePlace, SharePlace] = {}
        self._known, self._kept, self._lock = 0, 0, Lock()

    def resolved(self, place: SharePlace) -> ResolvedPath:
        """Return where a path of the namespace lies, as far as its links are known. Raises RemoteRefusal."""
        passed, choices = list[SharePlace](), list[_Choice]()
        while (link := self._above(place)) is not None:
            passed.append(link.at)
            if len(passed) > MAX_LINKS:
                raise RemoteRefusal(Status.UNREADABLE, f"It lies behind more than {MAX_LINKS} links of DFS.")
            choices.append(self._chosen(link, passed))
            target = choices[-1].target
            place = target._replace(folder=target.folder + place.folder[len(link.at.folder) :])
        return ResolvedPath(place, tuple(choices))

    def note_used(self, path: ResolvedPath) -> None:
        """Log each target on the way to a path that is another than before, or at first than the server's first.

        Call it when the server at the end of the way has given the folder or file.
        """
        for link, target, hindrance in path.choices:
            with self._lock:
                before = self._used.get(link.at, link.targets[0])
                if before == target:
                    continue
                self._used[link.at] = target
            names = {"link": _shown(link.at), "target": _shown(target), "before": _shown(before)}
            reason = hindrance.sentence if hindrance else ""
            _log.warning("other target of DFS link", extra={**names, "reason": reason})

    def tries_until(self) -> float:
        """Return until when targets may be tried for one folder or file, in seconds of the monotonic clock."""
        return self._clock.monotonic() + TRIES_S

    def see_time(self, until: float) -> None:
        """Raise RemoteRefusal if the time to try targets is over."""
        if self._clock.monotonic() > until:
            sentence = f"It lies on other servers (DFS), and none of those tried within {TRIES_S:g} s gave it."
            raise RemoteRefusal(Status.SERVICE_UNAVAILABLE, sentence)

    def add(self, asked: SharePlace, referral: Referral) -> None:
        """Keep the link above a path that another server has. Raises RemoteRefusal for a referral of anything else."""
        names = _consumed(asked, referral.consumed)
        if names is None or not referral.targets:
            raise RemoteRefusal(Status.UNREADABLE, "The server's referral to another one (DFS) cannot be read.")
        at = asked._replace(folder=asked.folder[:names])
        lives_s = min(max(float(referral.lives_s), LEAST_S), MOST_S)
        link = _Link(at, self._usable(referral.targets), self._clock.monotonic() + lives_s)
        size = sum(map(_size, (at, at, *link.targets)))
        with self._lock:
            if self._known >= MAX_KNOWN or self._kept + size > MAX_KEPT:
                self._links.clear()
                self._used.clear()
                self._known = self._kept = 0
            self._known += 1
            self._kept += size
            self._links.setdefault(at.root, {})[_folded(at.folder)] = link

    def _usable(self, targets: Sequence[SharePlace]) -> tuple[SharePlace, ...]:
        """Return the targets that the login may go to; where there are none, only the server of the last."""
        permitted = dict.fromkeys(each for each in targets if self._settings.permits(each.host))
        if permitted:
            return tuple(islice(permitted, MOST_TARGETS))
        host = targets[-1].host
        return (SharePlace(host if len(host) <= _MAX_HOST else f"{host[:60]}\u2026", ""),)

    def rest(self, place: SharePlace, refusal: RemoteRefusal, *, whole_server: bool = False) -> None:
        """Leave a share or its whole server alone for a minute.

        A server that refuses the login is left alone as long as the source is used.
        """
        is_refused = refusal.status == Status.UNAUTHORIZED
        until = float("inf") if is_refused else self._clock.monotonic() + REST_S
        self._leave((place.root[0], "", ()) if is_refused or whole_server else (*place.root, ()), refusal, until)

    def rest_target(self, target: SharePlace, refusal: RemoteRefusal) -> None:
        """Leave a target of links alone for a minute, and no other folder of its share."""
        self._leave((*target.root, _folded(target.folder)), refusal, self._clock.monotonic() + REST_S)

    def _leave(self, key: tuple[str, str, tuple[bytes, ...]], refusal: RemoteRefusal, until: float) -> None:
        with self._lock:
            if len(self._resting) >= MAX_KNOWN:
                now = self._clock.monotonic()
                self._resting = {each: rest for each, rest in self._resting.items() if rest.until > now}
            known = self._resting.get(key)
            if known is None or known.until <= until:
                self._resting[key] = _Rest(refusal, until)

    def _above(self, place: SharePlace) -> _Link | None:
        """Return the link that is nearest above a path, or at it."""
        with self._lock:
            known, now = self._links.get(place.root, {}), self._clock.monotonic()
            for length in range(len(place.folder), -1, -1):
                link = known.get(_folded(place.folder[:length]))
                if link is not None and link.until > now:
                    return link
        return None

    def _chosen(self, link: _Link, passed: Sequence[SharePlace]) -> _Choice:
        """Return the first target that may be used. Raises RemoteRefusal with why the last of them may not."""
        last: RemoteRefusal | None = None
        for target in link.targets:
            hindrance = self._hindrance(target, passed)
            if hindrance is None:
                return _Choice(link, target, last)
            last = hindrance
        raise last or RemoteRefusal(Status.UNREADABLE, "It lies behind a link of DFS that leads nowhere.")

    def _hindrance(self, target: SharePlace, passed: Sequence[SharePlace]) -> RemoteRefusal | None:
        if any(target.holds(each) for each in passed):
            return RemoteRefusal(Status.UNREADABLE, "It is a link of DFS that leads back to a folder above it.")
        if not self._settings.permits(target.host):
            return RemoteRefusal(
                Status.UNREADABLE,
                f"It lies on another server (DFS), {target.host}. If the login may go there, set dfs_servers.",
            )
        with self._lock:
            keys = (target.root[0], "", ()), (*target.root, ()), (*target.root, _folded(target.folder))
            rests = [self._resting.get(key) for key in keys]
        for rest in rests:
            if rest is not None and rest.until > self._clock.monotonic():
                return RemoteRefusal(rest.refusal.status, rest.refusal.sentence)
        return None


def namespace_path(place: SharePlace) -> str:
    r"""Return a place as referrals name it, like \server\share\folder. Raises UnicodeError for half a character."""
    return "\\" + "\\".join(_names(place))


def _shown(place: SharePlace) -> str:
    r"""Return a place as a log shows it, like \\server\share\folder."""
    folder = (each.decode("utf-8", "replace") for each in place.folder)
    return "\\" + "\\".join(("", place.host, place.share, *folder))


def _names(place: SharePlace) -> Iterator[str]:
    yield place.host
    yield place.share
    for each in place.folder:
        yield each.decode("utf-8", "strict")


def _size(place: SharePlace) -> int:
    """Return about how many bytes the names of a place take."""
    return sum(_NAME_BYTES + len(each) for each in (place.host, place.share, *place.folder))


def _consumed(asked: SharePlace, characters: int) -> int | None:
    """Return how many names of the folder a number of characters of the path are; None where it ends within one."""
    at = 0
    for number, name in enumerate(_names(asked)):
        at += 1 + len(name.encode("utf-16-le")) // 2
        if characters in (at, at + 1) and number >= 1:
            return number - 1
    return None


def _folded(folder: Sequence[bytes]) -> tuple[bytes, ...]:
    return tuple(each.lower() for each in folder)
