"""Where does a program come from that Debian packages and this machine may not have?

From the PATH; else out of its package, fetched and unpacked in the cache (:mod:`bench.debian`), with the shared
libraries that the loader misses: each is looked for in what is unpacked, then in the package that Debian's policy
(section 8.1) names after it, ``libgpgme.so.11`` in ``libgpgme11``. Nothing is installed and no root is needed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.debian import Packages

_MISSING = re.compile(r"^\s*(\S+) => not found", re.MULTILINE)
_SONAME = re.compile(r"(?P<name>.+?)\.so\.(?P<version>[\w.]+)|(?P<fixed>.+?)-(?P<release>[\d.]+)\.so")
_VERSION = re.compile(r"\d+\.\d[\w.]*")
_ODD = {"libz.so.1": "zlib1g"}
_TURNS = 6  # a library's own libraries are missed once it is there
_PATIENCE_S = 30


class NoProgram(Exception):
    """A program is not on this machine and cannot be fetched; the message says which."""


@dataclass(frozen=True, slots=True)
class Program:
    """A file that runs with this environment."""

    path: str
    environment: dict[str, str] = field(default_factory=dict)

    def version(self, *words: str) -> str:
        """The first thing like a version that it says when it is called with these words; "" when it says none."""
        done = subprocess.run(
            [self.path, *words], env=self.environment, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
        )
        found = _VERSION.search(done.stdout + done.stderr)
        return found[0] if found else ""


def program(name: str, package: str) -> Program:
    """Find a program, fetching its package when it is not on the PATH. Raises NoProgram."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found:
        return Program(found, dict(os.environ))
    packages = Packages()
    tree = packages.tree(package)
    binary = next((file for file in tree.rglob(f"bin/{name}") if file.is_file()), None) if tree else None
    if tree is None or binary is None:
        raise NoProgram(f"there is no {name} on the PATH, and its package {package} cannot be downloaded here")
    trees = [tree]
    environment: dict[str, str] = {}
    for _ in range(_TURNS):
        environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(_folders(trees))}
        missing = missed(binary, environment)
        if not missing:
            return Program(str(binary), environment)
        trees += [tree for soname in missing for each in providers(soname) if (tree := packages.tree(each))]
    raise NoProgram(f"{name} does not run here: no package has {', '.join(missed(binary, environment))}")


def missed(binary: Path, environment: dict[str, str]) -> list[str]:
    """The shared libraries of a program that the loader does not find, by its own word."""
    asked = {**environment, "LD_TRACE_LOADED_OBJECTS": "1"}
    done = subprocess.run([binary], env=asked, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
    return list(dict.fromkeys(_MISSING.findall(done.stdout)))


def providers(soname: str) -> Iterator[str]:
    """The packages that a shared library may be in, by Debian's rule for their names."""
    if soname in _ODD:
        yield _ODD[soname]
    elif found := _SONAME.fullmatch(soname):
        name, version = (found["name"], found["version"]) if found["name"] else (found["fixed"], found["release"])
        package = f"{name}{'-' if name[-1].isdigit() else ''}{version}".lower().replace("_", "-")
        yield package
        yield f"{package}t64"


def _folders(trees: list[Path]) -> list[str]:
    """The folders of unpacked packages that shared libraries lie in."""
    return sorted({str(file.parent) for tree in trees for file in tree.rglob("*.so*")})
