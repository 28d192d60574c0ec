"""Messages between the crawler and the sandboxed child process.

Bytes both ways: MessagePack, and a document as it is.

    crawl --encode_task--> payload --convert (in the child)--> answer --decode_result--> Extraction | ConversionFault

The answer comes from a process that read hostile bytes, so all of it is cleaned and counted again on this side.
"""

from __future__ import annotations

import struct
from typing import Final, TypeAlias, TypeVar

import msgspec

from cormorant.extract.errors import Unreadable
from cormorant.extract.html.links import MAX_ANCHOR, MAX_LINKS, SCHEMES
from cormorant.extract.sanitize import MAX_VALUE, clean, one_line
from cormorant.model.content import PLAIN, Extraction, Manner, PageLink
from cormorant.model.url import try_canonical

MAX_ANSWER: Final = 20 * 1024 * 1024
"""Bytes of an answer; text is cut so that it fits."""

CONVERSION_FAILED: Final = 903
"""The status number of a document that no converter could read."""

_REASON: Final = 500

T = TypeVar("T")


class ExtractionTask(msgspec.Struct, frozen=True, array_like=True):
    """The task of extracting a document from its bytes, and the manner in which they are to be read."""

    mime: str
    address: str
    charset: str = ""
    file_name: str = ""
    manner: Manner = PLAIN


class ConversionFault(msgspec.Struct, frozen=True, array_like=True, tag="fault"):
    """The document could not be read. `status` is a number of the status table, `reason` for an administrator.

    `detail` is the converter's message, for the log.
    """

    status: int
    reason: str
    detail: str = ""


def unreadable(error: Unreadable) -> ConversionFault:
    """Return the fault of a document that its converter refuses."""
    reason = f"The document cannot be read: {str(error).rstrip('.')}."
    return ConversionFault(CONVERSION_FAILED, reason, error.detail)


NO_ANSWER: Final = ConversionFault(CONVERSION_FAILED, "The converter gave an answer that cannot be read.")


_Link: TypeAlias = tuple[str, str, str, bool]
"""Address, text, rel, whether the text is that of a part."""


class _Answer(msgspec.Struct, frozen=True, array_like=True, tag="extraction"):
    text: str
    title: str
    links: list[_Link]
    language: str
    charset: str
    directives: tuple[str, ...]
    canonical: str
    refresh: str
    attributes: dict[str, str | float | list[str | float]]
    links_seen: int
    truncated: bool
    main_text: str
    charset_from: str
    links_dropped: int
    login: bool = False
    fault: str = ""
    embeds: bool = True


_LENGTH: Final = struct.Struct("!I")
_ENCODER: Final = msgspec.msgpack.Encoder()
_TASKS: Final = msgspec.msgpack.Decoder(ExtractionTask)
_ANSWERS: Final = msgspec.msgpack.Decoder(_Answer | ConversionFault)


def encode_task(
    mime: str, body: bytes, *, address: str, charset: str = "", file_name: str = "", manner: Manner = PLAIN
) -> tuple[bytes, bytes]:
    """Return the payload for `convert` in two pieces, the second of which is `body` itself.

    `mime` is the result of `sniff`, `address` canonical.
    """
    return framed(ExtractionTask(mime, address, charset, file_name, manner)), body


def framed(task: msgspec.Struct) -> bytes:
    """Return the beginning of a payload: the task with its length, behind which the document follows."""
    encoded = _ENCODER.encode(task)
    return _LENGTH.pack(len(encoded)) + encoded


class Body:
    """The bytes of a document, for one reader: who takes them holds them alone, so that letting go frees them."""

    def __init__(self, value: bytes) -> None:
        self._value = value

    @property
    def size(self) -> int:
        """Return their number, 0 once they were taken."""
        return len(self._value)

    def take(self) -> bytes:
        """Give the bytes up; there are none the next time."""
        value, self._value = self._value, b""
        return value


def decode_task(payload: bytes) -> tuple[ExtractionTask, Body]:
    """Return the task of a payload, and the document. Raises msgspec.DecodeError when it is none."""
    return decode_framed(payload, _TASKS)


