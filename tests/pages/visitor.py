"""Somebody with a browser window of their own, and everything that must not happen while they look around."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Frame, Locator, Page, Request, Response

from tests.pages.houses import Served
from tests.pages.pages import Listed

PLACE = re.compile(r"\{([^}]+)\}")
# Chromium says so of every page that it shows with such a status; the status itself is looked at.
STATUS = re.compile(r"Failed to load resource: the server responded with a status of (\d+)")
LIMIT_MS = 10_000
Wait: TypeAlias = Literal["load", "domcontentloaded"]


class Look(NamedTuple):
    """How a window is: its size, light or dark by the system's choice, and whether scripts run in it."""

    width: int = 1280
    height: int = 900
    scheme: str = "light"
    scripts: bool = True


WIDE, NARROW = Look(), Look(390, 844)
LOOKS = {f"{size}-{scheme}": look._replace(scheme=scheme) for size, look in (("wide", WIDE), ("narrow", NARROW))
         for scheme in ("light", "dark")}  # fmt: skip


@dataclass
class Visitor:
    """A window at an installation. `faults` is what went wrong in it, in the order it happened.

    `documents` is how the addresses begin to which a reader may be led from there.

    Faults are errors and warnings on the console (what the policy refuses is one), dialogs, failed requests, requests
    to anywhere else, and statuses from 400 on but of pages that were asked for by `open` with that status.
    """

    house: Served
    page: Page
    faults: list[str] = field(default_factory=list)
    expected: int = 200
    documents: str = "http://127.0.0.1:"

    def open(self, address: str, status: int = 200, wait: Wait = "load") -> Response:
        """Go to an address of the installation, which has to answer with this status, and `wait` for so much of it."""
        self.expected = status
        answer = self.page.goto(self.house.origin + address, wait_until=wait)
        assert answer is not None
        assert answer.status == status, f"{address} answered {answer.status}"
        return answer

    def look_at(self, listed: Listed) -> Response:
        """Go to a page of the list."""
        return self.open(self.address(listed), listed.status)

    def address(self, listed: Listed) -> str:
        """Where a page of the list is."""
        return PLACE.sub(lambda found: self.house.told(found[1]), listed.address)

    def follow(self, to: Locator) -> None:
        """Click a link or a button that leads to another page, and wait until that is there."""
        with self.page.expect_navigation(wait_until="load"):
            to.click()

    @property
    def framed(self) -> Frame:
        """The kept copy in the page, once its words are there."""
        frame = self.page.locator("iframe.cached-frame").element_handle().content_frame()
        assert frame is not None, "there is no copy in the page"
        frame.wait_for_load_state("domcontentloaded")
        return frame

    def begin(self) -> None:
        """Put the focus before everything on the page, as it is where nothing takes it by itself."""
        self.page.evaluate(
            "const body = document.body; body.tabIndex = -1; body.focus(); body.removeAttribute('tabindex')"
        )

    def change(self, look: Look) -> None:
        """Make the window another size, or the system dark."""
        self.page.set_viewport_size({"width": look.width, "height": look.height})
        self.page.emulate_media(color_scheme="dark" if look.scheme == "dark" else "light")

    @property
    def path(self) -> str:
        """Where the window is, without the origin."""
        address: str = self.page.url
        return address.removeprefix(self.house.origin)

    @property
    def words(self) -> str:
        """What can be read on the page."""
        text: str = self.page.locator("body").inner_text()
        return text

    @property
    def focused(self) -> str:
        """What can be read of the element that has the focus."""
        text: str = self.page.evaluate("document.activeElement.innerText")
        return text

    def watch(self) -> None:
        """Note from now on what must not happen."""
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.faults.append(f"error in a script: {error}"))
        self.page.on("dialog", self._asked)
        self.page.on("requestfailed", self._failed)
        self.page.on("response", self._answered)
        self.page.on("request", self._left)

    def _ours(self, address: str) -> bool:
        return address.startswith(f"{self.house.origin}/")

    def _said(self, message: ConsoleMessage) -> None:
        status = STATUS.match(message.text)
        at = message.location["url"]
        here = int(status[1]) == self.expected and at == self.page.url if status else False
        expected = here or (status and not self._ours(at))  # a document's own affair
        if message.type in ("error", "warning") and not expected:
            self.faults.append(f"{message.type} on the console: {message.text}")

    def _asked(self, dialog: Dialog) -> None:
        self.faults.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def _failed(self, request: Request) -> None:
        # Of others it is said that they were asked for; what is aborted was let go for the next page.
        if self._ours(request.url) and request.failure != "net::ERR_ABORTED":
            self.faults.append(f"{request.url} failed: {request.failure}")

    def _answered(self, answer: Response) -> None:
        expected = answer.status == self.expected and answer.request.is_navigation_request()
        if answer.status >= 400 and self._ours(answer.url) and not expected:
            self.faults.append(f"{answer.url} answered {answer.status}")

    def _left(self, request: Request) -> None:
        """A link may be followed to a document on this machine, which brings what it is made of."""
        followed = request.is_navigation_request() or not self._ours(self.page.url)
        if not self._ours(request.url) and not (followed and request.url.startswith(self.documents)):
            self.faults.append(f"a request to elsewhere: {request.url}")


def enter(browser: Browser, house: Served, look: Look) -> Visitor:
    """Open a window that shares nothing with any other."""
    given: dict[str, Any] = {"viewport": {"width": look.width, "height": look.height}, "color_scheme": look.scheme}
    context: BrowserContext = browser.new_context(java_script_enabled=look.scripts, service_workers="block", **given)
    context.set_default_timeout(LIMIT_MS)
    visitor = Visitor(house, context.new_page())
    visitor.watch()
    return visitor
