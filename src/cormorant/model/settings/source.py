"""Settings of a source: the base of every kind's typed settings class.

A kind derives one class from `SourceSettings`; its fields give the form, the API schema, the help of `--set` and the
reference page. `parse_settings` makes one from entered text, or raises an error that names the mistake and the nearest
valid name.
"""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from cormorant.base.errors import BadSetting
from cormorant.model.acl import ACL, EVERYONE
from cormorant.model.content import Manner
from cormorant.model.ruling import Renamed
from cormorant.model.settings import content, execution, pipeline, run_log
from cormorant.model.settings.bounded import MOST_COUNT, Count, Minutes, Seconds, Size
from cormorant.model.settings.budget import Watched
from cormorant.model.settings.byte_size import as_bytes
from cormorant.model.settings.content import ContentSettings
from cormorant.model.settings.error_policy import DEFAULTS, ErrorPolicy, policy_of
from cormorant.model.settings.execution import RunSettings
from cormorant.model.settings.pipeline import PipelineSettings
from cormorant.model.settings.priority import Level, PriorityRuling, Shares
from cormorant.model.settings.run_log import LogSettings
from cormorant.model.settings.secret_name import named_secrets, secret_fields
from cormorant.model.url import origin_of

S = TypeVar("S", bound="Settings")

NOTHING: tuple[object, ...] = ("", [], ())
"""Values that restore the default of a setting."""
NEAREST = 5
"""Names that an error lists if none is similar."""
_LANGUAGE = re.compile(r"[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,3}")
_LABEL = re.compile(r"[a-z0-9][a-z0-9:._-]{0,40}")
_PRINCIPAL = re.compile(r"(?:user|group):\S.*")
_LOGIN = re.compile(r"://[^/?#\s]*@")

Depth = Annotated[int, Field(ge=0, le=MOST_COUNT)] | Literal["unlimited"]
"""Links from the start of a source."""


