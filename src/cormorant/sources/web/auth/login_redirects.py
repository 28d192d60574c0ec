"""Does a login page stand between us and a document? Where an answer leads away to one, nothing is learned of it."""

from __future__ import annotations

from cormorant.model.outcome import Excluded, Gone, Held, Moved, Outcome
from cormorant.model.resource import Resource
from cormorant.model.text.login_pages import IN_ITS_PLACE, is_login


def instead(said: Outcome, resource: Resource, at: str) -> Outcome:
    """The outcome, or HELD where a document that can be found would go for what became of asking its login page.

    `at` is where the document was said to be now.
    """
    if not resource.indexed or not isinstance(said, Moved | Gone | Excluded) or at == resource.address:
        return said
    return Held(IN_ITS_PLACE) if is_login(at, resource.address) and not is_login(resource.address) else said
