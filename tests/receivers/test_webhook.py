from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadSetting, NotFoundError
from cormorant.model.settings.source import parse_settings
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.policy import Consent
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request
from cormorant.receivers.protocol import NotTaken, Refusal, Stop
from cormorant.receivers.webhook import PORTION_BYTES, WebhookReceiver, WebhookSettings
from tests.clocks import Hands
from tests.receivers.events import deliveries, delivery
from tests.receivers.hook import Answer, Hook
from tests.receivers.tools import tools


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook("/found?token=deep-secret") as hook:
        yield hook


def opened(url: str, **settings: object) -> WebhookReceiver:
    receiver = WebhookReceiver(
        WebhookSettings.model_validate({"url": url, "secret": "secret:shop", **settings}), tools()
    )
    receiver.open()
    return receiver


def told(receiver: WebhookReceiver, first: int, last: int) -> list[Refusal | Stop]:
    try:
        return list(receiver.receive(deliveries(first, last)))
    finally:
        receiver.close()


def test_what_is_posted(hook: Hook) -> None:
    told(opened(hook.url, batch=3), 4, 8)
    one, two = hook.posts
    assert [one.seqs, two.seqs] == [[4, 5, 6], [7, 8]]
    assert {name: one.said[name] for name in ("installation", "receiver", "first", "last")} == {
        "installation": "1d", "receiver": "shop", "first": 4, "last": 6,
    }  # fmt: skip
    assert list(one.said["records"][0]) == ["seq", "event", "run", "source", "url", "document", "text", "html"]
    assert (one.headers["Idempotency-Key"], two.headers["Idempotency-Key"]) == ("1d-shop-4-6", "1d-shop-7-8")
    assert one.headers["Content-Type"] == "application/json"
    assert "Expect" not in one.headers


def test_it_is_signed_over_time_and_body(hook: Hook) -> None:
    told(opened(hook.url), 1, 2)
    (post,) = hook.posts
    assert post.is_signed()
    assert not post.is_signed(b"another key")
    assert not replace(post, body=post.body + b" ").is_signed()
    assert not replace(post, headers={**post.headers, "Cormorant-Timestamp": "1"}).is_signed()


def test_without_a_secret_nothing_is_signed(hook: Hook) -> None:
    told(opened(hook.url, secret=""), 1, 1)
    assert "Cormorant-Signature" not in hook.posts[0].headers


def test_what_comes_again_has_the_same_key(hook: Hook) -> None:
    hook.plan += [500]
    receiver = opened(hook.url)
    with pytest.raises(NotTaken, match="answered 500"):
        receiver.receive(deliveries(1, 4))
    receiver.receive(deliveries(1, 4))
    receiver.close()
    assert len({post.headers["Idempotency-Key"] for post in hook.posts}) == 1
    assert list(hook.taken) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("answer", "words", "after_s"),
    [
        (500, "answered 500", 0), (502, "answered 502", 0), (401, "Check its secret", 0), (404, "Check the url", 0),
        (Answer(302, {"Location": "http://127.0.0.1:9/"}), "Redirects are not followed", 0),
        (Answer(429, {"Retry-After": "7"}), "answered 429", 7), (Answer(503, {"Retry-After": "999999"}), "503", 86_400),
        (Answer(503, {"Retry-After": "soon"}), "503", 0), ("reset", "was not reached", 0), (408, "answered 408", 0),
        (Answer(200, {}, {"refused": "all"}), "does not understand", 0),
    ],
)  # fmt: skip
def test_what_was_not_taken_comes_again(hook: Hook, answer: int | str | Answer, words: str, after_s: float) -> None:
    hook.plan += [answer, answer]  # a reset is tried once more, on another connection
    with pytest.raises(NotTaken, match=words) as raised:
        told(opened(hook.url), 1, 3)
    assert raised.value.after_s == after_s
    assert "deep-secret" not in raised.value.sentence
    assert all(post.seqs == [1, 2, 3] for post in hook.posts)


def test_one_that_does_not_answer_is_given_up(hook: Hook) -> None:
    hook.plan += ["hang"]
    with pytest.raises(NotTaken, match="was not reached"):
        told(opened(hook.url, timeout_s=0.4), 1, 1)


def test_nobody_listens() -> None:
    with Hook() as hook:
        url = hook.url
    with pytest.raises(NotTaken, match="was not reached"):
        told(opened(url), 1, 1)


def test_single_records_are_refused_by_the_answer(hook: Hook) -> None:
    hook.judge = lambda _: Answer(200, {}, {"refused": [{"seq": 2, "reason": "no price"}, {"seq": 3}], "more": 1})
    assert told(opened(hook.url), 1, 4) == [Refusal(2, "no price"), Refusal(3, "It gave no reason.")]
    assert list(hook.taken) == [1, 4]