class Settings(BaseModel):
    """Settings of anything that an administrator adds. Frozen: every user sees one version."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    UNSHOWN: ClassVar[frozenset[str]] = frozenset()
    """Settings whose values no error repeats: a secret may have been entered there by mistake."""
    SYNONYMS: ClassVar[Mapping[str, str]] = {}
    """Common mistakes for the names of settings, in lower case, with the right name."""
    LISTED_BY: ClassVar[str] = ""
    """The command that lists the settings; "" if there is none."""

    @classmethod
    def unused_names(cls) -> frozenset[str]:
        """Return the settings of its base that have no effect here; no list names them."""
        return frozenset()

    @classmethod
    def used_names(cls) -> tuple[str, ...]:
        """Return the names of the settings that have an effect, in their order."""
        unused = cls.unused_names()
        return tuple(name for name in cls.model_fields if name not in unused)

    @property
    def secrets(self) -> frozenset[str]:
        """Names of the required secrets: those in its fields of the type SecretReference."""
        return named_secrets(self)


class SourceSettings(Settings, RunSettings, LogSettings, ContentSettings, PipelineSettings):
    """Settings every kind of source has."""

    JUDGED: ClassVar[frozenset[str]] = frozenset(
        (
            "grants", "denies", "change_by", "default_charset", "default_language", "bad_titles", "describe_by_text",
            *content.NAMES, *pipeline.NAMES,
        )
    )  # fmt: skip
    """Settings that affect the stored document: after an edit unchanged documents are judged again."""
    AT_ONCE: ClassVar[frozenset[str]] = frozenset(("patience_s", "known_failures", *execution.NAMES, *run_log.NAMES))
    """Settings that affect only the time of requests: a run under way follows an edit."""

    FORETOLD: ClassVar[frozenset[str]] = frozenset()
    """Settings whose effect on known addresses can be computed without requests, by the gates."""
    FINDING: ClassVar[frozenset[str]] = frozenset()
    """Those of them that decide which visited documents may be indexed."""
    parameters: str = Field(
        default="", description="The set of parameters whose values apply where the source sets none."
    )
    mode: Literal["accept", "examine", "index_only"] = Field(
        default="accept",
        description=(
            "The kind of run: its documents are indexed; they are examined first, and indexed after a review; or they "
            "are indexed, and their links are not read."
        ),
    )
    refresh: Literal["all", "due", "append", "scratch"] = Field(
        default="all",
        description=(
            "The addresses that a crawl visits if its order does not say: all that are known or found; those left "
            "over or put off; those never visited; or all, after forgetting the source."
        ),
    )
    modified_by: tuple[Literal["checksum", "date", "etag", "acl"], ...] = Field(
        default=("checksum",),
        min_length=1,
        description=(
            "The signs that a known document was modified: checksum (its text, by change_by), date (Last-Modified), "
            "etag, acl (its rights); may repeat."
        ),
    )
    modified_when: Literal["any", "all"] = Field(
        default="any", description="Whether one of modified_by has to differ, or all of them."
    )

    grants: tuple[str, ...] = Field(
        default=("everyone",), description="Readers of its documents: everyone, user:NAME or group:NAME; may repeat."
    )
    denies: tuple[str, ...] = Field(default=(), description="Readers who may not, whatever the grants say; may repeat.")

    patience_s: Seconds = Field(
        default=300.0,
        description="How long a run waits, in seconds, when all that is left rests or does not answer.",
    )

    known_failures: Literal["ignore", "report"] = Field(
        default="ignore",
        description=(
            "The treatment of documents that fail as at their last visit: ignore them, so that the crawl ends with 0; "
            "or report them, so that it ends with 3, as for new failures."
        ),
    )
    max_documents: Count | None = Field(default=None, description="Documents fetched in one run at the most.")
    max_bytes: Size | None = Field(default=None, description="Bytes received in one run at the most, about: like 2GB.")
    max_minutes: Minutes | None = Field(default=None, description="Minutes that one run fetches at the most.")
    change_by: tuple[Literal["content", "text", "main"], ...] = Field(
        default=("content", "text"),
        description="The part that must differ for a document to count as changed; with main a dated footer does not.",
    )

    default_charset: str = Field(
        default="", description="The charset of documents that do not say theirs, like windows-1251. Not set: detected."
    )
    default_language: str = Field(
        default="",
        description="The language of documents that do not say theirs and whose text does not tell, like de.",
    )

    near_duplicates: bool = Field(
        default=True,
        description="Documents that are nearly the same as others, of any source that has this on, are shown as one.",
    )
    bad_titles: tuple[str, ...] = Field(
        default=(),
        description="Titles that do not count, in any case, like Home or `Welcome to*`: a heading or the name of the "
        "document stands in for one; may repeat.",
    )
    describe_by_text: bool = Field(
        default=False, description="Documents without a description get the first sentences of their text as theirs."
    )

    @field_validator("bad_titles")
    @classmethod
    def _titles(cls, titles: tuple[str, ...]) -> tuple[str, ...]:
        """Reject patterns that match every title, or none."""
        for title in titles:
            bare = title.removesuffix("*")
            if not bare.strip() or "*" in bare:
                raise ValueError(f"{title!r} is no title. Write a whole one, or how it begins with one * at the end.")
        return tuple(" ".join(title.split()) for title in titles)

    @field_validator("default_charset")
    @classmethod
    def _charset(cls, label: str) -> str:
        """Reject an unknown charset."""
        name = label.strip().lower()
        if name and not _is_charset(name):
            raise ValueError(f"{label!r} is no charset that web browsers know. Write one like windows-1251 or gbk.")
        return name

    @field_validator("default_language")
    @classmethod
    def _language(cls, tag: str) -> str:
        """Normalise to the form of language tags in documents (BCP 47)."""
        name = tag.strip().lower().replace("_", "-")
        if name and not _LANGUAGE.fullmatch(name):
            raise ValueError(f"{tag!r} is no language tag. Write one like de or pt-br.")
        return name

    error_policy: tuple[str, ...] = Field(
        default=DEFAULTS,
        description=(
            "The effect of an error status on a document: keep, delete, delete_after N runs, retry N times; for a "
            "status or a class, like 403 delete_after 3. Defaults apply where no rule does."
        ),
    )

    @field_validator("error_policy")
    @classmethod
    def _policy(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Reject an invalid rule."""
        policy_of(lines)
        return lines

    @field_validator("grants", "denies")
    @classmethod
    def _principals(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Reject a principal that no reader can have."""
        for name in names:
            if name != EVERYONE and not _PRINCIPAL.fullmatch(name):
                raise ValueError(f"{name!r} is no reader. Write {EVERYONE}, user:NAME or group:NAME.")
        return names

    @property
    def manner(self) -> Manner:
        """The options for reading the documents of the source."""
        return Manner(
            "main" in self.change_by, self.default_charset, (), self.bad_titles, self.describe_by_text, self.ocr_engine,
            tuple(self.attributes_by_name),
        )  # fmt: skip

    @property
    def watched(self) -> Watched | None:
        """The limits at every site, or None for no limits."""
        return None

    @property
    def doubts_logins(self) -> bool:
        """Return whether a login page does not replace a document."""
        return False

    @property
    def ways_in(self) -> tuple[str, ...]:
        """Names of the settings that may expose restricted documents; by default those of its secrets."""
        own_rights = self.common_acl is None and type(self).common_acl is not SourceSettings.common_acl
        return tuple(name for name in sorted(secret_fields(type(self))) if not own_rights and getattr(self, name))

    @property
    def doubts_missing(self) -> bool:
        """Return whether a page may be compared with its site's page for URLs that do not exist."""
        return False

    @property
    def visit_s(self) -> float:
        """The longest time of one visit, in seconds."""
        return 300.0

    @property
    def shares(self) -> Shares | None:
        """The shares of the priority levels at a site; None if each level waits for those before it."""
        return None

    def wanted(self, address: str) -> PriorityRuling:  # noqa: ARG002 - a kind may have rules about addresses
        """Return the priority level of a page, and the rule that sets it."""
        return PriorityRuling(Level.NORMAL)

    def level(self, address: str) -> Level:
        """Return the priority level of a page."""
        return self.wanted(address).level

    def suspended_until(self, now: float) -> float:  # noqa: ARG002 - a kind may have hours without visits
        """Return the end of a suspension of all visits, in epoch seconds; 0 if there is none."""
        return 0.0

    @property
    def most_hosts(self) -> int | None:
        """The most sites visited at once, None for no limit."""
        return None

    @property
    def bounds_depth(self) -> bool:
        """Return whether resources too many links away from a start URL are excluded."""
        return False

    @property
    def exact_depth(self) -> bool:
        """Return whether a resource's depth is that of its shortest path, whichever path was found first."""
        return False

    @property
    def host_limit(self) -> int | None:
        """Hosts of one domain that links may lead to, besides `listed_hosts`; None for any number."""
        return None

    @property
    def listed_hosts(self) -> frozenset[str]:
        """Hosts that are visited regardless of the limit."""
        return frozenset()

    @property
    def agent(self) -> str:
        """The name of the robot for directives in pages."""
        return "cormorant"

    def renamed(self, address: str) -> Renamed | None:  # noqa: ARG002 - a kind may have rules about addresses
        """Return the name of a discovered address; None if it is unchanged. Raises BadRule for an invalid rule."""
        return None

    def shown_as(self, shown: str) -> str | None:  # noqa: ARG002 - a kind may show other addresses than it fetches
        """Return the fetched address of a displayed one; None if both are equal."""
        return None

    def site_of(self, address: str) -> str:
        """Return the key of the site that an address of the source belongs to."""
        return origin_of(address).site

    def audits(self, address: str, now: float) -> bool:  # noqa: ARG002 - a kind may trust no listing
        """Return whether it is time (epoch seconds) to verify a resource that a listing calls unchanged."""
        return False

    @property
    def forgets(self) -> bool:
        """Return whether each complete crawl begins with a reset of the source."""
        return self.refresh == "scratch"

    @property
    def exposes(self) -> bool:
        """Return whether everyone may find documents to which their location may deny access."""
        return False

    def opened_to_all(self, address: str) -> str | None:  # noqa: ARG002 - a kind may have rights of its own
        """Return a sentence if everyone may find a document to which its location denies access, else None."""
        return None

    @property
    def errors(self) -> ErrorPolicy | None:
        """The error policy, or None for the default treatment of errors."""
        return policy_of(self.error_policy)

    @property
    def acl(self) -> ACL:
        """The ACL of a document that has no rights of its own."""
        return ACL.of(self.grants, self.denies)

    @property
    def common_acl(self) -> ACL | None:
        """The ACL of every document of the source; None, the default, if documents may have their own."""
        return None


def _is_charset(label: str) -> bool:
    """Return whether a label is one of the WHATWG Encoding Standard.

    Its table comes with the HTML parser, which is seldom needed here.
    """
    from turbohtml import detect  # noqa: PLC0415, F401 - loading it registers the codecs

    try:
        return _LABEL.fullmatch(label) is not None and codecs.lookup(f"whatwg-{label}") is not None
    except LookupError:
        return False


def parse_settings(cls: type[S], given: Mapping[str, str | Sequence[str] | object]) -> S:
    """Make settings of class `cls` from names and values as entered, from TOML or from JSON.

    A required setting with an empty value counts as missing: an empty path is no folder. Raises BadSetting that names
    the setting, the mistake in its value, and the nearest known name or an example.
    """
    see_names(cls, given)
    there = {name: given[name] for name in given if not _is_missing(cls, name, given[name])}
    try:
        return cls.model_validate({name: _shape(cls, name, value) for name, value in there.items()})
    except ValidationError as error:
        raise BadSetting(_sentence(cls, error.errors())) from None


def _is_missing(cls: type[Settings], name: str, value: object) -> bool:
    return cls.model_fields[name].is_required() and value in NOTHING


def see_names(cls: type[Settings], names: Iterable[str]) -> None:
    """Raise BadSetting for a name that class `cls` does not have, with the nearest known ones."""
    for name in names:
        if name not in cls.model_fields:
            raise BadSetting(f"There is no setting {name!r} here. {_meant(cls, name)}")


def _meant(cls: type[Settings], name: str) -> str:
    """Suggest the setting that a name probably means; else the nearest names, and the command that lists all."""
    word = name.strip().lower().replace("-", "_").replace(" ", "_")
    fields = {each: each for each in cls.used_names()}
    synonyms = {each: meant for each, meant in cls.SYNONYMS.items() if meant in fields}
    if word in synonyms:
        return f"Did you mean {synonyms[word]!r}?"
    for known in (fields, synonyms):
        if near := difflib.get_close_matches(word, known, n=1):
            return f"Did you mean {known[near[0]]!r}?"
    nearest = difflib.get_close_matches(word, fields, n=NEAREST, cutoff=0.0)
    if len(fields) <= NEAREST or not cls.LISTED_BY:
        return f"It takes: {', '.join(fields)}."
    return f"The nearest are {', '.join(nearest)}; `{cls.LISTED_BY}` lists all {len(fields)}."


def laid_over(cls: type[Settings], kept: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored settings with the given ones in their place; one without a value gets its default.

    So a stored setting that no longer exists can be removed. Raises BadSetting for any other unknown name.
    """
    see_names(cls, (name for name in given if name not in kept))
    return filled({**kept, **given})


def filled(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of these settings that have a value."""
    return {name: value for name, value in given.items() if value not in NOTHING}


def partly(cls: type[Settings], given: Mapping[str, object]) -> dict[str, object]:
    """Return some settings of class `cls` in stored form; required ones may be missing.

    Their combination is checked once all are there. Raises BadSetting for a value that is wrong by itself.
    """
    shaped = {name: _shape(cls, name, value) for name, value in given.items()}
    try:
        cls.model_validate(shaped)
    except ValidationError as error:
        wrong = [each for each in error.errors() if each["loc"] and each["loc"][0] in shaped]
        if wrong:
            raise BadSetting(_sentence(cls, wrong)) from None
    return {name: _typed(cls, name, value) for name, value in shaped.items()}


def _typed(cls: type[Settings], name: str, value: object) -> object:
    """Return the stored form of a value that is valid by itself: `"3"` from a terminal becomes a number."""
    field = cls.model_fields[name]
    whole: Any = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
    adapter: TypeAdapter[object] = TypeAdapter(whole)
    return adapter.dump_python(adapter.validate_python(value), mode="json")


def _shape(cls: type[Settings], name: str, value: object) -> object:
    """Adapt an entered value to its field: one string for a list, a size with its unit for a number of bytes."""
    if isinstance(value, str) and name.endswith("_bytes"):
        return as_bytes(value)
    wants_list = "tuple" in str(cls.model_fields[name].annotation)
    if wants_list and isinstance(value, str):
        return [value]
    if not wants_list and isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) == 1:
            return _shape(cls, name, value[0])
        raise BadSetting(f"The setting {name!r} takes one value, but {len(value)} were given.")
    return value


def _sentence(cls: type[Settings], found: Sequence[Any]) -> str:
    """Return a sentence about the first error, with the field's description."""
    first = found[0]
    if not first["loc"]:  # the combination is wrong, though each may be valid by itself
        sentence = str(first["ctx"]["error"]) if first["type"] == "value_error" else first["msg"]
        return sentence[:1].upper() + sentence[1:]
    place = str(first["loc"][0])
    if first["type"] == "missing":
        return f"The setting {place!r} is needed: {cls.model_fields[place].description}"
    given = "what was given" if place in cls.UNSHOWN | secret_fields(cls) else _shown(_masked(first["input"]))
    if first["type"] == "value_error":
        return f"The setting {place!r} cannot be {given}: {first['ctx']['error']}"
    alternatives = [each for each in found if each["loc"][:1] == first["loc"][:1] and _same(each, first)]
    about = cls.model_fields[place].description if place in cls.model_fields else ""
    return f"The setting {place!r} cannot be {given}: {_wanted(alternatives)}. {about}".strip()


def _same(one: Any, other: Any) -> bool:
    """Return whether two errors concern the same value. NaN differs from itself."""
    return one["input"] is other["input"] or bool(one["input"] == other["input"])


def _masked(value: Any) -> Any:
    """Return a value without the user name and password in an address."""
    if isinstance(value, str):
        return _LOGIN.sub("://***@", value)
    return type(value)(map(_masked, value)) if isinstance(value, list | tuple) else value


def _shown(value: Any) -> str:
    """Return a value, or each of several, between quotation marks."""
    return ", ".join(map(_quoted, value)) or "an empty list" if isinstance(value, list | tuple) else _quoted(value)


def _quoted(value: Any) -> str:
    """Return a value as it was entered, if it can be displayed: a backslash is not doubled."""
    plain = isinstance(value, str) and value.isprintable() and "'" not in value
    return f"'{value}'" if plain else repr(value)


def _wanted(alternatives: Sequence[Any]) -> str:
    """Return the description of a valid value that may be of several kinds."""
    messages = [each["msg"].lower().partition(", unable to")[0] for each in alternatives]
    return " or ".join([messages[0], *(each.removeprefix("input should be ") for each in messages[1:])])
