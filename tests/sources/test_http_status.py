"""Meaning of an HTTP status: the table, and that every kind of source takes it from there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from cormorant.base.exhaustion import Shortage
from cormorant.model.content import VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Outcome
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import TABLE
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.plugins import HttpClient, ServerSettings
from cormorant.sources.http_status import StatusClass, is_answer, outcome_of_error, outcome_of_status, status_class
from cormorant.sources.json_api.client import ApiClient
from cormorant.sources.json_api.exchange import ApiFault
from cormorant.sources.json_api.settings import ApiSettings
from cormorant.sources.remote.http_exchange import fetched
from cormorant.sources.remote.protocol import RemoteRefusal
from cormorant.sources.remote.source import outcome_of
from cormorant.sources.web import response as web
from cormorant.testing import tools

URL = "http://127.0.0.1/docs/a"
FAILING = [*range(400, 600)]


def response(status: int, fields: str = "") -> Response:
    return Response(status, f"HTTP/1.1 {status} X", fields.encode(), b"", 0)


class FixedFetcher:
    """Answers every request with one response."""

    def __init__(self, got: Response) -> None:
        self.got = got

    async def get(self, _: Request) -> Response:
        return self.got


class Anonymous:
    """Sends no login, and knows nothing of refusals."""

    def lines(self, _: Request) -> tuple[str, ...]:
        return ()

    def challenged(self, _: Response, __: tuple[str, ...]) -> bool:
        return False

    def refusal(self, _: Response) -> None:
        return None


def by_web(got: Response) -> Outcome:
    return cast(Outcome, web.of_answer(got, URL, 0.0, conditional=False, agent="cormorant"))


def by_client(got: Response) -> Outcome:
    given = replace(tools(), fetcher=cast(Any, FixedFetcher(got)))
    return cast(Outcome, asyncio.run(HttpClient(URL, ServerSettings(), given).get(URL, VisitTrace())))


def by_api(got: Response) -> Outcome:
    client = ApiClient(ApiSettings.model_construct(url=URL), "", tools().clock)
    with pytest.raises(ApiFault) as raised:
        client.judge(got, ())
    return raised.value.outcome()


def by_remote(got: Response) -> Outcome:
    fetching = fetched(cast(Any, FixedFetcher(got)), Request(URL), Anonymous(), VisitTrace(), tools().clock)
    try:
        return cast(Outcome, asyncio.run(fetching))
    except RemoteRefusal as refusal:
        return outcome_of(refusal, None)


@pytest.mark.parametrize("judge", [by_client, by_api, by_remote])
def test_every_kind_ends_a_document_as_the_web_kind_does(judge: Any) -> None:
    """Kinds word it in their own way; the outcome, its number and its effect on the whole site are one."""
    for status in FAILING:
        expected, found = by_web(response(status)), judge(response(status))
        assert (type(found), found.status) == (type(expected), expected.status), status
        if isinstance(found, Deferred):
            assert isinstance(expected, Deferred)
            assert found.whole_site == expected.whole_site, status


@pytest.mark.parametrize("judge", [by_web, by_client, by_api, by_remote])
@pytest.mark.parametrize("status", [429, 503])
def test_every_kind_waits_as_long_as_an_overloaded_server_asks(judge: Any, status: int) -> None:
    got = judge(response(status, "Retry-After: 77\r\n"))
    assert (got.status, got.wait_s, got.whole_site) == (status, 77.0, True)


@pytest.mark.parametrize("judge", [by_web, by_client, by_api, by_remote])
def test_nothing_that_was_not_asked_for_is_a_document(judge: Any) -> None:
    """A part and a 304 need a request for them (RFC 9110 sections 15.3.7 and 15.4.5)."""
    assert [judge(response(status)).status for status in (206, 304)] == [1005, 1005]


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (401, Failed(401, "The server answered 401.")),
        (403, Failed(403, "The server answered 403.")),
        (404, Gone(404)),
        (410, Gone(410)),
        (408, Deferred(408, "The server answered 408.")),
        (429, Deferred(429, "The server answered 429.", 5.0, whole_site=True)),
        (503, Deferred(503, "The server answered 503.", 5.0, whole_site=True)),
        (500, Deferred(500, "The server answered 500.")),
        (520, Deferred(520, "The server answered 520.")),
        (501, Failed(501, "The server answered 501.")),
        (505, Failed(505, "The server answered 505.")),
        (451, Failed(451, "The server answered 451.")),
        (204, Failed(911, "The server answered 204, without a document.")),
        (308, Failed(1003, "The server sends on to another address.")),
        (300, Failed(1005, "The server answered 300.")),
        (203, Failed(1005, "The server answered 203.")),
        (101, Failed(1005, "The server answered 101.")),
        (999, Failed(1005, "The server answered 999.")),
    ],
)
def test_the_table(status: int, meaning: Outcome) -> None:
    assert outcome_of_status(response(status, "Retry-After: 5\r\n"), 0.0) == meaning


def test_the_table_of_statuses_promises_the_same_outcomes() -> None:
    """414 is a number of this crawler, too; its row says that the visit fails where a server says it."""
    promised = {status: TABLE[status].outcome for status in FAILING if status in TABLE and status not in (407, 414)}
    assert len(promised) > 15
    assert {status: outcome_of_status(response(status), 0.0).kind for status in promised} == promised


def test_a_caller_gives_its_own_reason() -> None:
    assert outcome_of_status(response(403), 0.0, "No.") == Failed(403, "No.")
    assert outcome_of_status(response(500), 0.0, "No.") == Deferred(500, "No.")


def test_what_a_request_asked_for_decides_whether_a_response_answers_it() -> None:
    assert is_answer(response(304), ['if-none-match: "a"'])
    assert is_answer(response(206), ["Range: bytes=0-9"])
    assert not is_answer(response(304), ["Range: bytes=0-9", "Accept: text/plain"])
    assert is_answer(response(204), ())
    assert not is_answer(response(301), ())
    assert status_class(207) is StatusClass.SUCCESS


def test_a_request_without_a_response() -> None:
    ruling = Ruling(False, Gate.NETWORK, "private", 974)
    assert outcome_of_error(TransportError(974, "No.", ruling=ruling)) == Excluded(ruling, 974)
    assert outcome_of_error(TransportError(960, "12 bytes.")).status == 960
    lack = Shortage.FILES
    assert outcome_of_error(TransportError(904, "None left.", lack=lack)) == Deferred(904, "None left.", lack=lack)
    late = TransportError(902, "Late.", retryable=True, whole_site=True)
    assert outcome_of_error(late) == Deferred(902, "Late.", None, True)
    assert outcome_of_error(TransportError(1006, "A bad header.")) == Failed(1006, "A bad header.")
