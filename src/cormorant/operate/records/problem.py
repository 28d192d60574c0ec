"""Records of errors (RFC 9457)."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field

from cormorant.operate.records.record import Record


class RuleCount(Record):
    """A rule, and the number of addresses that it decides."""

    rule: str
    addresses: int


class ImpactRecord(Record, total=False):
    """The documents that would leave the index by an edit or a deletion; without fields when there are none."""

    leave: Annotated[int, Field(description="Documents that would leave the index.")]
    merge: Annotated[int, Field(description="Those that would be the same as another.")]
    leaving: Annotated[list[str], Field(description="Some of those that would leave.")]
    leave_rules: Annotated[list[RuleCount], Field(description="Number of them for each rule.")]


class Problem(Record):
    """An error (RFC 9457): `code` is for programs, `detail` says what happened and what to do."""

    type: Annotated[str, Field(examples=["/help/errors#not_found"])]
    title: str
    status: int
    code: Annotated[str, Field(examples=["not_found"])]
    detail: str
    reference: NotRequired[Annotated[str, Field(description="The reference of the entry in logs/web.log.")]]
    leave: NotRequired[
        Annotated[int | None, Field(description="Documents that would leave the index; otherwise absent.")]
    ]
    merge: NotRequired[
        Annotated[int | None, Field(description="Those that would be the same as another; otherwise absent.")]
    ]
    leaving: NotRequired[
        Annotated[list[str] | None, Field(description="Some of those that would leave; otherwise absent.")]
    ]
    leave_rules: NotRequired[
        Annotated[list[RuleCount] | None, Field(description="Number of them for each rule; otherwise absent.")]
    ]
    meant: NotRequired[
        Annotated[str | None, Field(description="The address that was probably meant; otherwise absent.")]
    ]
    scope_needed: NotRequired[
        Annotated[str | None, Field(description="The scope that a token needs; otherwise absent.")]
    ]
    scope_given: NotRequired[Annotated[str | None, Field(description="The scope of the token; otherwise absent.")]]
