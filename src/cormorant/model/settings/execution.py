"""Settings for the node of a source's runs, and for runs that were active when the program ended."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, Field, field_validator

_LONGEST: Final = 253
"""The longest name of a host."""


def node_name(name: str) -> str:
    """Return the name of a node without surrounding blanks; raises ValueError for an invalid one."""
    bare = name.strip()
    if not bare.isprintable() or " " in bare or len(bare) > _LONGEST:
        raise ValueError(f"{name!r} is no name of a node. Write one without blanks, like crawler-1.")
    return bare


class RunSettings(BaseModel):
    """Part of the settings of every source."""

    node: str = Field(
        default="",
        description="The only node that crawls it, by its name in `status`. Not set: any node.",
    )
    survives_restart: bool = Field(
        default=True,
        description="Whether a run continues after the program has ended during it; otherwise it is stopped.",
    )

    @field_validator("node")
    @classmethod
    def _node(cls, name: str) -> str:
        """Reject an invalid name of a node."""
        return node_name(name)


NAMES: Final = tuple(RunSettings.model_fields)
