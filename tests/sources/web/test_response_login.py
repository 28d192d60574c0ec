"""What becomes of a document whose answer leads away to a login page?"""

from __future__ import annotations

import pytest

from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Moved, Outcome, OutcomeKind
from cormorant.model.ruling import Gate, Ruling
from cormorant.sources.web.response import instead
from tests.crawl.samples import INDEXED, NEVER_SEEN

SSO = "https://sso.example/saml2?to=here"
FORBIDDEN = Excluded(Ruling(False, Gate.ROBOTS, "Disallow: /", 970), 970)


@pytest.mark.parametrize("said", [Moved(SSO), Gone(404), FORBIDDEN])
def test_what_is_found_is_held(said: Outcome) -> None:
    assert instead(said, INDEXED, SSO).kind is OutcomeKind.HELD
    assert instead(said, NEVER_SEEN, SSO) is said
    assert instead(said, INDEXED, "https://a.example/elsewhere") is said
    assert instead(said, INDEXED, INDEXED.address) is said
    assert instead(said, INDEXED._replace(address="https://a.example/login/"), SSO) is said


@pytest.mark.parametrize("folder", ["auth", "docs/authentication", "cas", "sso", "oauth2", "login"])
@pytest.mark.parametrize("said", [Moved("there"), Gone(404), FORBIDDEN])
def test_a_page_that_moved_to_a_folder_about_logins_has_moved(said: Outcome, folder: str) -> None:
    assert instead(said, INDEXED, f"https://a.example/{folder}/page") is said
    assert instead(said, INDEXED, f"https://a.example/{folder}/page?service=here").kind is OutcomeKind.HELD


@pytest.mark.parametrize("said", [Failed(403, "no"), Deferred(503, "busy")])
def test_what_takes_nothing_away_stands(said: Outcome) -> None:
    assert instead(said, INDEXED, SSO) is said
