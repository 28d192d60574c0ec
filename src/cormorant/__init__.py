"""An enterprise search crawler: brings back from web sites and folders what people can search.

from cormorant import Cormorant
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cormorant.app.client import Cormorant

__all__ = ["Cormorant"]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for: the command line must not pay for it."""
    if name == "Cormorant":
        from cormorant.app.client import Cormorant  # noqa: PLC0415 - the point of this function

        return Cormorant
    raise AttributeError(f"module 'cormorant' has no attribute {name!r}")
