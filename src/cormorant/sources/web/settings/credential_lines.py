"""Parser of the access lines that an administrator writes.

One line in, one value out; pure.

    [ORIGIN[/path]] basic USER secret:NAME                    credentials (digest, bearer, header alike)
    [ORIGIN] Name: value                                      headers
    [ORIGIN] FILE [KEY FILE] [secret:PASSPHRASE]              client_certificate
    [ORIGIN] sha256:KEY  or  FILE                             ca

Invariants: an entry without an origin counts for the origins of the start addresses, never for others; no complaint
repeats what stands in the place of a secret.
"""

from __future__ import annotations

import base64
import binascii
import re
import shlex
from pathlib import Path
from typing import NamedTuple

from cormorant.base.errors import BadAddress
from cormorant.model.settings.secret_name import SECRET, secret_name
from cormorant.model.url import canonical, origin_of, path_of

KEY = "sha256:"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER = re.compile(r"(?:(?P<origin>\w+://\S+)\s+)?(?P<name>[^\s:]+)\s*:\s*(?P<value>.*)")
_SENDABLE = re.compile(r"[ -~\t]*")
_PIN = re.compile(r"(?:[0-9A-Fa-f]{2}:?){32}")
_WORDS = {"basic": 2, "digest": 2, "bearer": 1, "header": 2}
_OURS = {
    "authorization": "say it with the setting credentials",
    "cookie": "cookies are kept by the setting cookies",
    "proxy-authorization": "say it with the setting proxy_login",
    "user-agent": "say it with the setting user_agent",
}
_FRAMING = frozenset((
    "host", "content-length", "content-type", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "via",
    "upgrade", "expect", "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    "accept", "accept-encoding",
))  # fmt: skip


class CredentialScope(NamedTuple):
    """Scope of a credential: an origin as `Origin` writes it ("": those of the start), and a path prefix."""

    origin: str
    path: str = "/"

    def covers(self, path: str) -> bool:
        """Return whether a path, without its query, lies at or below the prefix."""
        return path == self.path or path.startswith(self.path if self.path.endswith("/") else f"{self.path}/")

    def __str__(self) -> str:
        return self.origin + (self.path if self.path != "/" else "")


class Credential(NamedTuple):
    """The credential that authenticates the crawler at a place.

    `scheme` is basic, digest, bearer or header; `name` the user or the field.
    """

    place: CredentialScope
    scheme: str
    name: str
    secret: str

    @property
    def said(self) -> str:
        """The credential in words, without its value."""
        who = {"basic": f"as {self.name} ", "digest": f"as {self.name} ", "header": f"{self.name} "}.get(
            self.scheme, ""
        )
        return f"{self.scheme} {who}by {SECRET}{self.secret} at {self.place}"


class Header(NamedTuple):
    """A field to send with every request to a place. Either `value` or `secret` is set."""

    place: CredentialScope
    name: str
    value: str
    secret: str


class Certificate(NamedTuple):
    """A client certificate: PEM files, or a secret that holds them; `passphrase` names what opens the key."""

    place: CredentialScope
    file: str
    key_file: str
    secret: str
    passphrase: str


class Authority(NamedTuple):
    """A PEM file of authorities to trust as well, or a server's public key (`sha256//BASE64`) at a place."""

    place: CredentialScope
    file: str
    pin: str


def credential(text: str) -> Credential:
    """Read an entry of `credentials`. Raises ValueError."""
    place, words = _begun(text)
    scheme = words[0].lower() if words else ""
    if scheme not in _WORDS:
        raise ValueError("after the address comes basic, digest, bearer or header.")
    if len(words) != 1 + _WORDS[scheme]:
        form = {"basic": "USER ", "digest": "USER ", "header": "FIELD "}.get(scheme, "")
        raise ValueError(f"{scheme} is written: {scheme} {form}secret:NAME.")
    name = words[1] if len(words) > 2 else ""
    if scheme == "header":
        _check_field(name, credentials=True)
    elif not name.isprintable() or (scheme == "basic" and ":" in name):
        raise ValueError("a user name has no colon and no control character in it (RFC 7617).")
    return Credential(place, scheme, name, secret_name(words[-1]))


