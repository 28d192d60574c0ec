"""SFTP source: files of an SSH server."""

from __future__ import annotations

from cormorant.base.errors import Unreachable
from cormorant.net.egress.dialer import Dialer
from cormorant.sources.remote.protocol import RemoteClient
from cormorant.sources.remote.source import RemoteFilesSource
from cormorant.sources.sftp.client import SftpClient
from cormorant.sources.sftp.settings import SftpSettings
from cormorant.sources.sftp.wire import SshLogin, open_channel, see_paramiko


class SftpSource(RemoteFilesSource[SftpSettings]):
    """A folder of an SSH server."""

    kind, about = "sftp", "Files of an SSH server, by SFTP."
    Settings = SftpSettings

    @classmethod
    def look(cls, settings: SftpSettings) -> None:  # noqa: ARG003 - the library is there or not
        """See that the SSH library is installed. Raises BadSetting."""
        see_paramiko()

    def connect(self) -> RemoteClient:
        """Return a new connection that is logged in."""
        if self.tools.egress is None:
            raise Unreachable("Nothing may be connected to here.")
        settings = self.settings
        login = SshLogin(
            self.secret(settings.password), self.secret(settings.private_key), self.secret(settings.passphrase)
        )
        channel = open_channel(settings, Dialer(self.tools.egress, self._consent), login)
        return SftpClient(channel, settings)
