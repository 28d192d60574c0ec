"""Certificate authority of a server that the system does not trust: the setting `ca` of kinds that speak TLS."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator

MAX_PEM: Final = 1 << 20
"""Bytes of a file of certificates."""


def read_authority(path: str) -> bytes:
    """Return the certificates of a PEM file. Raises ValueError that names it."""
    try:
        with Path(path).open("rb") as opened:
            data = opened.read(MAX_PEM + 1)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    if b"-----BEGIN CERTIFICATE-----" not in data or len(data) > MAX_PEM:
        raise ValueError(f"{path} is no PEM file with a certificate.")
    return data


def _checked(text: str) -> str:
    if not text:
        return ""
    try:
        path = str(Path(text).expanduser().absolute())
    except RuntimeError:
        raise ValueError("there is no such user.") from None
    read_authority(path)
    return path


AuthorityFile = Annotated[str, AfterValidator(_checked)]
"""A setting whose value is the path of a PEM file of certificates, or ""."""
