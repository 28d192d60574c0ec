"""A fake MediaWiki: the documented answers of its Action API (formatversion=2) to the queries of a crawler."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.sources.json_api.fake_server import Asked, FakeServer, Reply

NAMESPACES = {0: "", 1: "Talk", 2: "User", 3: "User talk", 6: "File", 12: "Help", 3000: "Logbook"}


@dataclass
class Page:
    """A page; `redirect` is the title that it leads to, `file` are bytes and their type."""

    number: int
    revision: int
    text: str
    redirect: str = ""
    file: tuple[bytes, str] | None = None
    user: str = "Ada"


class FakeWiki(FakeServer):
    """A wiki. `at_once` is how many pages or changes an answer holds."""

    def __init__(self, at_once: int = 500) -> None:
        self.pages: dict[str, Page] = {}
        self.changes: list[dict[str, Any]] = []
        self.at_once, self.logins, self.private = at_once, 0, False
        self.user, self.password = "Ada@cormorant", "right"
        self.now = 1_795_000_000.0
        self._numbers = 0
        self.sessions: set[str] = set()
        super().__init__()

    def put(self, title: str, text: str, *, redirect: str = "", file: tuple[bytes, str] | None = None) -> None:
        """Make a page, or replace its text."""
        with self.lock:
            self._numbers += 1
            known = self.pages.get(title)
            self.pages[title] = Page(known.number if known else self._numbers, self._numbers, text, redirect, file)
            self._note("edit" if known else "new", title)

    def delete(self, title: str) -> None:
        """Delete a page."""
        with self.lock:
            del self.pages[title]
            self._note("log", title)

    def move(self, title: str, target: str) -> None:
        """Move a page, and leave a redirect."""
        with self.lock:
            self._numbers += 1
            page = self.pages[title]
            page.revision = self._numbers
            self.pages[target] = page
            self.pages[title] = Page(self._numbers, self._numbers, "", target)
            self._note("log", title, target)

    def _note(self, sort: str, title: str, target: str = "") -> None:
        self.now += 1
        entry: dict[str, Any] = {"type": sort, "ns": _namespace(title), "title": title, "timestamp": _iso(self.now)}
        if target:
            entry |= {"logtype": "move", "logparams": {"target_ns": _namespace(target), "target_title": target}}
        self.changes.append(entry)

    def reply(self, asked: Asked) -> Reply:
        """Answer as api.php does."""
        if asked.path in {"/wiki", "/wiki/"}:
            link = (
                f'<link rel="EditURI" type="application/rsd+xml" href="//127.0.0.1:{self._port}/w/api.php?action=rsd"/>'
            )
            return Reply(body=f"<html><head>{link}</head>".encode(), headers={"Content-Type": "text/html"})
        if asked.path.startswith("/images/"):
            page = self.pages.get("File:" + asked.path.removeprefix("/images/"))
            if page is None or page.file is None:
                return Reply({}, 404)
            return Reply(body=page.file[0], headers={"Content-Type": page.file[1]})
        if asked.path != "/w/api.php":
            return Reply({}, 404)
        action = asked.parameters.get("action")
        if action == "login":
            return self._login(asked)
        if asked.parameters.get("type") == "login":
            self._numbers += 1
            cookie = {"Set-Cookie": f"wiki_session=before{self._numbers}; path=/; HttpOnly"}
            return Reply({"query": {"tokens": {"logintoken": f"t{self._numbers}+\\"}}}, headers=cookie)
        is_in = any(f"wikiUser={each}" in asked.headers.get("cookie", "") for each in self.sessions)
        if asked.parameters.get("assert") == "user" and not is_in:
            return _error("assertuserfailed", "You are no longer logged in")
        if self.private and not is_in:
            return _error("readapidenied", "You need read permission to use this module.")
        if action == "parse":
            return self._parse(asked.parameters)
        return Reply({"curtimestamp": _iso(self.now), **self._query(asked.parameters)})

    def _login(self, asked: Asked) -> Reply:
        self.logins += 1
        given = [asked.parameters.get(f"lg{each}") for each in ("name", "password", "token")]
        before = asked.headers.get("cookie", "").partition("wiki_session=before")[2].partition(";")[0]
        if given != [self.user, self.password, f"t{before}+\\"]:
            return Reply({"login": {"result": "Failed", "reason": "Incorrect username or password entered."}})
        session = f"s{self.logins}"
        self.sessions.add(session)
        return Reply({"login": {"result": "Success"}}, headers={"Set-Cookie": f"wikiUser={session}; path=/; HttpOnly"})

    def _parse(self, parameters: Mapping[str, str]) -> Reply:
        page = self.pages.get(parameters["page"])
        if page is None:
            return _error("missingtitle", "The page you specified doesn't exist.")
        text = f'<div class="mw-parser-output"><p>{page.text} <a href="/wiki/Other">Other</a></p></div>'
        categories = [{"sortkey": "", "category": "Sea_birds", "hidden": False}]
        return Reply({"parse": {"title": parameters["page"], "text": text, "categories": categories}})

    def _query(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        if parameters.get("meta") == "siteinfo":
            return {"batchcomplete": True, "query": _site()}
        if parameters.get("list") == "recentchanges":
            return self._recent(parameters)
        if parameters.get("generator") == "allpages":
            return self._all(parameters)
        titles = parameters["titles"].split("|")
        assert len(titles) <= 50, "too many titles"
        return {"batchcomplete": True, "query": {"pages": [self._page(each, parameters) for each in titles]}}

    def _all(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        number, first = int(parameters["gapnamespace"]), parameters.get("gapcontinue", "")
        titles = sorted(
            title for title, page in self.pages.items() if _namespace(title) == number and not page.redirect
        )
        titles = [each for each in titles if each >= first]
        answer: dict[str, Any] = {"query": {"pages": [self._page(each, parameters) for each in titles[: self.at_once]]}}
        if len(titles) > self.at_once:
            answer["continue"] = {"gapcontinue": titles[self.at_once], "continue": "gapcontinue||"}
        return answer | {"batchcomplete": True}

    def _recent(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        since, limit = parameters.get("rcstart", ""), parameters["rclimit"]
        first = int(parameters.get("rccontinue", "0|0").partition("|")[2])
        fitting = [each for each in self.changes if each["timestamp"] >= since]
        size = self.at_once if limit == "max" else int(limit)
        answer: dict[str, Any] = {"query": {"recentchanges": fitting[first : first + size]}}
        if len(fitting) > first + size:
            answer["continue"] = {"rccontinue": f"2026|{first + size}", "continue": "-||"}
        return answer | {"batchcomplete": True}

    def _page(self, title: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        page = self.pages.get(title)
        if page is None:
            return {"ns": _namespace(title), "title": title, "missing": True}
        found: dict[str, Any] = {
            "pageid": page.number, "ns": _namespace(title), "title": title, "lastrevid": page.revision,
            "pagelanguage": "en", "fullurl": f"{self.url}/wiki/{title.replace(' ', '_')}",
        }  # fmt: skip
        if page.redirect:
            found["redirect"] = True
        if "redirects" in parameters.get("prop", ""):
            found["redirects"] = [{"title": name} for name, each in self.pages.items() if each.redirect == title]
            found["revisions"] = [{"user": page.user, "timestamp": "2026-02-03T04:05:06Z"}]
        if page.file and "imageinfo" in parameters.get("prop", ""):
            data, mime = page.file
            found["imageinfo"] = [{
                "sha1": hashlib.sha1(data).hexdigest(), "mime": mime, "size": len(data), "user": "Grace",
                "url": f"{self.url}/images/{title.partition(':')[2]}", "comment": "As scanned",
                "timestamp": "2026-01-02T03:04:05Z",
            }]  # fmt: skip
        return found


def _site() -> dict[str, Any]:
    spaces = {
        str(number): {"id": number, "name": name, "canonical": name, "content": number in (0, 3000)}
        for number, name in NAMESPACES.items()
    }
    return {
        "namespaces": spaces | {"-1": {"id": -1, "name": "Special", "canonical": "Special", "content": False}},
        "namespacealiases": [{"id": 6, "alias": "Image"}],
    }


def _error(code: str, info: str) -> Reply:
    return Reply({"error": {"code": code, "info": info}}, headers={"MediaWiki-API-Error": code})


def _namespace(title: str) -> int:
    return {name: number for number, name in NAMESPACES.items()}.get(title.partition(":")[0], 0) if ":" in title else 0


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
