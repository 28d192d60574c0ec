"""What hostile converters do, as tasks of the fork server: bytes to bytes."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

MIB = 1024 * 1024


def echo(payload: bytes) -> bytes:
    return payload


def measure(payload: bytes) -> bytes:
    return str(len(payload)).encode()


def pid(payload: bytes) -> bytes:
    return str(os.getpid()).encode()


def parent(payload: bytes) -> bytes:
    return str(os.getppid()).encode()


def fail(payload: bytes) -> bytes:
    raise ValueError("first line\nsecond\x00line " + "x" * 10_000)


class PanicException(BaseException):
    """What a panic of Rust becomes."""


def panic(payload: bytes) -> bytes:
    raise PanicException("not even an Exception")


def wrong_type(payload: bytes) -> bytes:
    return None  # type: ignore[return-value]


def sleep(payload: bytes) -> bytes:
    time.sleep(float(payload))
    return b"slept"


def hang_deaf(payload: bytes) -> bytes:
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(60)


def spin(payload: bytes) -> bytes:
    while True:
        pass


def spin_deaf(payload: bytes) -> bytes:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass


def eat_memory(payload: bytes) -> bytes:
    eaten = []
    while True:
        eaten.append(bytearray(MIB))


def eat_native_memory(payload: bytes) -> bytes:
    """As native code does: allocate until it fails, then abort."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    while block := libc.malloc(ctypes.c_size_t(MIB)):
        ctypes.memset(block, 1, MIB)
    os.abort()


def abort_saying(payload: bytes) -> bytes:
    os.write(2, payload)
    os.abort()


def make(payload: bytes) -> bytes:
    return bytes(int(payload))


def crash(payload: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGSEGV)
    return b"unreachable"


def leave(payload: bytes) -> bytes:
    os._exit(int(payload))


def _connection() -> int:
    """The descriptor of the connection to the client, as code that broke out of Python would find it."""
    return next(descriptor for descriptor in range(3, 64) if _is_socket(descriptor))


def _is_socket(descriptor: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def _send(data: bytes) -> None:
    descriptor = _connection()
    while data:
        data = data[os.write(descriptor, data) :]


def answer_then_crash(payload: bytes) -> bytes:
    _send(struct.pack("!BI", 1, len(payload)) + payload)
    os.kill(os.getpid(), signal.SIGSEGV)
    return b"unreachable"


def answer_then_hang(payload: bytes) -> bytes:
    _send(struct.pack("!BI", 1, len(payload)) + payload)
    time.sleep(600)
    return b"unreachable"


def answer_then_chatter(payload: bytes) -> bytes:
    _send(struct.pack("!BI", 1, len(payload)) + payload)
    while True:
        _send(bytes(MIB))


def cut_short(payload: bytes) -> bytes:
    """Announce some bytes more than are sent, so that the server's ending would be taken for them."""
    _send(struct.pack("!BI", 1, 100 + int(payload)) + bytes(100))
    os.kill(os.getpid(), signal.SIGSEGV)
    return b"unreachable"


def announce(payload: bytes) -> bytes:
    _send(struct.pack("!BI", 1, int(payload)))
    time.sleep(600)
    return b"unreachable"


def send_raw(payload: bytes) -> bytes:
    _send(payload)
    os.kill(os.getpid(), signal.SIGSEGV)
    return b"unreachable"


def _try_each(trials: dict[str, object]) -> bytes:
    """Call each trial; report the name of its error, or "done"."""
    report = {}
    for name, trial in trials.items():
        try:
            trial()  # type: ignore[operator]
            report[name] = "done"
        except OSError as error:
            report[name] = errno.errorcode.get(error.errno or 0, repr(error))
        except RuntimeError as error:
            report[name] = str(error)
    return json.dumps(report).encode()


def _call(name: str, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*(ctypes.c_long(argument) for argument in arguments)) == -1:
        raise OSError(ctypes.get_errno(), name)


def reach_out(payload: bytes) -> bytes:
    """Every way to another machine or process that comes to mind."""
    address = payload.decode()
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return _try_each({
        "inet": lambda: socket.socket(socket.AF_INET),
        "inet6": lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
        "unix": lambda: socket.socket(socket.AF_UNIX),
        "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
        "connect_pair": lambda: left.connect(address),
        "send_to": lambda: left.sendto(b"x", address),
        "pass_descriptor": lambda: left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, b"\0\0\0\0")]),
        "bind": lambda: right.bind("\0cormorant-test"),
        "kill_parent": lambda: os.kill(os.getppid(), 0),
        "kill_group": lambda: os.killpg(1, 0),
        "ptrace": lambda: _call("ptrace", 16, os.getppid(), 0, 0),
        "read_memory": lambda: _call("process_vm_readv", os.getppid(), 0, 0, 0, 0, 0),
        "new_session": os.setsid,
        "no_death_signal": lambda: _call("prctl", 1, 0, 0, 0, 0),
        "namespace": lambda: _call("unshare", 0x40000000),
        "io_uring": lambda: _call("syscall", 425, 1, 0),
        "shared_memory": lambda: _call("syscall", 319, 0, 0),
    })  # fmt: skip


