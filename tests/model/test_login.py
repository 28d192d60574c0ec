"""Which addresses are those of login pages?"""

from __future__ import annotations

import pytest

from cormorant.model.login import is_login


@pytest.mark.parametrize(
    "address",
    [
        "https://a.example/login", "https://a.example/Login.aspx?ReturnUrl=%2f", "https://a.example/user/sign_in",
        "https://login.example.com/x", "https://a.example/cas/login", "https://idp.a.example/", "https://a.example/saml2/sso",
        "https://a.example/wp-login.php", "https://a.example/oauth2/authorize?x=1", "https://a.example/session/new",
    ],
)  # fmt: skip
def test_addresses_of_login_pages(address: str) -> None:
    assert is_login(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://a.example/", "https://a.example/blog/logins-explained", "https://a.example/search?q=login",
        "https://a.example/authors/", "https://a.example/classroom", "https://loginus.example/", "https://[bad/login",
    ],
)  # fmt: skip
def test_addresses_of_other_pages(address: str) -> None:
    assert not is_login(address)