@pytest.mark.parametrize("status", [400, 413, 415, 422])
def test_the_one_record_that_is_at_fault_is_found(hook: Hook, status: int) -> None:
    hook.judge = lambda post: Answer(status if 7 in post.seqs else 204)
    assert told(opened(hook.url), 1, 12) == [Refusal(7, f"It was answered with {status}.")]
    assert sorted(hook.taken) == [seq for seq in range(1, 13) if seq != 7]
    assert len(hook.posts) <= 10


def test_it_may_end_the_run(hook: Hook) -> None:
    hook.judge = lambda _: Answer(200, {}, {"stop": "the shop closes"})
    assert told(opened(hook.url), 1, 2) == [Stop(1, "the shop closes")]
    hook.judge = lambda _: Answer(200, {}, {"stop": True})
    assert told(opened(hook.url), 3, 3) == [Stop(1, "it gave no reason")]


def test_an_answer_that_is_no_json_says_nothing(hook: Hook) -> None:
    for body in (b"OK", b"{no object", b"[1]"):
        hook.plan = [Answer(200, {"Content-Type": "text/plain"}, body)]
        assert told(opened(hook.url), 1, 2) == []
    assert len(hook.posts) == 3


@pytest.mark.parametrize("mime", ["text/plain", "application/octet-stream", ""])
def test_an_object_is_understood_whatever_it_is_called(hook: Hook, mime: str) -> None:
    said = b' {"refused": [{"seq": 2, "reason": "no price"}]}\n'
    hook.judge = lambda _: Answer(200, {"Content-Type": mime}, said)
    assert told(opened(hook.url), 1, 2) == [Refusal(2, "no price")]


def test_large_records_go_by_themselves(hook: Hook) -> None:
    receiver = opened(hook.url)
    big = [replace(delivery(seq), text="x" * (PORTION_BYTES // 2)) for seq in (1, 2, 3)]
    receiver.receive(big)
    receiver.close()
    assert [post.seqs for post in hook.posts] == [[1], [2], [3]]


def test_the_stamp_is_of_the_clock(hook: Hook) -> None:
    settings = WebhookSettings(url=hook.url, secret="secret:shop")
    receiver = WebhookReceiver(settings, replace(tools(), clock=Hands(1_700_000_000.7)))
    receiver.open()
    receiver.receive(deliveries(1, 1))
    receiver.close()
    assert hook.posts[0].headers["Cormorant-Timestamp"] == "1700000000"


def test_where_nobody_may_go_nothing_is_sent() -> None:
    for url in ("http://169.254.169.254/latest", "http://224.0.0.1/"):
        with pytest.raises(NotTaken, match="network policy"):
            told(opened(url), 1, 1)


def test_consent_can_be_withdrawn(hook: Hook) -> None:
    with pytest.raises(NotTaken, match="network policy"):
        told(opened(hook.url, network=("public",)), 1, 1)
    assert hook.posts == []


def test_a_certificate_is_checked(tmp_path: Path) -> None:
    import trustme

    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with Hook() as hook:
        hook.wrap(context)
        url = hook.url.replace("http:", "https:")
        with pytest.raises(NotTaken, match="was not reached"):
            told(opened(url), 1, 1)
        assert hook.posts == []
        told(opened(url, ca=str(tmp_path / "ca.pem")), 1, 1)
    assert list(hook.taken) == [1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "is needed"), ({"url": "ftp://a.example/"}, "only http"), ({"url": "hook"}, "no address"),
        ({"url": "https://me:pass@a.example/"}, "no user name"),
        ({"url": "https://a.example/", "secret": "plain"}, "NAME"),
        ({"url": "https://a.example/", "secret": "secret:"}, "NAME"),
        ({"url": "https://a.example/", "network": "everywhere"}, "network"),
        ({"url": "https://a.example/", "batch": "0"}, "batch"),
    ],
)  # fmt: skip
def test_settings(given: dict[str, str], words: str) -> None:
    with pytest.raises(BadSetting, match=words) as raised:
        parse_settings(WebhookSettings, given)
    assert "pass" not in raised.value.sentence.replace("password", "")
    assert "plain" not in raised.value.sentence


def test_a_secret_that_there_is_not_is_told_of(hook: Hook) -> None:
    with pytest.raises(NotFoundError, match="no secret 'none'"):
        opened(hook.url, secret="secret:none")


def test_after_a_post_a_get_is_a_get_again(hook: Hook) -> None:
    consent = Consent.of([("127.0.0.1", hook.port)])

    async def work() -> list[int]:
        fetcher = Fetcher(Egress(SystemClock()), width=1)
        answers = [
            await fetcher.get(Request(hook.url, consent=consent, body=body))
            for body in (b'{"records": []}', None, b'{"records": [ ]}')
        ]
        await fetcher.close()
        return [each.status for each in answers]

    assert asyncio.run(work()) == [204, 501, 204], "501: this server knows no GET"
    assert [post.body for post in hook.posts] == [b'{"records": []}', b'{"records": [ ]}']
