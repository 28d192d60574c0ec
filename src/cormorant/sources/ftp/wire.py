"""FTP connections: control, TLS and data, each to an address that the source may reach."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ftplib import FTP_TLS, Error, error_perm, error_temp
from typing import Any, Final

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.net.egress.dialer import Dialer
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.policy import Consent
from cormorant.sources.ftp.settings import FtpSettings
from cormorant.sources.remote.authority import read_authority
from cormorant.sources.remote.protocol import ConnectionBroken, ServerFull

MAX_LINE: Final = 16_384
"""Bytes of one line of a listing."""
MAX_REPLY_LINES: Final = 1_000
_FULL: Final = re.compile(r"too many|maximum|limit", re.IGNORECASE)

DataDialer = Callable[[str, int], socket.socket]
"""Connects to an address of the server and a port that it named."""


class FtpRefused(Exception):
    """The server answered a command with a refusal; `code` is its number (RFC 959 4.2)."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class _Control(FTP_TLS):
    """The control connection of the standard library, over a socket that was opened by us."""

    _lines = 0

    def take(self, sock: socket.socket, host: str) -> None:
        """Begin on an open socket."""
        self.host, self.sock, self.af = host, sock, sock.family
        self.file = sock.makefile("r", encoding=self.encoding)
        self.welcome = self.getresp()

    def putline(self, line: str) -> None:
        """Send a line; the lines of its reply are counted from zero."""
        self._lines = 0
        super().putline(line)

    def getline(self) -> str:
        """Return the next line of a reply. Raises ValueError for one without end."""
        self._lines += 1
        if self._lines > MAX_REPLY_LINES:
            raise ValueError("a reply without end")
        return super().getline()


class FtpConnection:
    """A control connection that is logged in, and the data connections that belong to it."""

    def __init__(self, control: _Control, dial: DataDialer, *, is_private: bool) -> None:
        self._control, self._dial, self._is_private = control, dial, is_private
        self.features = self._asked_features()

    def command(self, line: str) -> str:
        """Send a command and return the reply. Raises FtpRefused and ConnectionBroken."""
        with _translated():
            return self._control.sendcmd(line)

    @contextmanager
    def data(self, line: str) -> Iterator[socket.socket]:
        """Open a data connection for a command. Raises FtpRefused and ConnectionBroken, also when it breaks off."""
        control = self._control
        with _translated():
            host, port = control.makepasv()
        connection = self._dial(host, port)
        try:
            with _translated():
                reply = control.sendcmd(line)
                if reply.startswith("2"):
                    reply = control.getresp()
                if not reply.startswith("1"):
                    raise ConnectionBroken("The server did not begin to send.")
                connection = self._wrapped(connection)
                yield connection
        finally:
            connection.close()

    def end_of_data(self) -> None:
        """Read the reply that follows a transfer. Raises FtpRefused and ConnectionBroken."""
        with _translated():
            self._control.voidresp()

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError, EOFError):
            self._control.close()

    def _wrapped(self, connection: socket.socket) -> socket.socket:
        if not self._is_private:
            return connection
        control: Any = self._control
        return control.context.wrap_socket(  # type: ignore[no-any-return]
            connection, server_hostname=control.host, session=control.sock.session
        )

    def _asked_features(self) -> str:
        """Return what the server offers beside RFC 959, in capitals (RFC 2389); "" where it does not say."""
        try:
            offered = self.command("FEAT").upper()
            if "UTF8" in offered:
                self.command("OPTS UTF8 ON")
        except FtpRefused:
            return ""
        return offered


def connected(settings: FtpSettings, egress: Callable[[], Egress], consent: Consent, password: str) -> FtpConnection:
    """Return a connection that is logged in. Raises Unreachable, LoginRefused, ConnectionBroken and ServerFull."""
    host = settings.host.strip("[]")

    def dial(address: str, port: int) -> socket.socket:
        """Connect to the server's own address, at the port that it named: another consent than to log in."""
        return Dialer(egress, settings.consent(address, port)).connect(address, port, settings.connect_timeout_s)

    sock = Dialer(egress, consent).connect(host, settings.port, settings.connect_timeout_s)
    sock.settimeout(settings.timeout_s)
    control = _Control(context=_context(settings), encoding="latin-1")
    try:
        with _translated():
            if settings.scheme == "ftps":
                sock = control.context.wrap_socket(sock, server_hostname=host)
            control.take(sock, host)
            is_private = settings.scheme == "ftps" or _secured(control, settings)
            _log_in(control, settings, password)
            if is_private:
                control.sendcmd("PBSZ 0")
                control.sendcmd("PROT P")
            control.sendcmd("TYPE I")
    except FtpRefused as refused:
        control.close()
        sock.close()
        if refused.code == 421:
            raise ServerFull(f"{host} takes no further connection now. Lower per_host.") from refused
        raise Unreachable(f"{host} refuses to be talked to in FTP, with {refused.code}. Check the server.") from refused
    except BaseException:
        control.close()
        sock.close()
        raise
    return FtpConnection(control, dial, is_private=is_private)


def _secured(control: _Control, settings: FtpSettings) -> bool:
    """Begin TLS (RFC 4217) and return whether there is any. Raises Unreachable where the settings want it."""
    if settings.tls == "off":
        return False
    try:
        control.auth()
    except error_perm as error:
        if settings.tls == "require" or (settings.password and not settings.is_inside):
            raise Unreachable(
                f"{settings.host} offers no TLS, so that the password could be read on the way. If that is all right, "
                "set tls=off."
            ) from error
        return False
    return True


def _log_in(control: _Control, settings: FtpSettings, password: str) -> None:
    user = settings.user or "anonymous"
    reply = control.sendcmd(f"USER {_octets(user)}")
    if reply.startswith("3"):
        try:
            reply = control.sendcmd(f"PASS {_octets(password) or 'anonymous@'}")
        except error_perm as error:
            if _FULL.search(str(error)):
                raise ServerFull(f"{settings.host} takes no further connection now. Lower per_host.") from error
            raise LoginRefused(
                f"{settings.host} refuses the login of user {user!r}. Check user and password."
            ) from error
    if not reply.startswith("2"):
        raise LoginRefused(f"{settings.host} wants one proof more of user {user!r}, which is not supported.")


def _octets(text: str) -> str:
    return text.encode().decode("latin-1")


def _context(settings: FtpSettings) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if settings.ca:
        context.load_verify_locations(cadata=read_authority(settings.ca).decode("ascii", "replace"))
    return context


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what sockets, TLS and ftplib raise into faults of a connection."""
    try:
        yield
    except (error_perm, error_temp) as error:
        text = str(error)
        raise FtpRefused(int(text[:3]) if text[:3].isdigit() else 0, text) from error
    except ssl.SSLCertVerificationError as error:
        raise Unreachable(
            f"The certificate of the server is not trusted: {error.verify_message}. Set ca to a file of its authority."
        ) from error
    except TimeoutError as error:
        raise ConnectionBroken("The server did not answer in time.") from error
    except (Error, EOFError, OSError, ValueError) as error:
        raise ConnectionBroken("The connection to the server broke off.") from error
