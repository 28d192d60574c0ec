"""The numbers of the system calls that a child may make, for x86_64 and aarch64.

From the kernel's own tables (`asm/unistd_64.h` and `asm-generic/unistd.h`); the second column is None if that
architecture has only the newer form. Some calls are restricted by an argument, see `seccomp`.
"""

from __future__ import annotations

import enum
from typing import Final

# Calls above this number are newer than the list: they return ENOSYS, so that callers fall back.
NEWEST_KNOWN: Final = 450


class Architecture(enum.Enum):
    """A supported machine: its number in audit records and its column in `SYSCALLS`."""

    X86_64 = (0xC000003E, 0)
    AARCH64 = (0xC00000B7, 1)

    @property
    def audit_number(self) -> int:
        """AUDIT_ARCH_* of linux/audit.h."""
        return self.value[0]

    @property
    def column(self) -> int:
        """Index of the architecture's system call numbers in `SYSCALLS`."""
        return self.value[1]

    @classmethod
    def of_machine(cls, machine: str) -> Architecture | None:
        """Return the architecture that `uname -m` calls `machine`, None if there is no list for it."""
        return {"x86_64": cls.X86_64, "aarch64": cls.AARCH64}.get(machine)


SYSCALLS: Final[dict[str, tuple[int, int | None]]] = {
    # reading and writing what is open
    "read": (0, 63),
    "pread64": (17, 67),
    "readv": (19, 65),
    "preadv": (295, 69),
    "write": (1, 64),
    "writev": (20, 66),
    "close": (3, 57),
    "close_range": (436, 436),
    "lseek": (8, 62),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "fadvise64": (221, 223),
    # looking at files; opening is for reading only
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "stat": (4, None),
    "lstat": (6, None),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    # memory
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    "mincore": (27, 232),
    "membarrier": (324, 283),
    # threads of this process
    "clone": (56, 220),
    "clone3": (435, 435),
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "arch_prctl": (158, None),
    "gettid": (186, 178),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "getcpu": (309, 168),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "prctl": (157, 167),
    # signals, to itself
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "pause": (34, None),
    "kill": (62, 129),
    "tgkill": (234, 131),
    # waiting and waking
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    # the connection to the client and an event loop's own pair
    "socketpair": (53, 199),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "getsockopt": (55, 209),
    # asking about time and oneself
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getgroups": (115, 158),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "prlimit64": (302, 261),
    "getpriority": (140, 141),
    "sysinfo": (99, 179),
    "uname": (63, 160),
    "getrandom": (318, 278),
}
