"""Folders of this machine and mounted shares. One kind of source.

A files source is a LISTING: what a complete walk does not meet is gone.

    path --Walk--> Found(address, validator) ...  every regular file, in batches, with flat memory     (discovery)
    address --TreeGates--> Ruling                below the folder, not hidden, not too deep, by rules (gates)
    address --Reader--> Content, or an outcome    each name opened beneath the folder above it         (reading, wire)

An address is a `file:` URL whose path bytes are percent-encoded, so a name may hold any bytes. Folders are collections:
they are walked, not yielded.

Invariants: nothing outside the folder is opened, whatever symbolic links say or become; nothing but regular files is
read; a folder below that cannot be listed leaves its part of the listing open (`FilesSource.unlisted`); when the folder
itself is missing, replaced or suddenly empty, the listing fails, so that nothing is deleted for it.
"""

from cormorant.sources.files.settings import FilesSettings
from cormorant.sources.files.source import FilesSource

__all__ = ["FilesSettings", "FilesSource"]
