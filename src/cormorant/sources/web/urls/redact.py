"""Redaction of the secret parts of a URL.

Values of parameters that let whoever knows them in (fault S15).

A page is fetched by its address as it is, and shown with *** where a secret stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from cormorant.base.errors import BadRule
from cormorant.base.secret_masking import STARS, TOKENS
from cormorant.sources.web.urls.strip_params import NOTHING, any_of

SECRETS = "secrets"
"""Stands for the names in `base.secret_masking.TOKENS`."""
_NAME = re.compile(r"!?[^\s=&;?#/!*]+\*?")
_IN_QUERY = re.compile(r"(?<=[?&;])([^=&;?#]{1,100})=([^&#;]*(?:;[^&#;=]*(?=[;&#]|\Z))*)")
_IN_PATH = re.compile(r"(?<=;)([^=;/]{1,100})=([^;/]*)")


class Redaction:
    """The parameters whose values are not shown."""

    def __init__(self, names: Sequence[str]) -> None:
        """Raises BadRule that names what is no name of a parameter."""
        for name in names:
            if name == NOTHING and len(names) > 1:
                raise BadRule(f"redact_parameters is {NOTHING!r}, or names what is not shown: leave out one of them.")
            if _NAME.fullmatch(name) is None:
                raise BadRule(
                    f"redact_parameters cannot be {name!r}: write the name of a parameter, like pin, a beginning, like "
                    f"secret_*, one to show, like !token, or {SECRETS} or {NOTHING}."
                )
        kept = [name[1:] for name in names if name.startswith("!")]
        said = [name for name in names if name not in (NOTHING, SECRETS) and not name.startswith("!")]
        self._kept = any_of(kept)
        self._secret = any_of([*said, *(TOKENS if SECRETS in names else ())])

    def of(self, address: str) -> str:
        """The address as it may be shown."""
        if self._secret is None or "=" not in address:
            return address
        path, mark, query = address.partition("?")
        shown = _IN_PATH.sub(self._shown, path) if ";" in path else path
        return shown + _IN_QUERY.sub(self._shown, mark + query) if mark else shown

    def _shown(self, found: re.Match[str]) -> str:
        name = unquote(found[1])
        secret = self._secret is not None and self._secret.fullmatch(name) and found[2]
        return f"{found[1]}={STARS}" if secret and not (self._kept and self._kept.fullmatch(name)) else found[0]
