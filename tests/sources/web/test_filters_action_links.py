"""Links that do something are told from pages about doing it."""

from __future__ import annotations

import pytest

from cormorant.sources.web.filters import WebGates, action_in
from cormorant.sources.web.settings.web import WebSettings

HOME = "https://a.example/"


@pytest.mark.parametrize(
    "path",
    [
        "logout", "Logout.aspx", "account/sign-out/", "log_off?x", "wp-login.php?action=logout", "wp-logout.php",
        "Special:UserLogout", "userLogout.do", "user_logout", "x?logout", "x?a=b&logout=1", "%6cogout", "x?a=log%6fut",
        "user/5/delete", "user/5/delete/", "delete.php?id=5", "deletePage.do", "RemoveUser", "x?action=delete",
        "x?do=remove_user", "x?delete_id=5", "x?a=1&destroy=2", "x;purge", "list/unsubscribe",
    ],
)  # fmt: skip
def test_actions(path: str) -> None:
    assert action_in(HOME + path)


@pytest.mark.parametrize(
    "path",
    [
        "", "docs/how-to-delete-a-page.html", "wiki/Delete_key", "blog/removed", "deleted", "undelete", "x?q=deleted",
        "catalogue", "logouts", "blogout", "removers/", "signal-out", "cancel-culture", "docs/logout-flow.html",
        "how_to_remove_stains", "x?page=removed", "trash-metal", "purgedate",
    ],
)  # fmt: skip
def test_pages(path: str) -> None:
    assert not action_in(HOME + path)


def gates(**given: object) -> WebGates:
    return WebGates(WebSettings(start=(HOME,), **given), [HOME], float)  # type: ignore[arg-type]


def test_they_are_left_out_when_a_person_says_so_or_the_source_logs_in() -> None:
    address = f"{HOME}logout"
    assert gates().follow(address, 1).admitted
    said = gates(exclude_actions=True).follow(address, 1)
    assert (said.admitted, said.rule, said.status) == (False, "exclude_actions: logout", 964)
    assert gates(exclude_actions=True).follow(address, 0).admitted, "a person typed it as a start"
    login = (f"{HOME} basic ada secret:password",)
    assert not gates(credentials=login).follow(address, 1).admitted
    assert gates(credentials=login, exclude_actions=False).follow(address, 1).admitted
    assert not gates(headers=("X-Api-Key: secret:key",)).follow(address, 1).admitted
    assert gates(headers=("X-Tenant: blue",)).follow(address, 1).admitted


def test_each_gate_is_shown_and_the_first_that_refuses_decides() -> None:
    ours = gates(exclude_actions=True, depth=1, dynamic_pages=False, exclude=("path:/old",))
    for address in ("", "logout", "old", "old?x", "logout?x", "x/" * 30, "mailto:x"):
        for depth in (0, 1, 2):
            full = address if address.startswith("mailto") else HOME + address
            said, decided = ours.rulings(full, depth), ours.follow(full, depth)
            assert next((each for each in said if not each.admitted), said[-1]) == decided


@pytest.mark.parametrize(
    "address", ["javascript:x", "data:,x", "blob:https://a/x", "mailto:a@a", "about:blank", "ftp://a/"]
)
def test_other_schemes_are_never_visited(address: str) -> None:
    assert (gates(include=("any",)).follow(address, 1).status, gates(include=("any",)).follow(address, 1).admitted) == (
        964, False,
    )  # fmt: skip
