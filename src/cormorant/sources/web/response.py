"""Meaning of an HTTP response. One answer or fault in, an outcome or the next hop out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from msgspec.structs import replace

from cormorant.model.content import Content, PageLink
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Held, Moved, Outcome, Unchanged
from cormorant.model.resource import Resource
from cormorant.model.text.login_pages import IN_ITS_PLACE, is_login
from cormorant.model.text.robots_directives import directives_for
from cormorant.model.url import join
from cormorant.net.http.digest import schemes
from cormorant.net.http.headers import (
    Headers,
    content_type,
    escaped,
    last_modified,
    name_in_disposition,
    robots_directives,
    text_of,
    without_secrets,
)
from cormorant.net.http.messages import Response, TransportError
from cormorant.sources.http_status import StatusClass, outcome_of_error, outcome_of_status, status_class
from cormorant.sources.web.filters import HEADER, forbidden

TEMPORARY = (302, 303, 307)
NO_CONNECTION = (906, 975, 976)
"""Refused, no such name, TLS: not tried again in this run, counted over runs (1020 to 1024)."""

MAX_WAIT_ELSEWHERE_S = 3_600.0
"""How long a resource waits at most because another site, where it redirects to, asks for it."""

_SCHEMES = ("basic", "digest", "bearer", "negotiate", "ntlm")


class Hop(NamedTuple):
    """A temporary redirect, or one to the very address: ask there instead, for the same resource."""

    target: str


def of_fault(fault: TransportError) -> Outcome:
    """The outcome of a request without a usable response."""
    if fault.status in NO_CONNECTION and fault.ruling is None and fault.lack is None:
        return Failed(fault.status, fault.reason)
    return outcome_of_error(fault)


def of_answer(answer: Response, address: str, now: float, *, conditional: bool, agent: str) -> Content | Outcome | Hop:
    """Return what a response from `address` means for the requested resource (RFC 9110 section 15)."""
    status = answer.status
    if status == 200:
        return content_of(answer, address, agent, now)
    if status == 304 and conditional:
        return _forbidden(answer, agent, now) or Unchanged()
    if status_class(status) is StatusClass.REDIRECT:
        return _redirect(answer, address)
    return outcome_of_status(answer, now)


def denied(said: Outcome, got: Response | TransportError, offered: str) -> Outcome:
    """The outcome of a refusal, with what had been offered and what the server asks for."""
    if not isinstance(said, Failed) or said.status not in (401, 403) or isinstance(got, TransportError):
        return said
    asks = [each for each in schemes(got.headers.all("www-authenticate")) if each in _SCHEMES]
    wants = f" It asks for {' or '.join(asks)}." if asks else ""
    return replace(said, reason=f"{said.reason} Offered was: {offered or 'no credential'}.{wants}")


def _forbidden(answer: Response, agent: str, now: float) -> Excluded | None:
    """A 304 that forbids to index what it confirms: its fields are newer than the kept ones (RFC 9111 section 4.3.4).

    That it says nothing allows nothing, since servers leave out most fields of a 304.
    """
    ruling = forbidden(HEADER, _directives(answer.headers, agent), now)
    return None if ruling is None else Excluded(ruling, ruling.status)


def elsewhere(said: Outcome, site: str) -> Outcome:
    """Return the outcome of a redirect to another site; it concerns the resource, not the resource's site."""
    if isinstance(said, Deferred):
        wait = None if said.wait_s is None else min(said.wait_s, MAX_WAIT_ELSEWHERE_S)
        reason = f"It redirects to {site}: {said.reason}"
        return replace(said, reason=reason, wait_s=wait, whole_site=False, elsewhere=True)
    if isinstance(said, Failed):
        return replace(said, reason=f"It redirects to {site}: {said.reason}", elsewhere=True)
    return said


def _redirect(answer: Response, address: str) -> Outcome | Hop:
    location = answer.headers.reference("location")
    target = next((absolute for _, absolute in join(address, [location])), "") if location else ""
    if not target:
        return Failed(1003, f"The server answered {answer.status} without a usable Location.")
    return Hop(target) if answer.status in TEMPORARY or target == address else Moved(target)


def content_of(answer: Response, address: str, agent: str, at: float) -> Content:
    """The content of a complete answer, which came then (epoch seconds)."""
    headers = answer.headers
    mime, charset = content_type(headers.get("content-type"))
    given = next(filter(None, map(name_in_disposition, headers.octets("content-disposition"))), "")
    return Content(
        address=address,
        body=answer.body,
        mime=mime,
        charset=charset,
        status_line=answer.status_line,
        header_block=without_secrets(answer.header_block),
        etag=headers.get("etag"),
        modified=headers.get("last-modified"),
        modified_at=last_modified(headers),
        language=headers.get("content-language").partition(",")[0].strip().lower(),
        directives=_directives(headers, agent),
        truncated=answer.truncated,
        beside=links_of(headers, address),
        refresh=headers.reference("refresh"),
        flaw=answer.flaw,
        file_name=given if "." in given else unquote(address.partition("?")[0].rpartition("/")[2]),
        given_name=given,
        at=at,
    )


def _directives(headers: Headers, agent: str) -> tuple[str, ...]:
    """Return the robots directives of a response's header for everybody or for `agent`."""
    return directives_for(robots_directives(headers), agent) if "x-robots-tag" in headers else ()


def instead(said: Outcome, resource: Resource, at: str) -> Outcome:
    """The outcome, or HELD where a document that can be found would go for what became of asking its login page.

    `at` is where the document was said to be now.
    """
    if not resource.indexed or not isinstance(said, Moved | Gone | Excluded) or at == resource.address:
        return said
    return Held(IN_ITS_PLACE) if is_login(at, resource.address) and not is_login(resource.address) else said


def _parameters(said: str) -> dict[str, str]:
    """The parameters of a link by name; the first of a name counts (RFC 8288), and none begins inside of quotes."""
    found: dict[str, str] = {}
    for name, quoted, plain in _PARAMETER.findall(said):
        found.setdefault(name.lower(), quoted or plain)
    return found


MAX_FIELD = 16_384
"""Characters of one field that are read."""
MAX_LINKS = 100
_LINK = re.compile(r"<([^<>]{1,4096})>([^<>]*)")
MAX_TITLE, MAX_REL = 200, 500
_PARAMETER = re.compile(r""";\s*([^\s;,="]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]+))""")
_SPACE = re.compile(r"[ \t]+")


def links_of(headers: Headers, address: str) -> tuple[PageLink, ...]:
    """The links that a header names, with what they are as `rel`; at most MAX_LINKS of each field."""
    if "link" not in headers and "content-location" not in headers:
        return ()
    return tuple(_links(headers, address))


def _links(headers: Headers, address: str) -> Iterator[PageLink]:
    for value in headers.octets("link")[:MAX_LINKS]:
        for reference, parameters in islice(_LINK.findall(value[:MAX_FIELD]), MAX_LINKS):
            said = _parameters(parameters)
            title, rel = said.get("title", ""), said.get("rel", "")
            name = " ".join(each for each in _SPACE.split(rel.lower()[:MAX_REL]) if each and each.isascii())
            for _, target in join(address, [escaped(reference)]):
                yield PageLink(target, " ".join(text_of(title).split()) if len(title) <= MAX_TITLE else "", name)
    location = headers.reference("content-location")
    for _, target in join(address, [location] if location else []):
        if target != address:
            yield PageLink(target, "", "content-location")
