"""Records of the sets of parameters that sources share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cormorant.operate.records.record import Record, SettingValues, When
from cormorant.operate.records.sources import SourcePreview


class ParameterSet(Record):
    """Values of settings that sources share. `system` holds for every source."""

    parameters: str
    settings: SettingValues
    version: Annotated[int, Field(description="Number of times it was saved.")]
    sources: Annotated[list[str], Field(description="That use it.")]
    created_at: When


class ParameterSets(Record):
    """All sets, the system's first."""

    parameters: list[ParameterSet]


class ParametersPreview(Record):
    """Preview of a set's edit, with its effect on each source that uses it: as in `source edit --preview`."""

    parameters: str
    sources: list[SourcePreview]


class DeletedParameters(Record):
    """A set that there was."""

    parameters: str
    deleted: Annotated[bool, Field(description="False: `system` was empty, and the defaults apply already.")]
    sources: Annotated[list[str], Field(description="Sources that used the set and now do without it.")]
