"""Reader of responses of an Apache Tika server, in the sandboxed child process.

    answer of PUT /rmeta/text (JSON) -> one object of metadata a document, the container first -> Extraction

Tika reads what strangers wrote, so its answer is no more to be trusted than that. Of its metadata only the author's
values count: never how long it took, which parsers ran or the times of temporary files, which differ with each answer.
Keys are those of Tika 3, with the older ones behind them. Source:
https://cwiki.apache.org/confluence/display/TIKA/TikaServer#TikaServer-RecursiveMetadataandContent
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from cormorant.extract.convert import NO_CONVERTER, answered
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.html.head import MAX_KEYWORDS, language_tag
from cormorant.extract.job import Body, ConversionFault, ExtractionTask, decode_task
from cormorant.extract.sanitize import MAX_TEXT, MAX_VALUE, clean_lines, one_line, title_or_name
from cormorant.model.content import Extraction, Value
from cormorant.model.no_text import READ_BY, TIKA

About: TypeAlias = dict[str, object]
"""Tika's answer for one document: its metadata, and its text under `CONTENT`."""

CONTENT: Final = "X-TIKA:content"
IN_PART: Final = "Apache Tika could not read all of it."
_FAULT: Final = ("X-TIKA:EXCEPTION:container_exception", "X-TIKA:EXCEPTION:runtime")
_FAULT_WITHIN: Final = "X-TIKA:EXCEPTION:embedded_exception"
_CUT: Final = ("X-TIKA:EXCEPTION:write_limit_reached", "X-TIKA:EXCEPTION:embedded_resource_limit_reached")
_PARSERS: Final = ("X-TIKA:Parsed-By", "X-Parsed-By")
_NO_PARSER: Final = "org.apache.tika.parser.EmptyParser"
_LOCKED: Final = "EncryptedDocumentException"
_HEADING: Final = (("resourceName",), ("dc:title", "title"), ("dc:creator", "Message-From"), ("Message-To",))
"""The values of an embedded document that are searchable besides its text."""
_ENDS: Final = 20
"""Places where an answer that was cut is tried to be complete."""


def convert(payload: bytes) -> bytes:
    """Read one answer. Takes what `encode_task` made of it, returns what `decode_result` reads.

    Raises what `extract.convert.convert` raises.
    """
    task, body = decode_task(payload)
    del payload
    return answered(task, body, _read)


def _read(task: ExtractionTask, body: Body) -> Extraction | ConversionFault:
    return extract_tika_answer(body.take(), task)


def extract_tika_answer(answer: bytes, task: ExtractionTask) -> Extraction | ConversionFault:
    """Return the extraction of a document that Tika has read, or a fault if Tika has no parser for it.

    Raises Protected for one behind a password, Unreadable for one that Tika could not read, or an answer that is none.
    """
    documents, cut = _documents(answer)
    about, *within = documents
    text = "\n\n".join(filter(None, (_text(about), *map(_embedded, within))))
    fault = _first(about, *_FAULT)
    if not text and fault:
        if _LOCKED in fault:
            raise Protected
        raise Unreadable("Apache Tika found it damaged, or of another format", fault.partition("\n")[0])
    if not text and _values(about, *_PARSERS) == [_NO_PARSER]:
        return ConversionFault(NO_CONVERTER, f"Apache Tika has no parser for {one_line(task.mime)}.")
    reached = any(_first(about, key) == "true" for key in _CUT)
    return Extraction(
        text=text,
        title=title_or_name(_first(about, "dc:title", "title"), task.address, task.file_name),
        language=language_tag(_first(about, "dc:language", "language", "Content-Language")),
        attributes=_attributes(about) | {READ_BY: TIKA},
        truncated=cut or reached or bool(fault) or len(text) > MAX_TEXT,
        fault=IN_PART if fault else _unread(within),
    )


def _documents(answer: bytes) -> tuple[list[About], bool]:
    """Return the objects of an answer, and whether its end is missing: then those that are complete."""
    said = answer.decode("utf-8", "replace")
    end = len(said)
    for tried in range(_ENDS):
        try:
            found: object = json.loads(f"{said[: end + 1]}]" if tried else said, strict=False)
        except (ValueError, RecursionError):
            end = said.rfind('},{"', 0, end)
            if end < 0:
                break
            continue
        documents = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
        if not documents:
            break
        return documents, tried > 0
    raise Unreadable("the answer of the Tika server cannot be read")


def _text(about: About) -> str:
    """Return the text of one document, less its title, which Tika writes above some."""
    text = clean_lines(_first(about, CONTENT))
    above, _, rest = text.partition("\n")
    return rest.lstrip("\n") if above and above == one_line(_first(about, "dc:title", "title")) else text


def _embedded(about: About) -> str:
    """Return the text of a document in another one below its name, title and people, "" when it has none."""
    text = _text(about)
    if not text:
        return ""
    heading = [one_line(value) for keys in _HEADING for value in _values(about, *keys)]
    return "\n".join([*dict.fromkeys(filter(None, heading)), text])


def _unread(within: Sequence[About]) -> str:
    """Return a sentence about documents in it that could not be read, "" for none; pictures have no text to miss."""
    failed = [each for each in within if _first(each, _FAULT_WITHIN)]
    count = sum(not _first(each, "Content-Type").startswith("image/") for each in failed)
    if not count:
        return ""
    return f"{count:,} documents in it could not be read." if count > 1 else "A document in it could not be read."


def _attributes(about: About) -> dict[str, Value]:
    """Return the author's values for a document. Tika 3 puts the subject and the keywords into one field."""
    given = [one_line(each, MAX_VALUE) for each in _values(about, "dc:subject")]
    keywords = [one_line(each, MAX_VALUE) for each in _values(about, "meta:keyword")]
    subjects = [*_values(about, "cp:subject")] or [each for each in given if each not in keywords]
    if not keywords and len(subjects) > 1:  # a list of them, as photographs have
        keywords, subjects = subjects, []
    authors = _several(_values(about, "dc:creator", "meta:author", "authors", "Author"))
    found: dict[str, Value] = {
        "Author": authors[0] if len(authors) == 1 else authors,
        "Subject": one_line(next(iter(subjects), ""), MAX_VALUE),
        "Description": one_line(_first(about, "dc:description", "w:Comments", "w:comments", "comment"), MAX_VALUE),
        "Keywords": _several(word for each in keywords for word in each.replace(";", ",").split(",")),
        "Category": one_line(_first(about, "cp:category", "Category"), MAX_VALUE),
        "Company": one_line(_first(about, "extended-properties:Company", "Company"), MAX_VALUE),
    }
    return {name: value for name, value in found.items() if value}


def _several(values: Iterable[str]) -> tuple[str, ...]:
    lines = map(one_line, values)
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_KEYWORDS]


def _first(about: About, *keys: str) -> str:
    """Return the first value of the first of these keys that has one, "" when none has."""
    return next(iter(_values(about, *keys)), "")


def _values(about: About, *keys: str) -> Sequence[str]:
    """Return the values of the first of these keys that has any."""
    return next(_given(about, keys), [])


def _given(about: About, keys: Sequence[str]) -> Iterator[list[str]]:
    for key in keys:
        value = about.get(key)
        several = value if isinstance(value, list) else [value]
        if values := [each for each in several if isinstance(each, str) and each.strip()]:
            yield values
