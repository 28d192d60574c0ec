"""Logins at a stand-alone Samba by tickets of a real Kerberos domain, and the sentences for those that fail."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content
from tests.sources.remote.listing import fetched, listed, remote
from tests.sources.smb.kdc import FAKE_CLOCK, USER, KerberosDomain, kerberos_domain
from tests.sources.smb.samba import PASSWORD, Samba, samba

pytestmark = pytest.mark.server
SECRETS = {"p": PASSWORD, "w": "wrong"}


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KerberosDomain]:
    with kerberos_domain(tmp_path_factory.mktemp("domain")) as made:
        yield made


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("share")
    (folder / "a.txt").write_text("of the share")
    return folder


@pytest.fixture(scope="module")
def server(domain: KerberosDomain, share: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Samba]:
    with samba(share, tmp_path_factory.mktemp("state"), with_=domain.samba()) as made:
        yield made


@pytest.fixture(autouse=True)
def environment(domain: KerberosDomain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in domain.environment.items():
        monkeypatch.setenv(name, value)
    domain.environment["KRB5CCNAME"] = f"FILE:{tmp_path}/tickets"
    monkeypatch.setenv("KRB5CCNAME", domain.environment["KRB5CCNAME"])


def given(server: Samba, **more: object) -> dict[str, Any]:
    url = server.url.replace("127.0.0.1", "localhost")
    return server.settings(**{"url": url, "user": USER, "auth": "kerberos", "encryption": True, **more})


@pytest.mark.parametrize("auth", ["kerberos", "negotiate"])
def test_files_are_read_by_a_password_of_the_domain(server: Samba, auth: str) -> None:
    settings = given(server, auth=auth)
    assert list(listed(remote("smb", SECRETS, **settings))) == ["a.txt"]
    got = fetched("smb", SECRETS, "a.txt", **settings)
    assert isinstance(got, Content)
    assert got.body == b"of the share"


def test_files_are_read_by_a_ticket(server: Samba, domain: KerberosDomain) -> None:
    domain.ticket()
    assert list(listed(remote("smb", SECRETS, **given(server, password="")))) == ["a.txt"]


def test_files_are_read_by_a_client_keytab(server: Samba, domain: KerberosDomain) -> None:
    domain.ask("addprinc -randkey crawler")
    domain.ask(f"ktadd -k {domain.folder}/client.keytab crawler")
    (domain.folder / "users").write_text('root = "FILES\\ada" "FILES\\crawler"\n')
    assert list(listed(remote("smb", SECRETS, **given(server, password="", user="crawler@FILES.EXAMPLE")))) == ["a.txt"]


@pytest.mark.parametrize(
    ("more", "kind", "sentence"),
    [
        ({"password": "secret:w"}, LoginRefused, "Kerberos refuses the password of user 'ada@FILES.EXAMPLE'"),
        ({"user": "eve@FILES.EXAMPLE"}, LoginRefused, "The Kerberos domain knows no user 'eve@FILES.EXAMPLE'"),
        ({"user": "ada@b@c"}, LoginRefused, "'ada@b@c' is no name of a Kerberos user"),
        ({"user": "ada@OTHER.EXAMPLE"}, Unreachable, "knows no controller of the Kerberos domain of user 'ada@OTHER"),
        ({"user": "ada@AWAY.EXAMPLE"}, Unreachable, "No controller of the Kerberos domain of user 'ada@AWAY"),
        ({"host": "127.0.0.1"}, Unreachable, "The Kerberos domain knows no server 127.0.0.1"),
        ({"password": ""}, Unreachable, "The account that runs Cormorant has no Kerberos ticket of user 'ada@FILES"),
    ],
)
def test_a_login_that_fails_says_why(server: Samba, more: dict[str, str], kind: type[Exception], sentence: str) -> None:
    settings = given(server, **{name: value for name, value in more.items() if name != "host"})
    settings["url"] = str(settings["url"]).replace("localhost", more.get("host", "localhost"))
    with pytest.raises(kind, match=sentence) as caught:
        listed(remote("smb", SECRETS, **settings))
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("modprinc -allow_tix bob", "The account of user 'bob@FILES.EXAMPLE' is locked or disabled"),
        ('modprinc -pwexpire "2020-01-01" bob', "The password of user 'bob@FILES.EXAMPLE' has expired"),
    ],
)
def test_an_account_that_is_closed(server: Samba, domain: KerberosDomain, question: str, sentence: str) -> None:
    domain.ask(f'addprinc -pw "{PASSWORD}" bob')
    domain.ask(question)
    try:
        with pytest.raises(LoginRefused, match=sentence):
            listed(remote("smb", SECRETS, **given(server, user="bob@FILES.EXAMPLE")))
    finally:
        domain.ask("delprinc -force bob")


def test_a_ticket_that_has_expired(server: Samba, domain: KerberosDomain) -> None:
    domain.ticket("1s")
    until = time.time() + 2
    while time.time() < until:
        time.sleep(0.1)
    with pytest.raises(Unreachable, match=r"The Kerberos ticket of user 'ada@FILES\.EXAMPLE' has expired") as caught:
        listed(remote("smb", SECRETS, **given(server, password="")))
    assert not isinstance(caught.value, LoginRefused), "a new ticket has to do without --force"


@pytest.mark.parametrize("auth", ["kerberos", "negotiate"])
def test_clocks_that_differ(domain: KerberosDomain, share: Path, tmp_path: Path, auth: str) -> None:
    if not FAKE_CLOCK.exists():
        pytest.skip("libfaketime is not installed")
    late = domain.samba(LD_PRELOAD=str(FAKE_CLOCK), FAKETIME="+1h")
    sentence = "The clocks of this machine, of localhost and of the Kerberos domain"
    with samba(share, tmp_path / "state", with_=late) as server, pytest.raises(Unreachable, match=sentence):
        listed(remote("smb", SECRETS, **given(server, auth=auth)))


def test_a_server_that_has_another_key(domain: KerberosDomain, share: Path, tmp_path: Path) -> None:
    domain.ask("addprinc -randkey cifs/127.0.0.1")
    try:
        with samba(share, tmp_path / "state", with_=domain.samba()) as server:
            settings = given(server, url=server.url)
            with pytest.raises(LoginRefused, match="does not take the Kerberos login of user 'ada@FILES"):
                listed(remote("smb", SECRETS, **settings))
    finally:
        domain.ask("delprinc -force cifs/127.0.0.1")
