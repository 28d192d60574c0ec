"""Limits of unpacking an archive, and the sentences for members that are not unpacked.

A bomb is recognised by its unpacked bytes, never by a ratio: a table of zeros is no bomb.
"""

from __future__ import annotations

from typing import Final

MAX_FILES: Final = 10_000
"""Members of one archive that are listed and unpacked; the rest is left out."""
MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""Bytes of one member. A larger one is listed, and not unpacked."""
MAX_ALL_BYTES: Final = 2 * 1024 * 1024 * 1024
"""Bytes of all members together, those included that are only unpacked to reach the next one."""
MAX_WINDOW: Final = 256 * 1024 * 1024
"""Bytes of the dictionary that a compressed stream may ask for. `xz -9` needs 64 MiB, `7z -mx=9` at most 256 MiB."""

NEEDS_PASSWORD: Final = "it needs a password"  # noqa: S105 - a sentence, and no password
TOO_LARGE: Final = f"larger than {MAX_FILE_BYTES // (1024 * 1024)} MiB"
TOO_MUCH: Final = f"the archive unpacks to more than {MAX_ALL_BYTES // (1024 * 1024 * 1024)} GiB"
DAMAGED: Final = "it is damaged"
IN_ANOTHER_PART: Final = (
    "it is split over several files, of which this is one and the others are missing: join them to one archive"
)
