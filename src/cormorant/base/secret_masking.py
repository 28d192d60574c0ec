"""Masking of secrets in every text that leaves this process.

    hide(secret) ... masked(text) -> text with *** for every secret, in each form in which it may be written

There is one list for each process, since a module that opens a secret cannot know which others write it.
"""

from __future__ import annotations

import base64
import json
import re
from threading import Lock
from urllib.parse import quote, quote_plus, unquote

SHORTEST = 3
"""Characters; a shorter secret would be found in any text."""
STARS = "***"
"""The replacement of masked text."""
TOKENS = (
    "token", "access_token", "accesstoken", "id_token", "refresh_token", "auth_token", "authtoken", "private_token",
    "feed_token", "rss_token", "security_token", "jwt", "api_key", "apikey", "api-key", "x-api-key", "auth_key",
    "authkey", "access_key", "accesskey", "subscription-key", "secret", "client_secret", "password", "passwd", "pwd",
    "sig", "signature", "hmac", "x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature",
    "x-goog-credential", "awsaccesskeyid",
)  # fmt: skip
"""Names of parameters whose values grant access."""
_NAMES = frozenset(TOKENS)
_PARAMETER = re.compile(r"([?&;#]|\\u0026)([^=&;?#\s\"'<>\\]{1,100})=((?:(?!\\u0026)[^&;#\s\"'<>])+)")
_WITHIN = re.compile(
    rf"((?:%3f|%26|%3b|%23|[?&;#])(?:{'|'.join(map(re.escape, TOKENS))})(?:%3d|=))(?:(?!%26|%3b|%23)[^&;#\s\"'<>])+",
    re.IGNORECASE,
)
"""The same within an address that is the percent-encoded value of a parameter of another one."""
_LOGIN = re.compile(
    r"""((?::|&\#58;|&\#x3a;|&colon;)//|:\\/\\/|(?<=["'=(\s])//(?=[^@/]))[^/?\#\s"'<>\\]*(?:@|&\#64;|&\#x40;|&commat;)
    |(%3a%2f%2f)(?:(?!%2f|%3f|%23|%26)[^/?\#&\s"'<>])*(?:%40|@)""",
    re.IGNORECASE | re.VERBOSE,
)
"""User and password before the host of an address, also in JSON, in HTML entities, without a scheme, or within another
address; the match ends at the last character that may end it, and takes time linear in the text."""
_hidden: tuple[str, ...] = ()
_hiding = Lock()


def hide(secret: str, user: str = "") -> None:
    """Mask a secret from now on: as it is, encoded in an address or in JSON, and as Basic sends it for a user."""
    forms = [secret, secret.strip(), quote(secret, safe=""), quote_plus(secret), *filter(None, secret.splitlines())]
    forms += [json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]]
    if user:
        forms.append(base64.b64encode(f"{user}:{secret}".encode()).decode())
    global _hidden  # noqa: PLW0603 - replaced at once: other threads read it meanwhile
    with _hiding:
        every = {*_hidden, *(each for each in forms if len(each) >= SHORTEST)}
        _hidden = tuple(sorted(every, key=len, reverse=True))


def masked(text: str) -> str:
    """The text with secrets masked."""
    for each in _hidden:
        if each in text:
            text = text.replace(each, STARS)
    return text


def fault(error: BaseException) -> str:
    """Return the message for an unexpected error, with secrets masked."""
    return masked(f"A fault of this program or a plug-in: {type(error).__name__}: {error}")


def redacted(text: str) -> str:
    """The text with credentials in its addresses masked: values of TOKENS, user names and passwords."""
    if "@" in text or "%40" in text or "&#" in text or "&commat;" in text:
        text = _LOGIN.sub(rf"\g<1>\g<2>{STARS}@", text)
    if "=" in text:
        text = _PARAMETER.sub(_shown, text)
    return _WITHIN.sub(rf"\1{STARS}", text) if "=" in text or "%3" in text else text


def _shown(found: re.Match[str]) -> str:
    name = unquote(found[2]).lower()
    return f"{found[1]}{found[2]}={STARS}" if name in _NAMES else found[0]
