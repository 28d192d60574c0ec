"""Request bodies by which programs add, edit and start things.

Values of settings have the types of TOML: text, numbers, true and false, lists of text. None resets a setting.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from cormorant.model.resource import SETS
from cormorant.model.run import Mode, Refresh
from cormorant.model.schedule.schedule import MissedPolicy, Overrun, Revisit
from cormorant.model.scope import Scope

Settings = Annotated[
    dict[str, Any],
    BeforeValidator(lambda given: {name: "" if value is None else value for name, value in given.items()}
                    if isinstance(given, dict) else given),
    Field(description="By name; null or an empty value sets one back."),
]  # fmt: skip


NOTHING = "nothing"
"""The error of a request body that names no change."""


class RequestBody(BaseModel):
    """A request body with these fields and no others, in text that the database can store."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _storable(cls, given: Any) -> Any:
        """Refuse text that no database stores: NUL, and halves of surrogate pairs."""
        if isinstance(given, bytes):
            return given  # not sent as JSON, which the next validator reports
        try:
            encoded = json.dumps(given, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("halves of a character") from None
        if b"\\u0000" in encoded:
            raise ValueError("a character with the code 0")
        return given


class NewReceiver(RequestBody):
    """A receiver to be added."""

    receiver: str = Field(description="Its name.", examples=["found"])
    kind: str = Field(examples=["jsonlines"])
    source: str | None = Field(default=None, description="Documents of this source; default: of all sources.")
    settings: Settings = {}


class TakedownRequest(RequestBody):
    """Documents to be hidden from every reader."""

    what: str = Field(description="An address in full, or a rule.", examples=["http://localhost:8000/draft.html"])
    reason: str = Field(examples=["Names a patient"])
    source: str | None = Field(default=None, description="Documents of this source only.")
    until: str | None = Field(default=None, description="The last day, or a time; default: until it is lifted.")
    erase: bool = Field(default=False, description="Remove them from the disk as well.")


class NewAttribute(RequestBody):
    """A search attribute to be added."""

    name: str = Field(examples=["Department"])
    type: str = Field(default="string", description="string, number or date.")
    about: str | None = None
    facet: bool | None = Field(default=None, description="Whether its values are offered beside results.")


class EditAttribute(RequestBody):
    """Properties of an attribute to be changed."""

    type: str | None = None
    about: str | None = None
    facet: bool | None = None


class NewValue(RequestBody):
    """A value of an attribute, with its display names."""

    value: str = Field(examples=["sales"])
    source: str | None = Field(default=None, description="In the list of this source; default: of all sources.")
    names: dict[str, str] = Field(default={}, description="By language; with an empty one, of all others.")


class ValueImport(RequestBody):
    """Lists of values in a file."""

    content: str = Field(description="CSV or JSON Lines, as `cormorant lov export` writes them.")


class Edit(RequestBody):
    """Settings to be changed; others stay."""

    settings: Settings = Field(min_length=1)


class NewSource(RequestBody):
    """A source to be added."""

    kind: str = Field(examples=["web"])
    name: str = Field(examples=["docs"])
    settings: Settings = {}


class EditSource(Edit):
    """Settings of a source to be changed, with consent to their effect."""

    yes: bool = Field(default=False, description="Agree that documents leave the index.")
    preview: bool = Field(default=False, description="Change nothing; return the effect.")


class Trial(RequestBody):
    """An address to be judged by the rules of a source."""

    address: str | None = Field(default=None, description="In full; default: the first start address.")
    no_fetch: bool = Field(default=False, description="Send no request. It has to be true.")


class Crawl(RequestBody):
    """Crawl request; what is left out follows the settings of each source."""

    sources: list[str] = Field(default=[], description="None: all.", examples=[["docs"]])
    refresh: Refresh | None = Field(default=None, description="The known documents to visit.")
    force: bool = Field(default=False, description="Fetch every document again, also unchanged ones.")
    restart: bool = Field(default=False, description="Start again if a run has not ended.")
    mode: Mode | None = Field(default=None, description="The kind of run.")
    forget: bool = Field(
        default=False, description="Delete the run when it ends; its documents stay. For administrators."
    )


class Prune(RequestBody):
    """Prune request: documents to exclude from the index."""

    rules: list[str] = Field(
        min_length=1, max_length=1_000, description="Written as in `exclude`.", examples=[["path:/drafts/"]]
    )


class Recrawl(RequestBody):
    """Recrawl request: documents to visit again, of these addresses or of all, chosen by the other fields."""

    addresses: list[str] = Field(
        default=[], max_length=1_000, description="In full, or whole paths of files on the server; default: all.",
        examples=[["http://127.0.0.1:8000/"]],
    )  # fmt: skip
    source: str | None = Field(default=None, description="Of this source only.", examples=["docs"])
    state: str | None = Field(
        default=None, description="In this state only.", examples=["error"], json_schema_extra={"enum": [*SETS, None]}
    )
    status: int | None = Field(default=None, ge=0, le=9999, description="With this status only.", examples=[404])


class ReplayRequest(RequestBody):
    """Replay request: deliveries to send again, all that is kept unless restricted."""

    source: str | None = Field(default=None, description="Only documents of this source.")
    faulty: bool = Field(default=False, description="Only the documents that it rejected.")


class NewParameters(RequestBody):
    """A set of parameters to be added."""

    parameters: str = Field(description="Its name.", examples=["gentle"])
    settings: Settings = {}


class EditParameters(Edit):
    """Settings of a set to be changed, with consent to their effect."""

    agreed: bool = Field(default=False, description="Agree that documents leave the index.")


class Times(RequestBody):
    """Schedule request; what is left out stays, or has its default."""

    sources: list[str] | None = Field(default=None, min_length=1, description="One after another, in this order.")
    when: str | None = Field(default=None, description="Cron, `every ...` or `manual`.", examples=["0 2 * * *"])
    time_zone: str | None = Field(default=None, description="Empty: the machine's.", examples=["Europe/Berlin"])
    windows: list[str] | None = Field(
        default=None,
        description="Hours of the week in which its runs may work; default: all.",
        examples=[["Mon-Fri 20-06"]],
    )
    overrun: Overrun | None = Field(default=None, description="If the previous launch is still running.")
    missed: MissedPolicy | None = Field(default=None, description="If nothing was running at the time.")
    refresh: Revisit | None = Field(default=None, description="The known documents to visit.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_fields_set - {"schedule"}:
            raise ValueError(NOTHING)
        return self


class EditToken(RequestBody):
    """The scope that a token is to have."""

    scope: Scope = Field(description="The scope of the token; each includes those before it.")


class NewToken(RequestBody):
    """A token to be made."""

    token: str = Field(description="Its name: the person or program that uses it.", examples=["reports"])
    scope: Scope = Field(default=Scope.SEARCH, description="The scope of the token; each includes those before it.")


class NewSchedule(Times):
    """A schedule to be added."""

    schedule: str = Field(description="Its name.", examples=["nightly"])
    sources: list[str] = Field(min_length=1, description="One after another, in this order.")
    when: str = Field(description="Cron, `every ...` or `manual`.", examples=["0 2 * * *"])
