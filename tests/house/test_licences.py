"""Nothing we import or ship is under a licence that would bind those who use it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import metadata

from tests.house.reading import Finding, report, text_of

# LGPL binds nobody who only imports it; the others would.
BINDING = re.compile(
    r"(?<!L)GPL|Affero|(?<!Lesser )(?<!Library )General Public"
    r"|SSPL|Server Side Public|Elastic|BUSL|Business Source|Proprietary",
    re.IGNORECASE,
)
# Packages that state no licence a program can read, read by a person.
READ_BY_HAND: Mapping[str, str] = {"pysqlite3": "Zlib, in its LICENSE file"}


def binding(stated: Mapping[str, Iterable[str]]) -> list[Finding]:
    """Packages whose stated licences are all binding, or that state none. Any free one of several may be chosen."""
    found = []
    for package, statements in stated.items():
        choices = [choice for statement in statements for choice in re.split(r"\bOR\b", statement) if choice.strip()]
        if not choices and package not in READ_BY_HAND:
            found.append(Finding(package, 1, "states no licence: read it, and name it in READ_BY_HAND"))
        elif choices and all(BINDING.search(choice) for choice in choices):
            found.append(Finding(package, 1, f"is under {' / '.join(choices)}"))
    return found


def statements(package: str) -> list[str]:
    """What an installed package says of its licence: the SPDX expression, else classifiers, else the old field."""
    about = metadata.metadata(package)
    if "License-Expression" in about:
        return [about["License-Expression"]]
    classifiers = [
        line.rsplit("::", 1)[-1].strip() for line in about.get_all("Classifier") or [] if line.startswith("License ::")
    ]
    named = [line for line in classifiers if line != "OSI Approved"]
    return named or "".join(about.get_all("License") or []).splitlines()[:1]


def locked(text: str) -> list[str]:
    """Names of the packages in a lock file."""
    return re.findall(r"^([A-Za-z0-9][\w.-]*)==", text, re.MULTILINE)


def installed(package: str) -> bool:
    """Whether it is here; those for other systems are locked too."""
    return any(metadata.distributions(name=package))


def test_licences() -> None:
    packages = [*locked(text_of("requirements/run.txt")), "psycopg", "psycopg-binary"]
    found = binding({package: statements(package) for package in packages if installed(package)})
    assert not found, report(found)


def test_binding_licences_are_found() -> None:
    for licence in (
        "GPL-3.0-or-later",
        "AGPL-3.0",
        "GNU Affero General Public License v3",
        "Elastic-2.0",
        "GPLv2 OR AGPL-3.0",
    ):
        assert binding({"x": [licence]}), licence
    assert binding({"x": []})


def test_free_licences_are_not() -> None:
    for licence in (
        "MIT",
        "LGPL-2.1-only OR MIT",
        "GPL-2.0 OR Apache-2.0",
        "GNU Lesser General Public License v3 (LGPLv3)",
    ):
        assert not binding({"x": [licence]}), licence


def test_locked_names() -> None:
    text = "# head\nrich==14.0 \\\n    --hash=sha256:0\ncolorama==1 ; sys_platform == 'win32' \\\n    # via rich==14\n"
    assert locked(text) == ["rich", "colorama"]
    assert installed("pytest")
    assert not installed("no-such-package-here")
