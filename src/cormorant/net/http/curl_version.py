"""Curl version: the libcurl in use, and the libraries it was built with."""

from __future__ import annotations

import pycurl  # type: ignore[import-untyped]


def libcurl() -> str:
    """The version string, like `libcurl/8.14.1 OpenSSL/3.5.1 zlib/1.3.1`."""
    return " ".join(str(pycurl.version).split()[1:])
