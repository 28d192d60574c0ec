"""What becomes of a page that stays the same and grows older, where index rules ask for its age?

A page is judged when it is read, and one that is unchanged is not read again. So its age is judged beside that.
"""

from __future__ import annotations

import hashlib

from cormorant.model.content import Content
from cormorant.model.outcome import Excluded, Outcome, Unchanged
from cormorant.model.resource import Resource
from cormorant.model.status import Status
from cormorant.net.http.headers import http_date
from cormorant.sources.web.filters import WebGates


def comes_in(gates: WebGates, resource: Resource) -> bool:
    """Was it left out by the index rules, and has come to an age at which it may be found? Then it is read in full."""
    if not gates.asks_age or resource.indexed or resource.status != Status.INDEX_RULES:
        return False
    return gates.of_age(http_date(resource.modified or resource.validator.partition("\n")[2])) is None


def judged(gates: WebGates, resource: Resource, said: Content | Outcome) -> Content | Outcome:
    """What was said of a document; that it is excluded when it is the same and too old, or too young, by now."""
    if not resource.indexed:
        return said
    if isinstance(said, Unchanged):
        ruling = gates.of_age(http_date(resource.modified))
    elif isinstance(said, Content) and hashlib.sha256(said.body).digest() == resource.content_hash:
        ruling = gates.of_age(said.modified_at)
    else:
        return said
    return said if ruling is None else Excluded(ruling, ruling.status)
