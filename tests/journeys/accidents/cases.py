"""The accidents: what goes wrong, how it looks to the crawler, and how its runs must end meanwhile.

Of the twelve of the promise the kinds that exist are here, several of them in more than one shape. Those of kinds that
do not exist yet stand in LATER.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from tests.journeys.accidents.stage import Stage
from tests.journeys.stand import Answer, Answers, Request

LATER = {
    "0 rows": "no kind of source reads tables yet",
    "UIDVALIDITY": "no kind of source reads mail yet",
    "truncated script output": "no kind of source runs scripts yet",
}
NAME = "accident.test"
"""A name that only a file of the test resolves."""


class Where(Enum):
    """The target of an accident: a site at an IP address, a site at a host name, or a folder."""

    WEB = "web"
    NAMED = "named"
    FILES = "files"


@dataclass(frozen=True)
class Accident:
    """One accident. `ends` are the states a run may end in while it lasts.

    `lasts` is how many runs it lasts at least in the long form.
    """

    name: str
    where: Where
    strike: Callable[[Stage], None]
    undo: Callable[[Stage], None]
    ends: tuple[str, ...] = ("finished",)
    settings: Mapping[str, object] = field(default_factory=dict)
    lasts: int = 0


def _everywhere(answer: Callable[[Stage], Answer]) -> Callable[[Stage], None]:
    """All of the site answers this, but for its robots.txt."""

    def strike(stage: Stage) -> None:
        said = answer(stage)
        stage.says(lambda request: stage.site.answer(request) if request.path == "/robots.txt" else said)

    return strike


def _at(path: str, answer: Answer) -> Callable[[Stage], None]:
    """One address answers this."""

    def strike(stage: Stage) -> None:
        stage.a_day_passes()
        stage.says(lambda request: answer if request.path == path else stage.site.answer(request))

    return strike


def _all_but(answers: Callable[[Stage], Answers]) -> Callable[[Stage], None]:
    return lambda stage: stage.says(answers(stage))


def _mended(stage: Stage) -> None:
    stage.says(stage.site.answer)
    stage.a_day_passes()


def _unindexed(stage: Stage) -> Answers:
    """A header that was meant for the test server."""

    def answer(request: Request) -> Answer:
        said = stage.site.answer(request)._replace(fields=(("X-Robots-Tag", "noindex"),))
        return stage.site.answer(Request(request.path, {}))._replace(fields=said.fields)

    return answer


def _edited(settings: Mapping[str, object]) -> Callable[[Stage], None]:
    return lambda stage: stage.home.edit_source("hit", settings)


def _emptied(folder: Path) -> None:
    for each in folder.iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()


def _aside(stage: Stage) -> Path:
    return stage.share.with_name("aside")


def _unmount(stage: Stage) -> None:
    stage.share.rename(_aside(stage))


def _unmount_to_an_empty_folder(stage: Stage) -> None:
    _unmount(stage)
    stage.share.mkdir()


def _mount(stage: Stage) -> None:
    shutil.rmtree(stage.share, ignore_errors=True)
    _aside(stage).rename(stage.share)


def _empty(stage: Stage) -> None:
    shutil.copytree(stage.share, _aside(stage))
    _emptied(stage.share)


def _fill(stage: Stage) -> None:
    shutil.copytree(_aside(stage), stage.share, dirs_exist_ok=True)
    shutil.rmtree(_aside(stage))


def _resolves(stage: Stage, line: str) -> None:
    (stage.folder / "hosts").write_text(f"127.0.0.1 localhost\n{line}\n")


def login(stage: Stage) -> Answer:
    """A page that asks who one is."""
    form = f"<form action={stage.url}/login method=post><input name=user><input type=password name=password></form>"
    return Answer(
        body=f"<html><head><title>Please log in</title></head><body><h1>Log in</h1>{form}</body></html>".encode()
    )


BUSY = b"<html><head><title>Back soon</title></head><body><p>We are working on this site. Come again.</p></body></html>"
_REDIRECTED = Answer(302, fields=(("Location", "/login"),))

ACCIDENTS = (
    Accident("404 storm", Where.WEB, _everywhere(lambda _: Answer(404, b"<p>no</p>")), _mended, ("held",)),
    Accident("410 storm", Where.WEB, _everywhere(lambda _: Answer(410)), _mended, ("held",)),
    Accident("403 storm", Where.WEB, _everywhere(lambda _: Answer(403)), _mended, ("finished", "held")),
    Accident("500 storm", Where.WEB, _everywhere(lambda _: Answer(500)), _mended),
    Accident("503 storm", Where.WEB, _everywhere(lambda _: Answer(503, fields=(("Retry-After", "1"),))), _mended),
    Accident("everything moves to the start page", Where.WEB,
             _everywhere(lambda _: Answer(301, fields=(("Location", "/"),))), _mended, ("held", "finished")),
    Accident("noindex everywhere", Where.WEB, _all_but(_unindexed), _mended, ("held",)),
    Accident("login page everywhere", Where.WEB, _everywhere(login), _mended, ("finished", "held")),
    Accident("redirected to a login page", Where.WEB,
             _all_but(lambda stage: lambda request: login(stage) if request.path == "/login" else
                      stage.site.answer(request) if request.path == "/robots.txt" else _REDIRECTED),
             _mended, ("finished", "held")),
    Accident("maintenance page everywhere", Where.WEB, _everywhere(lambda _: Answer(body=BUSY)), _mended,
             ("finished", "held")),
    Accident("robots.txt answers 503", Where.WEB, _at("/robots.txt", Answer(503)), _mended),
    Accident("robots.txt forbids everything", Where.WEB,
             _at("/robots.txt", Answer(body=b"User-agent: *\nDisallow: /\n", mime="text/plain")), _mended, ("held",)),
    Accident("empty sitemap", Where.WEB, _at("/sitemap.xml", Answer(body=b"<urlset/>", mime="text/xml")), _mended),
    Accident("sitemap of no bytes", Where.WEB, _at("/sitemap.xml", Answer(mime="application/xml")), _mended),
    Accident("sitemap gone", Where.WEB, _at("/sitemap.xml", Answer(404)), _mended),
    Accident("sitemap broken off", Where.WEB,
             _at("/sitemap.xml", Answer(body=b"<urlset><url><loc>http://", mime="application/xml")), _mended),
    Accident("wrong filter edit", Where.WEB, _edited({"exclude": ["path:/p/*"]}), _edited({"exclude": []}), ("held",)),
    Accident("wrong index filter edit", Where.WEB, _edited({"index_exclude": ["path:/p/*"]}),
             _edited({"index_exclude": []}), ("held",)),
    Accident("no such name", Where.NAMED, lambda stage: _resolves(stage, ""),
             lambda stage: _resolves(stage, f"127.0.0.1 {NAME}"), ("finished", "held"), lasts=7),
    Accident("unmounted root", Where.FILES, _unmount, _mount, ("failed",)),
    Accident("unmounted root, its folder left", Where.FILES, _unmount_to_an_empty_folder, _mount, ("failed",)),
    Accident("empty listing", Where.FILES, _empty, _fill, ("failed",)),
    Accident("wrong filter edit of files", Where.FILES, _edited({"exclude": ["*.txt"]}), _edited({"exclude": []}),
             ("held",)),
    Accident("wrong types of files", Where.FILES, _edited({"types": ["text/csv"]}), _edited({"types": []}),
             ("held", "finished")),
)  # fmt: skip
