"""SSH connection of an SFTP source: the host key is checked, then the user logs in, then the subsystem is opened."""

from __future__ import annotations

import logging
import socket
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any, Final, NamedTuple

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.net.egress.dialer import Dialer
from cormorant.sources.remote.protocol import ConnectionBroken
from cormorant.sources.sftp.settings import SftpSettings

MISSING: Final = 'SFTP needs the package paramiko. Install it with `pip install "cormorant[sftp]"`.'
_FAMILIES: Final = (
    ("ssh-ed25519",),
    ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"),
    ("rsa-sha2-512", "rsa-sha2-256"),
)
"""Types of host keys. A server has one of each, and shows that of the type that is asked for."""


class SshLogin(NamedTuple):
    """The values of the secrets of an SFTP source."""

    password: str
    private_key: str
    passphrase: str

    def __repr__(self) -> str:
        return "SshLogin(***)"


def see_paramiko() -> Any:
    """Return the SSH library. Raises BadSetting with how to install it."""
    try:
        import paramiko  # noqa: PLC0415 - optional, and it takes time to load
    except ImportError:
        raise BadSetting(MISSING) from None
    logging.getLogger("paramiko").setLevel(logging.CRITICAL + 1)  # it logs what servers say, and each lost connection
    return paramiko


class SshChannel:
    """The channel of an SFTP subsystem, and the connection it belongs to."""

    def __init__(self, transport: Any, channel: Any) -> None:
        self._transport, self._channel = transport, channel
        self.received = 0

    def send(self, data: bytes) -> None:
        """Send all of it. Raises ConnectionBroken."""
        try:
            self._channel.sendall(data)
        except (OSError, EOFError) as error:
            raise ConnectionBroken(_sentence(error)) from error

    def receive(self, length: int) -> bytes:
        """Return that many bytes. Raises ConnectionBroken when they do not come."""
        parts, left = list[bytes](), length
        while left:
            try:
                part = self._channel.recv(left)
            except (OSError, EOFError) as error:
                raise ConnectionBroken(_sentence(error)) from error
            if not part:
                raise ConnectionBroken("The server closed the connection.")
            parts.append(part)
            left -= len(part)
        self.received += length
        return b"".join(parts)

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError, EOFError):
            self._transport.close()


def open_channel(settings: SftpSettings, dialer: Dialer, login: SshLogin) -> SshChannel:
    """Return the channel of a new connection. Raises Unreachable, LoginRefused, ConnectionBroken and BadSetting."""
    paramiko = see_paramiko()
    trusted, families = _trusted(paramiko, settings), list(_FAMILIES)
    shown = list[str]()
    for family in families:
        transport = _begun(paramiko, settings, dialer, family)
        if transport is None:
            continue
        key = transport.get_remote_server_key()
        if _is_trusted(key, settings, trusted):
            return _logged_in(paramiko, transport, settings, login)
        transport.close()
        shown.append(key.fingerprint)
    raise Unreachable(_stranger(settings, shown))


def _begun(paramiko: Any, settings: SftpSettings, dialer: Dialer, family: Sequence[str]) -> Any:
    """Return a connection whose keys are exchanged; None when the server has no host key of these types."""
    sock = dialer.connect(settings.host.strip("[]"), settings.port, settings.connect_timeout_s)
    try:
        transport = paramiko.Transport(sock)
        for name in ("banner_timeout", "handshake_timeout", "auth_timeout"):
            setattr(transport, name, settings.connect_timeout_s)
        options = transport.get_security_options()
        options.key_types = [each for each in options.key_types if each in family]
        transport.start_client(timeout=settings.connect_timeout_s)
    except paramiko.ssh_exception.IncompatiblePeer as error:
        sock.close()
        if "host key" in str(error):
            return None
        raise Unreachable(f"{settings.host} and this program have no encryption in common.") from error
    except (paramiko.SSHException, EOFError, OSError, ValueError) as error:
        sock.close()
        raise ConnectionBroken(_sentence(error)) from error
    if not transport.is_active() or not transport.initial_kex_done:
        transport.close()
        raise ConnectionBroken(f"The server did not answer within {settings.connect_timeout_s:g} seconds.")
    return transport


