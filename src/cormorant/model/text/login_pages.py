"""Detection of login pages by the words in their URLs. Pure."""

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
"""The reason of a held document that was replaced by a login page."""


def is_login(address: str, instead_of: str = "") -> bool:
    """Return whether an address looks like that of a login page, by the end of its path or the first part of its host.

    A folder with such a name may also hold pages about logins. A page below it counts as a login page only if it has a
    return address: a query that the address it came `instead_of` had not. Words in a query do not count: a search for
    `login` is no login page.
    """
    try:
        parts, before = urlsplit(address), urlsplit(instead_of)
    except ValueError:
        return False
    if _LAST.search(parts.path) is not None or _HOST.match(parts.hostname or "") is not None:
        return True
    return bool(parts.query) and parts.query != before.query and _ABOVE.search(parts.path) is not None
