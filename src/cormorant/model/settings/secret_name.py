"""Secrets that settings name: `secret:NAME` refers to a value that the installation stores sealed."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel

SECRET: Final = "secret:"  # noqa: S105 - the prefix of a reference
"""Prefix of a setting that names a secret."""
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""Valid names of a secret, so that secret:NAME is one word."""


def secret_name(word: str) -> str:
    """Return the name in `secret:NAME`. Raises ValueError, without the word: it may be the secret itself."""
    name = word.removeprefix(SECRET)
    if not word.startswith(SECRET) or NAME.fullmatch(name) is None:
        raise ValueError(
            "a secret is never written here: keep it with `cormorant secret add NAME`, and write secret:NAME."
        )
    return name


def _checked(text: str) -> str:
    if text:
        secret_name(text)
    return text


_CHECK: Final = AfterValidator(_checked)
SecretReference = Annotated[str, _CHECK]
"""A setting whose value is `secret:NAME`, or "". No error repeats its value: the secret may be entered there by
mistake.
"""


def secret_fields(settings: type[BaseModel]) -> frozenset[str]:
    """Return the names of the settings of the type SecretReference."""
    return frozenset(name for name, field in settings.model_fields.items() if _CHECK in field.metadata)


def named_secrets(settings: BaseModel) -> frozenset[str]:
    """Return the names of the secrets that settings of the type SecretReference refer to."""
    given = (getattr(settings, name) for name in secret_fields(type(settings)))
    return frozenset(each.removeprefix(SECRET) for each in given if each)
