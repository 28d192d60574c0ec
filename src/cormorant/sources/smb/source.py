"""SMB source: files of a Windows or Samba share."""

from __future__ import annotations

from cormorant.base.errors import Unreachable
from cormorant.net.egress.dialer import Dialer
from cormorant.sources.kind import Tools
from cormorant.sources.remote.protocol import RemoteClient
from cormorant.sources.remote.source import RemoteFilesSource
from cormorant.sources.smb.client import connected, see_smbprotocol
from cormorant.sources.smb.settings import SmbSettings
from cormorant.sources.smb.sid_names import SidNames


class SmbSource(RemoteFilesSource[SmbSettings]):
    """A folder of a share."""

    kind, about = "smb", "Files of a Windows or Samba share, by SMB."
    Settings = SmbSettings

    def __init__(self, number: int, settings: SmbSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self._names = SidNames(settings.principals, settings.sid_lookup)

    @classmethod
    def look(cls, settings: SmbSettings) -> None:  # noqa: ARG003 - the library is there or not
        """See that the SMB library is installed. Raises BadSetting."""
        see_smbprotocol()

    def connect(self) -> RemoteClient:
        """Return a new connection that is logged in."""
        if self.tools.egress is None:
            raise Unreachable("Nothing may be connected to here.")
        settings = self.settings
        dialer = Dialer(self.tools.egress, self._consent)
        return connected(settings, dialer, self.secret(settings.password), self._names)