def decode_framed(payload: bytes, tasks: msgspec.msgpack.Decoder[T]) -> tuple[T, Body]:
    """Return what `framed` was given, and the document behind it. Raises msgspec.DecodeError for another payload."""
    if len(payload) < _LENGTH.size:
        raise msgspec.DecodeError("no task")
    end = _LENGTH.size + _LENGTH.unpack_from(payload)[0]
    return tasks.decode(memoryview(payload)[_LENGTH.size : end]), Body(payload[end:])


def encode_result(result: Extraction | ConversionFault) -> bytes:
    """Return an answer of at most MAX_ANSWER bytes; a longer one loses the end of its text, then links."""
    if isinstance(result, ConversionFault):
        reason, detail = one_line(result.reason, _REASON), one_line(result.detail, _REASON)
        return _ENCODER.encode(ConversionFault(result.status, reason, detail))
    answer = _answer(result)
    encoded = _ENCODER.encode(answer)
    if len(encoded) <= MAX_ANSWER:
        return encoded
    answer = msgspec.structs.replace(answer, main_text="", truncated=True, links=_fitting(answer.links))
    over = len(_ENCODER.encode(answer)) - MAX_ANSWER
    if over > 0:
        raw = answer.text.encode()
        answer = msgspec.structs.replace(answer, text=raw[: max(0, len(raw) - over)].decode(errors="ignore"))
    return _ENCODER.encode(answer)


def decode_result(answer: bytes) -> Extraction | ConversionFault:
    """Return the result of the child. An invalid answer is a ConversionFault like any other."""
    try:
        result = _ANSWERS.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError):  # another shape is a DecodeError too, a tag in no UTF-8 is none
        return NO_ANSWER
    if isinstance(result, ConversionFault):
        return result
    return Extraction(
        text=clean(result.text),
        title=one_line(result.title),
        links=_links(result.links),
        language=one_line(result.language),
        charset=one_line(result.charset),
        directives=tuple(one_line(directive) for directive in result.directives),
        canonical=_address(result.canonical),
        refresh=_address(result.refresh),
        attributes={one_line(name): _value(value) for name, value in result.attributes.items()},
        links_seen=result.links_seen,
        truncated=result.truncated,
        main_text=clean(result.main_text),
        charset_from=one_line(result.charset_from),
        links_dropped=result.links_dropped,
        login=result.login,
        fault=one_line(result.fault, _REASON),
        embeds=result.embeds,
    )


def _links(links: list[_Link]) -> tuple[PageLink, ...]:
    made = (
        PageLink(_address(address), one_line(text, MAX_ANCHOR), one_line(rel), of_part=of_part)
        for address, text, rel, of_part in links[:MAX_LINKS]
    )
    return tuple(link for link in made if link.address)


def _address(text: str) -> str:
    """Return a canonical address that could be visited, or ""."""
    address = try_canonical(text) if text else None
    return address if address and address.startswith(SCHEMES) else ""


def _answer(extraction: Extraction) -> _Answer:
    return _Answer(
        text=extraction.text,
        title=extraction.title,
        links=[(link.address, link.text, link.rel, link.of_part) for link in extraction.links],
        language=extraction.language,
        charset=extraction.charset,
        directives=extraction.directives,
        canonical=extraction.canonical,
        refresh=extraction.refresh,
        attributes={
            name: value if isinstance(value, (str, float, int)) else list(value)
            for name, value in extraction.attributes.items()
        },
        links_seen=extraction.links_seen,
        truncated=extraction.truncated,
        main_text=extraction.main_text,
        charset_from=extraction.charset_from,
        links_dropped=extraction.links_dropped,
        login=extraction.login,
        fault=extraction.fault,
        embeds=extraction.embeds,
    )


def _fitting(links: list[_Link]) -> list[_Link]:
    """Links for at most half of an answer."""
    left = MAX_ANSWER // 2
    for place, link in enumerate(links):
        left -= 4 * sum(map(len, link[:3])) + 16
        if left < 0:
            return links[:place]
    return links


def _value(value: str | float | list[str | float]) -> str | float | tuple[str, ...] | tuple[float, ...]:
    if not isinstance(value, list):
        return one_line(value, MAX_VALUE) if isinstance(value, str) else value
    numbers = tuple(item for item in value if not isinstance(item, str))
    return (
        numbers if len(numbers) == len(value) and numbers else tuple(one_line(str(item), MAX_VALUE) for item in value)
    )