def start_others(payload: bytes) -> bytes:
    return _try_each({
        "fork": _fork,
        "vfork": lambda: _spawn_by(vfork=True),
        "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "subprocess": lambda: subprocess.run([sys.executable, "-V"], check=False),
        "exec": lambda: os.execv("/bin/true", ["true"]),
    })  # fmt: skip


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _spawn_by(*, vfork: bool) -> None:
    _call("syscall", 58 if vfork else 57)


def fork_and_linger(payload: bytes) -> bytes:
    """Where forking is possible: leave a grandchild behind."""
    grandchild = os.fork()
    if grandchild == 0:
        time.sleep(600)
    return str(grandchild).encode()


def touch_files(payload: bytes) -> bytes:
    """Read and write what a converter has no business with; `payload` is a folder that everybody may write to."""
    folder = Path(payload.decode())
    library = Path(os.__file__)
    return _try_each({
        "read_passwd": Path("/etc/passwd").read_bytes,
        "read_folder": (folder / "secret").read_bytes,
        "list_root": lambda: list(Path("/").iterdir()),
        "list_folder": lambda: list(folder.iterdir()),
        "read_environment": lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
        "read_library": library.read_bytes,
        "create": lambda: (folder / "new").write_bytes(b"x"),
        "append": lambda: (folder / "open").open("ab"),
        "truncate": lambda: os.truncate(folder / "open", 0),
        "remove": (folder / "open").unlink,
        "rename": lambda: (folder / "open").rename(folder / "moved"),
        "link": lambda: (folder / "link").symlink_to("/etc/passwd"),
        "folder": (folder / "sub").mkdir,
        "mode": lambda: (folder / "open").chmod(0o777),
        "mount": lambda: _call("syscall", 165, 0, 0, 0, 0, 0),
    })  # fmt: skip


def use_up(payload: bytes) -> bytes:
    """How many descriptors and threads there are before the system says no."""
    threads = 0
    try:
        for _ in range(64):
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
            threads += 1
    except RuntimeError:
        pass
    descriptors = 0
    try:
        while descriptors < 256:
            descriptors = os.dup(0) + 1
    except OSError as error:
        if error.errno != errno.EMFILE:
            raise
    return json.dumps({"threads": threads, "descriptors": descriptors}).encode()


def share_memory(payload: bytes) -> bytes:
    """Memory that RLIMIT_DATA does not count."""
    import mmap

    return _try_each({"anonymous": lambda: mmap.mmap(-1, int(payload))})


def look_around(payload: bytes) -> bytes:
    descriptors = []
    for descriptor in range(1024):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        descriptors.append(descriptor)
    return json.dumps({
        "environment": dict(os.environ),
        "descriptors": descriptors,
        "folder": os.getcwd(),  # noqa: PTH109 - the folder, not a path
        "group": os.getpgid(0) == os.getpid(),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "stdin": os.read(0, 1).decode(),
    }).encode()  # fmt: skip