def header(text: str) -> Header:
    """Read an entry of `headers`. Raises ValueError."""
    said = _HEADER.fullmatch(text.strip())
    if said is None:
        raise ValueError("a header is written: Name: value.")
    place = _place(said["origin"]) if said["origin"] else CredentialScope("")
    if place.path != "/":
        raise ValueError("a header goes to a whole origin: leave out the path.")
    _check_field(said["name"], credentials=False)
    value = said["value"].strip()
    if value.startswith(SECRET):
        return Header(place, said["name"], "", secret_name(value))
    if not value or _SENDABLE.fullmatch(value) is None:
        raise ValueError(f"the value of {said['name']} has to be printable ASCII characters.")
    return Header(place, said["name"], value, "")


def certificate(text: str) -> Certificate:
    """Read an entry of `client_certificate`. Raises ValueError."""
    place, words = _begun(text, whole=True)
    secrets = [secret_name(each) for each in words if each.startswith(SECRET)]
    files = [each for each in words if not each.startswith(SECRET)]
    if not words or len(files) > 2 or len(secrets) > (1 if files else 2):
        raise ValueError("it is written: [ORIGIN] FILE [KEYFILE] [secret:PASSPHRASE], or [ORIGIN] secret:NAME.")
    own = "" if files else secrets.pop(0)
    return Certificate(
        place, files[0] if files else "", files[1] if len(files) > 1 else "", own, secrets[0] if secrets else ""
    )


def authority(text: str) -> Authority:
    """Read an entry of `ca`. Raises ValueError."""
    place, words = _begun(text, whole=True)
    if len(words) != 1:
        raise ValueError("it is a PEM file, or sha256: and a public key's fingerprint.")
    if words[0].startswith(KEY):
        return Authority(place, "", _pin(words[0].removeprefix(KEY).lstrip("/")))
    if place.origin:
        raise ValueError("an authority is trusted by the whole source: leave out the origin.")
    return Authority(place, words[0], "")


def anywhere(text: str) -> str:
    """An entry of `client_certificate` or `ca` whose files are found from any folder, not only where it was typed."""
    words = _split(text)
    paths = [word if word.startswith((SECRET, KEY)) or "://" in word else _absolute(word) for word in words]
    return text if paths == words else shlex.join(paths)


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())


def login(text: str) -> tuple[str, str]:
    """Read `proxy_login`: the user, and the name of the secret. Raises ValueError."""
    words = _split(text)
    if len(words) != 2 or ":" in words[0]:
        raise ValueError("it is written: USER secret:NAME.")
    return words[0], secret_name(words[1])


def _begun(text: str, *, whole: bool = False) -> tuple[CredentialScope, list[str]]:
    """Split an entry into the place it begins with and the words behind; `whole`: a place without a path."""
    words = _split(text)
    if not words or "://" not in words[0]:
        return CredentialScope(""), words
    place = _place(words[0])
    if whole and place.path != "/":
        raise ValueError("it belongs to a whole origin: leave out the path.")
    return place, words[1:]


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise ValueError("a quotation mark is not closed.") from None


def _place(text: str) -> CredentialScope:
    if "@" in text:
        raise ValueError("an address has no user name in it here: write it behind, like basic USER secret:NAME.")
    try:
        address = canonical(text)
    except BadAddress:
        address = ""
    if not address.startswith(("http://", "https://")) or "?" in text or "#" in text:
        raise ValueError(f"{text!r} is not an origin: write it like https://wiki.example.org or with a path behind.")
    return CredentialScope(str(origin_of(address)), path_of(address))


def _check_field(name: str, *, credentials: bool) -> None:
    lower = name.lower()
    if _TOKEN.fullmatch(name) is None:
        raise ValueError(f"{name!r} cannot be the name of a header field (RFC 9110 section 5.1).")
    if lower in _OURS and not (credentials and lower == "authorization"):
        raise ValueError(f"{name} is not sent this way: {_OURS[lower]}.")
    if lower in _FRAMING or lower.startswith("proxy-"):
        raise ValueError(f"{name} belongs to the connection and to what is asked for: leave it out.")


def _pin(text: str) -> str:
    """A fingerprint in libcurl's form, from 64 hexadecimal digits or from Base64."""
    if _PIN.fullmatch(text):
        return "sha256//" + base64.b64encode(bytes.fromhex(text.replace(":", ""))).decode()
    try:
        raw = base64.b64decode(text, validate=True)
    except binascii.Error:
        raw = b""
    if len(raw) != 32:
        raise ValueError("a fingerprint is the SHA-256 of the public key, in 64 hexadecimal digits or in Base64.")
    return f"sha256//{text}"
