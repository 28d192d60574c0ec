"""The head of a record, in the words of WARC [ISO 28500 section 5], also where an archive has others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cormorant.sources.warc.byte_streams import MemberPlace


class RecordHead(NamedTuple):
    """A record before its block is read: where it begins, its fields by lower-case name, and the size of its block."""

    place: MemberPlace
    fields: Mapping[str, str]
    length: int

    @property
    def kind(self) -> str:
        """The type: response, resource, revisit, request, metadata, warcinfo, conversion or continuation."""
        return self.fields.get("warc-type", "").lower()

    @property
    def target(self) -> str:
        """The address that was captured; some writers put it between angle brackets."""
        return self.fields.get("warc-target-uri", "").strip().removeprefix("<").removesuffix(">")
