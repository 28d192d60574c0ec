"""Query recorder: records searches, opened results and damaged copies without waiting for the disk.

    answer -> note (in memory) --every few seconds, or when there are many--> one transaction
    result opened -> clicked, if it was on a page that this process showed ----^
copy damaged  -> harmed --------------------------------------------------'

A record holds nothing about the person except whether they had signed in. Secrets that this process knows are masked,
and so are texts that look like tokens of Cormorant. A click counts once, and only for a result that was shown, so that
nobody can fill the table from outside. Records that are not written yet are lost if the process is killed.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from contextlib import suppress
from typing import Final

from fastapi import Request

from cormorant.base.clock import random_token
from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.base.secret_masking import masked
from cormorant.operate.documents import cached_copy
from cormorant.operate.installation import Installation
from cormorant.operate.search import query_log
from cormorant.operate.search.query_log import ClickRow, Face, QueryRow, together
from cormorant.search.reader import Answer, Question
from cormorant.web.security.authorization import visitor

_log = logger(__name__)

WAIT_S: Final = 5.0
MANY: Final = 200
"""Number of waiting rows from which on they are written at once."""
MOST_WAITING: Final = 10_000
"""Rows that wait at most while the database is unavailable."""
SHOWN: Final = 5_000
"""Pages of results whose clicks are still counted."""
TRIM_S: Final = 3_600.0
LONGEST: Final = 500
_TOKEN: Final = re.compile(r"cormorant_[0-9a-f]{8,}")


class QueryRecorder:
    """Recorder of queries in this process; several threads may use it."""

    def __init__(self, house: Installation) -> None:
        self._house = house
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._queries: list[QueryRow] = []
        self._clicks: list[ClickRow] = []
        self._harmed: set[int] = set()
        self._shown: OrderedDict[str, dict[int, int]] = OrderedDict()
        self._writer: threading.Thread | None = None
        self._now = threading.Event()
        self._trimmed_at = -TRIM_S

    def note(self, request: Request, question: Question, answer: Answer, face: Face) -> str:
        """Record a search; returns the token for clicks on its results, "" if searches are not kept."""
        if not self._house.query_days:
            return ""
        token = random_token(8)
        text = _TOKEN.sub("***", masked(question.text))[:LONGEST]
        page = question.offset // question.limit + 1 if question.limit else 1
        row = QueryRow(
            self._house.clock.now(), token, text, together(text),
            _TOKEN.sub("***", masked(answer.understood.text))[:LONGEST], answer.total, round(answer.took_ms, 2), page,
            visitor(request).way.value, json.dumps(question.sources), face,
        )  # fmt: skip
        with self._lock:
            self._queries.append(row)
            if face is Face.PAGE:
                own = (hit for hit in answer.hits if not hit.federated)
                places = enumerate(own, question.offset + 1)
                self._shown[token] = {hit.id: place for place, hit in places}
                while len(self._shown) > SHOWN:
                    self._shown.popitem(last=False)
        self._soon()
        return token

    def clicked(self, token: str, number: int) -> None:
        """Record that a result was opened; results that were not shown, or are recorded already, are ignored."""
        with self._lock:
            place = self._shown.get(token, {}).pop(number, None)
            if place is None:
                return
            self._clicks.append(ClickRow(self._house.clock.now(), token, number, place))
        self._soon()

    def harmed(self, number: int) -> None:
        """Record that the kept copy of a document is damaged, up to MANY at a time; others will be met again."""
        with self._lock:
            if len(self._harmed) < MANY:
                self._harmed.add(number)
        self._soon()

    def flush(self) -> None:
        """Write all waiting rows now. Rows that the database does not take keep waiting, up to a bound."""
        self._flush()
        with self._lock:
            if self._writer is not None:
                self._now.set()  # it has nothing left to wait for

    def _flush(self) -> None:
        with self._writing:
            with self._lock:
                asked, self._queries = self._queries, []
                clicks, self._clicks = self._clicks, []
                harmed, self._harmed = self._harmed, set()
            if harmed:
                with suppress(CormorantError):  # it is met again
                    cached_copy.note_damaged(self._house, harmed)
            try:
                self._write(asked, clicks)
            except CormorantError as error:
                _log.warning("queries not kept", extra={"reason": error.sentence, "rows": len(asked) + len(clicks)})
                with self._lock:
                    self._queries = [*asked, *self._queries][-MOST_WAITING:]
                    self._clicks = [*clicks, *self._clicks][-MOST_WAITING:]

    def _write(self, asked: list[QueryRow], clicks: list[ClickRow]) -> None:
        if asked or clicks:
            query_log.write(self._house, asked, clicks)
        now = self._house.clock.monotonic()
        if now - self._trimmed_at >= TRIM_S:
            self._trimmed_at = now
            query_log.trim(self._house)

    def _soon(self) -> None:
        """Have rows written soon by a single background thread, so that no answer waits."""
        with self._lock:
            if len(self._queries) + len(self._clicks) >= MANY:
                self._now.set()
            if self._writer is not None:
                return
            self._writer = threading.Thread(target=self._write_soon, daemon=True)
            writer = self._writer
        writer.start()

    def _write_soon(self) -> None:
        """Write rows after a while, or at once if there are many, until none waits."""
        while True:
            self._now.wait(WAIT_S)
            self._now.clear()
            self._flush()
            with self._lock:
                if not (self._queries or self._clicks or self._harmed):
                    self._writer = None
                    return
