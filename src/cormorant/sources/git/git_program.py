"""The system's git program: how it is started, kept within limits, and understood when it fails.

It gets no configuration but ours, no terminal to ask on, and no connection but to the address that was judged.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from threading import Event, Timer
from typing import IO, Final

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.base.secret_masking import masked, redacted
from cormorant.sources.git.settings import GitSettings

OLDEST: Final = (2, 37)
"""The first version in which a connection can be pinned to an address (http.curloptResolve)."""
LONGEST_S: Final = 12 * 3600.0
"""Seconds that a command may take that asks no server; the log of a large repository is long."""
MOST_WORDS: Final = 400
_VERSION: Final = re.compile(r"git version (\d+)\.(\d+)")
_NO_LOGIN: Final = (
    "authentication failed", "could not read username", "permission denied", "error: 401", "error: 403",
    "access denied", "invalid username", "terminal prompts disabled",
)  # fmt: skip
_NO_TLS: Final = ("unexpected tls packet", "wrong version number", "unexpected message", "packet length too long")
_ABSENT: Final = (
    "repository not found", "does not appear to be a git repository", "error: 404", "not found", "does not exist",
)  # fmt: skip


class GitFault(Exception):
    """Git has failed. The message is what it wrote, as one line without secrets."""


def version() -> tuple[int, int]:
    """Return the version of the git program, (0, 0) where there is none."""
    program = shutil.which("git")
    return _version_of(program) if program is not None else (0, 0)


@lru_cache(maxsize=4)
def _version_of(program: str) -> tuple[int, int]:
    said = subprocess.run((program, "version"), capture_output=True, text=True, check=False, timeout=20)  # noqa: S603
    found = _VERSION.match(said.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def see(settings: GitSettings) -> None:
    """See that the programs are there that a source needs. Raises BadSetting."""
    if version() < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise BadSetting(f"The program git is missing, or older than {oldest}. Install it, like `apt-get install git`.")
    if settings.repository.scheme == "ssh" and shutil.which("ssh") is None:
        raise BadSetting("The program ssh is missing. Install it, like `apt-get install openssh-client`.")


class GitProgram:
    """Runs git for one source. `folder` is its mirror."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, *words: str, environment: Mapping[str, str] | None = None, limit_s: float = LONGEST_S) -> bytes:
        """Return what a command prints. Raises GitFault and Unreachable."""
        with self.started(*words, environment=environment, limit_s=limit_s) as out:
            return out.read()

    @contextmanager
    def started(
        self, *words: str, environment: Mapping[str, str] | None = None, limit_s: float = LONGEST_S
    ) -> Iterator[IO[bytes]]:
        """Run a command whose output is read as it comes. Raises GitFault when it fails, and Unreachable in time."""
        late = Event()
        with tempfile.TemporaryFile() as errors:
            process = self._begin(words, environment or {}, errors)
            timer = Timer(limit_s, _end_late, (process, late))
            timer.daemon = True
            timer.start()
            try:
                assert process.stdout is not None  # noqa: S101 - asked for a pipe
                with process.stdout as out:
                    yield out
                code = process.wait()
            finally:
                timer.cancel()
                _kill(process)
                process.wait()
            if late.is_set():
                raise Unreachable(f"git {words[0]} did not end within {limit_s:g} seconds.")
            if code:
                raise GitFault(_words_of(errors))

    def steps(self, *words: str, environment: Mapping[str, str]) -> Iterator[None]:
        """Run a command that may take long, and yield each second. Raises GitFault when it fails."""
        with tempfile.TemporaryFile() as errors:
            process = self._begin(words, environment, errors)
            try:
                assert process.stdout is not None  # noqa: S101 - asked for a pipe
                process.stdout.close()
                while (code := _ended(process)) is None:
                    yield
            finally:
                _kill(process)
                process.wait()
            if code:
                raise GitFault(_words_of(errors))

    def batch(self) -> subprocess.Popen[bytes]:
        """Start a process that is asked for one object after another."""
        return self._begin(("cat-file", "--batch"), {}, subprocess.DEVNULL, stdin=subprocess.PIPE)

    def _begin(
        self, words: Sequence[str], environment: Mapping[str, str], errors: IO[bytes] | int,
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:  # fmt: skip
        return subprocess.Popen(  # noqa: S603 - git, with words of ours
            ("git", f"--git-dir={self._folder}", "--literal-pathspecs", *words),  # noqa: S607 - found by PATH
            stdin=stdin, stdout=subprocess.PIPE, stderr=errors, cwd="/", start_new_session=True,
            env={**_environment(self._folder), **environment},
        )  # fmt: skip


@contextmanager
def way(settings: GitSettings, addresses: Sequence[str], secret: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the environment in which git connects to pinned addresses, with the login of a source.

    `secret` has the values of password and key. Files for ssh are there for as long as the block.
    """
    url = settings.repository
    configuration = [
        ("http.followRedirects", "false"),
        ("http.proxy", ""),
        ("http.sslVerify", "true"),
        ("http.lowSpeedLimit", "1"),
        ("http.lowSpeedTime", str(round(settings.timeout_s))),
        ("gc.autoDetach", "false"),
    ]
    if url.scheme == "file":
        configuration.append(("safe.directory", "*"))  # this one is read by upload-pack, which runs nothing of it
    if url.scheme in ("https", "http"):
        pinned = ",".join(f"[{each}]" if ":" in each else each for each in addresses)
        configuration.append(("http.curloptResolve", f"{url.host}:{url.port}:{pinned}"))
        configuration += [("http.sslCAInfo", settings.ca)] if settings.ca else []
        if settings.user or "password" in secret:
            login = base64.b64encode(f"{settings.user or 'git'}:{secret.get('password', '')}".encode()).decode()
            configuration.append(("http.extraHeader", f"Authorization: Basic {login}"))
    with tempfile.TemporaryDirectory(prefix="cormorant-git-") as folder:
        found = _configured(configuration)
        if url.scheme == "ssh":
            found["GIT_SSH_COMMAND"] = _ssh(settings, addresses[0], secret, Path(folder))
            found["GIT_SSH_VARIANT"] = "ssh"
        yield found


def explained(fault: GitFault, settings: GitSettings) -> Unreachable:
    """Return the error that says what to do about a failure of git with a remote repository."""
    said, shown = str(fault).lower(), redacted(settings.url)
    login = settings.password or settings.key
    if "host key verification failed" in said:
        return Unreachable(f"The key of the ssh server of {shown} is not one of known_hosts. Ask its owner for it.")
    if any(each in said for each in _NO_LOGIN):
        if login:
            return LoginRefused(f"The server of {shown} refuses the login. Check user, {_login_setting(settings)}.")
        return Unreachable(f"The server of {shown} wants a login: set user and password=secret:NAME.")
    if settings.repository.scheme == "file" and "could not read from remote repository" in said:
        return Unreachable(f"There is no repository at {settings.repository.path}. Correct the source's url.")
    if any(each in said for each in _NO_TLS):
        return Unreachable(f"The server of {shown} does not speak TLS at this port. Check scheme and port of the url.")
    if any(each in said for each in _ABSENT):
        return Unreachable(f"There is no repository at {shown}, or the login may not see it. Check its address.")
    if "redirect" in said or "error: 30" in said:
        return Unreachable(f"The repository {shown} is elsewhere now. Set url to its new address.")
    return Unreachable(f"The repository {shown} cannot be read: {fault}")


def _login_setting(settings: GitSettings) -> str:
    return "and the secret of password" if settings.password else "and the secret of key"


def _environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "SSH_ASKPASS": "true",
        "GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "https:http:ssh:file", "GIT_NO_LAZY_FETCH": "1",
        "GIT_ATTR_NOSYSTEM": "1", "GIT_NO_REPLACE_OBJECTS": "1",
    }  # fmt: skip


def _configured(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return configuration as an environment: unlike arguments, it is shown to no other account."""
    found = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (name, value) in enumerate(pairs):
        found[f"GIT_CONFIG_KEY_{number}"], found[f"GIT_CONFIG_VALUE_{number}"] = name, value
    return found


def _ssh(settings: GitSettings, address: str, secret: Mapping[str, str], folder: Path) -> str:
    """Return the ssh command that connects to one address, and trusts the keys of the settings alone."""
    hosts = folder / "known_hosts"
    hosts.write_text("".join(f"{line}\n" for line in settings.known_hosts), "utf-8")
    words = [
        "ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o",
        f"UserKnownHostsFile={hosts}", "-o", "GlobalKnownHostsFile=/dev/null", "-o", "IdentityAgent=none", "-o",
        f"HostKeyAlias={settings.repository.host}", "-o", f"HostName={address}", "-o",
        f"ConnectTimeout={max(1, round(settings.connect_timeout_s))}", "-o", "ForwardAgent=no", "-o",
        "PermitLocalCommand=no",
    ]  # fmt: skip
    if "key" in secret:
        key = folder / "key"
        descriptor = os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secret["key"].rstrip("\n") + "\n")
        words += ["-i", str(key), "-o", "IdentitiesOnly=yes"]
    return shlex.join(words)


def _plain(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    said = redacted(masked(" ".join(lines[-3:])))[:MOST_WORDS]
    return said if said.endswith(".") else f"{said}."


def _words_of(errors: IO[bytes]) -> str:
    errors.seek(0)
    return _plain(errors.read(100_000).decode("utf-8", "replace"))


def _ended(process: subprocess.Popen[bytes]) -> int | None:
    """Return the exit code of a process, None when it goes on after a second."""
    try:
        return process.wait(1.0)
    except subprocess.TimeoutExpired:
        return None


def _end_late(process: subprocess.Popen[bytes], late: Event) -> None:
    late.set()
    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