def _trusted(paramiko: Any, settings: SftpSettings) -> Any:
    """Return the known host keys of the file that the settings name. Raises BadSetting when it cannot be read."""
    if settings.host_key or not settings.known_hosts:
        return None
    try:
        if Path(settings.known_hosts).stat().st_size > 10_000_000:
            raise BadSetting(f"{settings.known_hosts} is too large for a file of host keys.")
        return paramiko.HostKeys(settings.known_hosts)
    except (OSError, UnicodeDecodeError, paramiko.SSHException) as error:
        raise BadSetting(f"The file of the setting known_hosts cannot be read: {error}.") from error


def _is_trusted(key: Any, settings: SftpSettings, trusted: Any) -> bool:
    if settings.host_key:
        return key.fingerprint.rstrip("=") in settings.host_key
    if trusted is None:
        return False
    host = settings.host.strip("[]")
    name = host if settings.port == 22 else f"[{host}]:{settings.port}"
    return bool(trusted.check(name, key))


def _stranger(settings: SftpSettings, shown: Sequence[str]) -> str:
    if not shown:
        return f"{settings.host} has no host key of a type that is trusted: ed25519, ecdsa or rsa with SHA-2."
    known = "is another one than the settings know" if settings.host_key or settings.known_hosts else "is not known"
    return (
        f"The host key of {settings.host}, port {settings.port}, {known}: {', '.join(shown)}. Compare it with what "
        f"`ssh-keygen -lf` prints on the server, then set host_key={shown[0]}."
    )


def _logged_in(paramiko: Any, transport: Any, settings: SftpSettings, login: SshLogin) -> SshChannel:
    try:
        _log_in(paramiko, transport, settings, login)
        channel = transport.open_session(timeout=settings.connect_timeout_s)
        channel.settimeout(settings.timeout_s)
        channel.invoke_subsystem("sftp")
        return SshChannel(transport, channel)
    except (LoginRefused, BadSetting):
        transport.close()
        raise
    except paramiko.AuthenticationException as error:
        transport.close()
        raise LoginRefused(
            f"{settings.host} refuses the login of user {settings.user!r}. Check user, password and private_key."
        ) from error
    except paramiko.ChannelException as error:
        transport.close()
        raise Unreachable(f"{settings.host} offers no SFTP to user {settings.user!r}. Check the server.") from error
    except (paramiko.SSHException, EOFError, OSError) as error:
        transport.close()
        raise ConnectionBroken(_sentence(error)) from error


def _log_in(paramiko: Any, transport: Any, settings: SftpSettings, login: SshLogin) -> None:
    """Log in by the key, then by the password where there is no key or the server wants both."""
    wanted = ["password"]
    if login.private_key:
        wanted = transport.auth_publickey(settings.user, _private_key(paramiko, login))
    if not login.private_key or (wanted and login.password):
        wanted = transport.auth_password(settings.user, login.password)
    if wanted:
        raise LoginRefused(f"{settings.host} wants one proof more of user {settings.user!r}: {', '.join(wanted)}.")


def _private_key(paramiko: Any, login: SshLogin) -> Any:
    for kind in (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey):
        try:
            return kind.from_private_key(StringIO(login.private_key.strip() + "\n"), login.passphrase or None)
        except paramiko.PasswordRequiredException as error:
            raise BadSetting("The private key is locked: set passphrase=secret:NAME.") from error
        except (paramiko.SSHException, ValueError, TypeError, IndexError):
            continue
    raise BadSetting(
        "The private key cannot be read: it is no key of the types ed25519, ecdsa or rsa, or the passphrase is another."
    )


def _sentence(error: Exception) -> str:
    if isinstance(error, TimeoutError | socket.timeout):
        return "The server did not answer in time."
    return "The connection to the server broke off."
