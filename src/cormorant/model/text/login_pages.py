"""Detection of login pages by their URL. Pure: by the words that login pages have in their addresses."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_NAMES: Final = (
    r"log[-_]?in|log[-_]?on|sign[-_]?in|sign[-_]?on|sso|saml2?|oauth2?|openid|openid-connect|oidc|auth|authorize|"
    r"authenticate|authentication|cas|adfs|idp|anmelden|anmeldung|einloggen|connexion|acceder|iniciar[-_]sesion|accedi|"
    r"inloggen|logowanie|wp-login|session/new|sessions/new|account/login"
)
_LAST: Final = re.compile(
    rf"/(?:{_NAMES})(?:\.[a-z]{{2,5}})?(?:/(?:(?:index|default)\.[a-z]{{2,5}})?)?$", re.IGNORECASE
)
_ABOVE: Final = re.compile(rf"/(?:{_NAMES})/", re.IGNORECASE)
_HOST: Final = re.compile(r"(?:login|logon|signin|sso|auth|idp|adfs|cas|accounts)\.", re.IGNORECASE)

IN_ITS_PLACE: Final = "It answers with a login page now; what it said before stays."
"""Why a document is held that a login page came for."""


def is_login(address: str, instead_of: str = "") -> bool:
    """Say whether an address looks like that of a login page: by the end of its path, or the first part of its host.

    A folder with such a name holds pages about logins as well. What lies below it is one when it is told something to
    come back with: a query that the address it came `instead_of` had not. Words in a query do not count: a search for
    `login` asks nobody.
    """
    try:
        parts, before = urlsplit(address), urlsplit(instead_of)
    except ValueError:
        return False
    if _LAST.search(parts.path) is not None or _HOST.match(parts.hostname or "") is not None:
        return True
    return bool(parts.query) and parts.query != before.query and _ABOVE.search(parts.path) is not None
