"""Landlock rules: the files that a child process may read, such as libraries and fonts; it may write none.

The files that converters need were measured by tracing them over PDF, Office, OpenDocument, RTF, EPUB, mail and
archives: the Python library, shared objects, now and then a font list or a locale; no temporary file. They read their
control group to count processors, and work without it.
"""

from __future__ import annotations

import os
import stat
import struct
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cormorant.sandbox import libc

_LIBRARIES: Final = ("stdlib", "platstdlib", "purelib", "platlib")
_READ_FILE: Final = 1 << 2
_READ_DIR: Final = 1 << 3
# The number of file rights in each version of the interface, newest first.
_FILE_RIGHTS: Final = ((5, 16), (3, 15), (2, 14), (1, 13))
_NET_SINCE: Final = 4
_BIND_AND_CONNECT: Final = 0b11
_SCOPE_SINCE: Final = 6
_ABSTRACT_SOCKETS_AND_SIGNALS: Final = 0b11

_SYSTEM_PATHS: Final = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/etc/fonts",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/share/locale",
    "/usr/share/mime",
    "/usr/share/zoneinfo",
    "/etc/localtime",
    "/dev/null",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
)


def readable_paths() -> tuple[str, ...]:
    """Every path that a child may read, including paths that do not exist.

    Of Python: its libraries, and the folders of the loaded packages, wherever they are. Not all of `sys.path`: it
    includes the folder of a script and the working folder, which may contain the data folder.
    """
    library = Path(sys.base_prefix) / "lib"
    return (*_SYSTEM_PATHS, str(library), *map(sysconfig.get_path, _LIBRARIES), *_loaded_packages())


def _loaded_packages() -> list[str]:
    """The folders of the outermost packages that this process has loaded."""
    packages = [module for name, module in sys.modules.items() if "." not in name]
    return sorted({str(folder) for package in packages for folder in getattr(package, "__path__", ())})


def make_ruleset(readable: Iterable[str]) -> int:
    """Make a ruleset that allows only reading beneath `readable`; return its file descriptor.

    Raises OSError if the kernel has no Landlock. Paths that cannot be opened are skipped.
    """
    ruleset = libc.landlock_ruleset(_attributes(libc.landlock_version()))
    for path in readable:
        _allow(ruleset, path)
    return ruleset


def _attributes(version: int) -> bytes:
    file_rights = next(count for since, count in _FILE_RIGHTS if version >= since)
    words = [(1 << file_rights) - 1]
    if version >= _NET_SINCE:
        words.append(_BIND_AND_CONNECT)
    if version >= _SCOPE_SINCE:
        words.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    return struct.pack(f"={len(words)}Q", *words)


def _allow(ruleset: int, path: str) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_folder = stat.S_ISDIR(os.fstat(opened).st_mode)
        rights = _READ_FILE | _READ_DIR if is_folder else _READ_FILE
        libc.landlock_allow_path(ruleset, struct.pack("=Qi", rights, opened))
    finally:
        os.close(opened)
