"""Which addresses are those of login pages?"""

from __future__ import annotations

import pytest

from cormorant.model.text.login_pages import is_login


@pytest.mark.parametrize(
    "address",
    [
        "https://a.example/login", "https://a.example/Login.aspx?ReturnUrl=%2f", "https://a.example/user/sign_in",
        "https://login.example.com/x", "https://a.example/cas/login", "https://idp.a.example/", "https://a.example/saml2/sso",
        "https://a.example/wp-login.php", "https://a.example/oauth2/authorize?x=1", "https://a.example/session/new",
        "https://a.example/login/", "https://a.example/login/index.php", "https://a.example/adfs/ls/?wa=wsignin1.0",
        "https://a.example/auth/realms/x/protocol/openid-connect/auth?client_id=wiki", "https://a.example/idp/SSO?e=1",
        "https://a.example/cas/clientredirect?client_name=x",
    ],
)  # fmt: skip
def test_addresses_of_login_pages(address: str) -> None:
    assert is_login(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://a.example/", "https://a.example/blog/logins-explained", "https://a.example/search?q=login",
        "https://a.example/authors/", "https://a.example/classroom", "https://loginus.example/", "https://[bad/login",
        "https://a.example/docs/authentication/tokens", "https://a.example/auth/quick-start.html",
        "https://a.example/sso/okta/",
    ],
)  # fmt: skip
def test_addresses_of_other_pages(address: str) -> None:
    assert not is_login(address)


def test_a_page_below_a_folder_of_such_a_name_is_none_for_the_query_it_had_before() -> None:
    target = "https://a.example/docs/authentication/page?id=3"
    assert not is_login(target, "https://a.example/guide/page?id=3")
    assert is_login(target, "https://a.example/guide/page")
