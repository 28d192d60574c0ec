"""Does an address ask its reader who they are? Pure: by the words that login pages have in their addresses."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_NAMES: Final = (
    r"log[-_]?in|log[-_]?on|sign[-_]?in|sign[-_]?on|sso|saml2?|oauth2?|openid|openid-connect|oidc|auth|authorize|"
    r"authenticate|authentication|cas|adfs|idp|anmelden|anmeldung|einloggen|connexion|acceder|iniciar[-_]sesion|accedi|"
    r"inloggen|logowanie|wp-login|session/new|sessions/new|account/login"
)
_PATH: Final = re.compile(rf"/(?:{_NAMES})(?:\.[a-z]{{2,5}})?(?:/|$)", re.IGNORECASE)
_HOST: Final = re.compile(r"(?:login|logon|signin|sso|auth|idp|adfs|cas|accounts)\.", re.IGNORECASE)

IN_ITS_PLACE: Final = "It answers with a login page now; what it said before stays."
"""Why a document is held that a login page came for."""


def is_login(address: str) -> bool:
    """Say whether an address looks like that of a login page: by a part of its path, or the first of its host.

    The query does not count: a search for `login` asks nobody.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return _PATH.search(parts.path) is not None or _HOST.match(parts.hostname or "") is not None
