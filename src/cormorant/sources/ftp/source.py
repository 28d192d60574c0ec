"""FTP source: files of an FTP server."""

from __future__ import annotations

from cormorant.base.errors import Unreachable
from cormorant.sources.ftp.client import FtpClient
from cormorant.sources.ftp.settings import FtpSettings
from cormorant.sources.ftp.wire import connected
from cormorant.sources.remote.protocol import RemoteClient
from cormorant.sources.remote.source import RemoteFilesSource


class FtpSource(RemoteFilesSource[FtpSettings]):
    """A folder of an FTP server."""

    kind, about = "ftp", "Files of an FTP server, with TLS where it has that."
    Settings = FtpSettings

    def connect(self) -> RemoteClient:
        """Return a new connection that is logged in."""
        egress, settings = self.tools.egress, self.settings
        if egress is None:
            raise Unreachable("Nothing may be connected to here.")
        return FtpClient(connected(settings, egress, self._consent, self.secret(settings.password)), settings)
