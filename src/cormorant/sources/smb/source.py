"""SMB source: files of a Windows or Samba share."""

from __future__ import annotations

from cormorant.base.errors import Unreachable
from cormorant.net.egress.dialer import Dialer
from cormorant.sources.kind import Tools
from cormorant.sources.remote.source import RemoteFilesSource
from cormorant.sources.smb.client import SmbClient
from cormorant.sources.smb.dfs_referral import SharePlace
from cormorant.sources.smb.faults import Login
from cormorant.sources.smb.kerberos import see_kerberos
from cormorant.sources.smb.login import connected_share, see_smbprotocol
from cormorant.sources.smb.namespace import DfsNamespace
from cormorant.sources.smb.settings import SmbSettings
from cormorant.sources.smb.share import SmbShare
from cormorant.sources.smb.share_watch import ShareWatch
from cormorant.sources.smb.sid_names import SidNames


class SmbSource(RemoteFilesSource[SmbSettings]):
    """A folder of a share."""

    kind, about = "smb", "Files of a Windows or Samba share, by SMB."
    Settings = SmbSettings

    def __init__(self, number: int, settings: SmbSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self._names: dict[str, SidNames] = {}
        self._namespace = DfsNamespace(settings, tools.clock)
        self._watch: ShareWatch | None = None

    @classmethod
    def look(cls, settings: SmbSettings) -> None:
        """See that the libraries are installed that the settings need. Raises BadSetting."""
        see_smbprotocol()
        if settings.auth == "kerberos":
            see_kerberos()

    def connect(self) -> SmbClient:
        """Return a new connection that is logged in."""
        settings = self.settings
        place = SharePlace(settings.host.strip("[]"), settings.share, settings.folder)
        return SmbClient(self._opened(place), place, self._namespace, self._opened)

    def _opened(self, place: SharePlace) -> SmbShare:
        """Return a new connection to the share of a place; the names of accounts are those of its server."""
        if self.tools.egress is None:
            raise Unreachable("Nothing may be connected to here.")
        settings, smb = self.settings, see_smbprotocol()
        login = Login(place.host, place.share, settings.user, settings.auth)
        dialer = Dialer(self.tools.egress, settings.consent(place.host, settings.port))
        tree = connected_share(smb, settings, login, dialer, self.secret(settings.password))
        made = SidNames(settings.principals, settings.sid_lookup)
        return SmbShare(smb, tree, login, settings, self._names.setdefault(place.host.casefold(), made))

    def wait_for_change(self, timeout_s: float) -> bool:
        """Wait until a file or folder that is listed has changed; False when the time is over.

        The first call begins to watch and returns True: nobody knows of changes before. Called from one thread. Raises
        Unreachable and LoginRefused.
        """
        if self._watch is None:
            self._watch = ShareWatch(self.connect, self._concerns, self.tools.clock)
        return self._watch.wait(timeout_s)

    def _concerns(self, parts: tuple[bytes, ...], is_folder: bool) -> bool:
        """Return whether a listing looks at a file, or into a folder, at this path below the root."""
        if not parts:
            return True
        if not is_folder:
            return self._tree_gates.follow(self.naming.address(parts), 0).admitted
        return self._tree_gates.enter(parts).admitted

    async def close(self) -> None:
        """Let go of the connections, and end a wait for changes."""
        if self._watch is not None:
            self._watch.end()
        await super().close()
