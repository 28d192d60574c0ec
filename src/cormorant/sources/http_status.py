"""Meaning of an HTTP status, for every kind of source that speaks HTTP (RFC 9110 section 15, RFC 6585). Pure.

| status                                     | class       | outcome of a document                      |
|--------------------------------------------|-------------|--------------------------------------------|
| 200 to 299, but for the next two rows      | SUCCESS     | the caller reads it                        |
| 204, 205                                   | NO_CONTENT  | failed, 911                                |
| 206, 304                                   | CONDITIONAL | as the request asked, else failed, 1005    |
| 301, 302, 303, 307, 308                    | REDIRECT    | failed, 1003, where none is followed       |
| 401                                        | LOGIN       | failed                                     |
| 403                                        | FORBIDDEN   | failed                                     |
| 404, 410                                   | MISSING     | gone                                       |
| 429, 503                                   | OVERLOADED  | deferred, with the whole site              |
| 408, 500 to 599 but 501, 503, 505          | MOMENTARY   | deferred                                   |
| all other 4xx, 501, 505                    | REFUSED     | failed                                     |
| anything else                              | INVALID     | failed, 1005                               |

The outcome keeps the number of the response, unless the table names another one. How often a document that fails is
tried is decided by the error policy of its source (`model/settings/error_policy.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final

from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Outcome
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.net.http.headers import retry_after
from cormorant.net.http.messages import Response, TransportError


class StatusClass(Enum):
    """The class of an HTTP status, by what a crawler does with a response that has it."""

    SUCCESS = "success"
    NO_CONTENT = "no_content"
    CONDITIONAL = "conditional"
    REDIRECT = "redirect"
    LOGIN = "login"
    FORBIDDEN = "forbidden"
    MISSING = "missing"
    OVERLOADED = "overloaded"
    MOMENTARY = "momentary"
    REFUSED = "refused"
    INVALID = "invalid"


_NUMBERS: Final[Mapping[StatusClass, tuple[int, ...]]] = {
    StatusClass.NO_CONTENT: (204, 205),
    StatusClass.CONDITIONAL: (206, 304),
    StatusClass.REDIRECT: (301, 302, 303, 307, 308),
    StatusClass.LOGIN: (401,),
    StatusClass.FORBIDDEN: (403,),
    StatusClass.MISSING: (404, 410),
    StatusClass.OVERLOADED: (429, 503),
    StatusClass.MOMENTARY: (408,),
    StatusClass.REFUSED: (501, 505),
}
_CLASS_OF: Final = {number: each for each, numbers in _NUMBERS.items() for number in numbers}
_HUNDREDS: Final = {2: StatusClass.SUCCESS, 4: StatusClass.REFUSED, 5: StatusClass.MOMENTARY}
_NO_DOCUMENT: Final[Mapping[StatusClass, Status]] = {
    StatusClass.NO_CONTENT: Status.EMPTY,
    StatusClass.REDIRECT: Status.REDIRECT_TARGET_MISSING,
    StatusClass.LOGIN: Status.UNAUTHORIZED,
    StatusClass.FORBIDDEN: Status.FORBIDDEN,
}
_REASONS: Final[Mapping[int, str]] = {
    204: "The server answered 204, without a document.",
    205: "The server answered 205, without a document.",
    206: "The server answered with a part (206) though the whole was asked for.",
    304: "The server answered 304 though nothing was asked of it.",
}
_VALIDATORS: Final = ("if-none-match:", "if-modified-since:")


def status_class(status: int) -> StatusClass:
    """Return the class of a status; a number that RFC 9110 does not name has that of its hundred (section 15)."""
    return _CLASS_OF.get(status) or _HUNDREDS.get(status // 100, StatusClass.INVALID)


def is_answer(got: Response, sent: Sequence[str]) -> bool:
    """Return whether a response has what a request with these header lines asked for.

    A 304 needs a validator in the request, a 206 a range (RFC 9110 sections 15.4.5 and 15.3.7).
    """
    if status_class(got.status) is not StatusClass.CONDITIONAL:
        return 200 <= got.status < 300
    asked = _VALIDATORS if got.status == Status.NOT_MODIFIED else ("range:",)
    return any(line.lower().startswith(asked) for line in sent)


def reason_of_status(status: int) -> str:
    """Return a sentence about a response that is no document."""
    if status_class(status) is StatusClass.REDIRECT:
        return "The server sends on to another address."
    return _REASONS.get(status) or f"The server answered {status}."


def number_of_status(status: int) -> int:
    """Return the number of the status table that a response without a document ends with."""
    found = status_class(status)
    if found in (StatusClass.SUCCESS, StatusClass.CONDITIONAL, StatusClass.INVALID):
        return Status.PROTOCOL_ERROR
    return _NO_DOCUMENT.get(found, status)


def outcome_of_status(got: Response, now: float, reason: str = "") -> Outcome:
    """Return what a response without a document means for the document, at `now` (epoch seconds).

    `reason` is a sentence of a caller that knows more than the status, like which login the server refuses.
    """
    reason, found = reason or reason_of_status(got.status), status_class(got.status)
    if found is StatusClass.MISSING:
        return Gone(got.status)
    if found is StatusClass.OVERLOADED:
        return Deferred(got.status, reason, retry_after(got.headers.get("retry-after"), now), whole_site=True)
    if found is StatusClass.MOMENTARY:
        return Deferred(got.status, reason)
    return Failed(number_of_status(got.status), reason)


def outcome_of_error(error: TransportError) -> Outcome:
    """Return what a request without a usable response means for the document."""
    if error.ruling is not None:
        return Excluded(error.ruling, error.status)
    if error.status == Status.TOO_BIG:
        return Excluded(Ruling(False, Gate.SIZE, error.reason, Status.TOO_BIG), Status.TOO_BIG)
    if error.lack is not None:
        return Deferred(error.status, error.reason, lack=error.lack)
    if error.retryable:
        return Deferred(error.status, error.reason, None, error.whole_site)
    return Failed(error.status, error.reason)
