"""Sandbox with bubblewrap (github.com/containers/bubblewrap), which runs Python in its own namespaces.

Inside are /usr and the interpreter's folders, both read-only, and a /tmp in memory: no network, no /home, no /etc, no
/proc, no /dev except null, no environment, no capabilities, and one process without children or threads, so the limits
of one process bound it. (A limit on the number of processes wouldn't hold if the sandbox's owner is root.) A seccomp
filter ensures that. It also blocks sockets, memory that no process limit counts, access to other processes, mounts and
namespaces, and the parts of the kernel with the most vulnerabilities.
"""

from __future__ import annotations

import errno
import json
import math
import os
import platform
import selectors
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO

from longtake.errors import EngineError
from longtake.preprocess.engines.sandbox import bubblewrap_guest
from longtake.preprocess.engines.sandbox.sandbox import MAX_OUTPUT, RAN_OUT, TRIAL, Ran
from longtake.settings import SandboxSettings, Settings

# Numbers of system calls on x86_64 and aarch64: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h of
# Linux. 0 means that the architecture doesn't have the call.
_REFUSED = {
    name: (int(x86_64), int(aarch64))
    for name, x86_64, aarch64 in (
        line.split()
        for line in """
        fork 57 0
        vfork 58 0
        clone 56 220
        socket 41 198
        memfd_create 319 279
        memfd_secret 447 447
        shmget 29 194
        msgget 68 186
        semget 64 190
        mq_open 240 180
        ptrace 101 117
        process_vm_readv 310 270
        process_vm_writev 311 271
        process_madvise 440 440
        pidfd_open 434 434
        pidfd_getfd 438 438
        kcmp 312 272
        unshare 272 97
        setns 308 268
        mount 165 40
        umount2 166 39
        pivot_root 155 41
        chroot 161 51
        open_tree 428 428
        move_mount 429 429
        fsopen 430 430
        fsconfig 431 431
        fsmount 432 432
        fspick 433 433
        mount_setattr 442 442
        name_to_handle_at 303 264
        open_by_handle_at 304 265
        bpf 321 280
        perf_event_open 298 241
        userfaultfd 323 282
        io_uring_setup 425 425
        io_uring_enter 426 426
        io_uring_register 427 427
        keyctl 250 219
        add_key 248 217
        request_key 249 218
        init_module 175 105
        finit_module 313 273
        delete_module 176 106
        kexec_load 246 104
        kexec_file_load 320 294
        personality 135 92
        vmsplice 278 75
        fanotify_init 300 262
        syslog 103 116
        quotactl 179 60
        modify_ldt 154 0
        iopl 172 0
        ioperm 173 0
        """.strip().splitlines()
    )
}
_CLONE3 = 435  # its flags are in memory, which a filter can't read; if it doesn't exist, libraries use `clone`
# By machine name: the column above, and the AUDIT_ARCH constant of linux/audit.h.
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000  # calls of the x32 ABI, which have other numbers

# Instructions of classic BPF (linux/bpf_common.h) and values of linux/seccomp.h.
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4  # bytes into struct seccomp_data
_KILL, _ERROR, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_POLL = 0.1  # seconds between checks for cancellation
_MEGABYTE = 1024 * 1024
_DISK = 64  # megabytes of /tmp
_FILES = 64  # open at once
_NOBODY = "65534"
_TRIAL_SECONDS = 20.0
_SYSTEM = ("bin", "lib", "lib64", "sbin")  # links into /usr on most systems, real folders on older ones


def missing_bubblewrap(settings: Settings) -> str | None:
    """Why bubblewrap can't be used here, and what to do; None if a trial snippet ran in it.

    It may be installed but forbidden: many containers don't allow namespaces.
    """
    if sys.platform != "linux" or not supported():
        return "bubblewrap works only on Linux, on x86_64 and aarch64"
    program = shutil.which("bwrap")
    if program is None:
        return "bwrap not installed: install the system package bubblewrap, for example `apt-get install bubblewrap`"
    if any(Path(folder) in (Path("/"), *Path.home().parents, Path.home()) for folder in _interpreter()):
        return f"the interpreter's folder {sys.prefix} contains the home folder: use a virtual environment for longtake"
    return _problem(program, settings.sandbox.megabytes)


class Bubblewrap:
    """Runs each snippet with this interpreter and its packages in a fresh sandbox."""

    def __init__(self, settings: Settings) -> None:
        """Take the limits; nothing is started yet."""
        self._limits = settings.sandbox
        self._program = shutil.which("bwrap") or "bwrap"
        self.id = f"bubblewrap/python-{sys.version_info.major}.{sys.version_info.minor}"

    def run(self, code: str, inputs: Mapping[str, Any], seconds: float, check_cancelled: Callable[[], None]) -> Ran:
        """See `Sandbox`."""
        seconds = min(seconds, self._limits.seconds)
        task = json.dumps({"code": code, "inputs": inputs, "limits": self._rlimits(seconds)}).encode()
        with _readable(task) as stdin, _readable(program()) as filters:
            try:
                process = subprocess.Popen(
                    command(self._program, filters.fileno()),
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=(filters.fileno(),),
                    env={},
                    cwd="/",
                    start_new_session=True,  # Ctrl-C is handled on this side
                )
            except OSError as error:
                raise EngineError(f"Couldn't start {self._program} ({error.strerror}): reinstall it.") from error
        with process:
            try:
                ran = _watched(process, seconds, check_cancelled)
            finally:
                process.kill()  # and everything inside, because of --die-with-parent
        if process.returncode and ran.stderr.startswith("bwrap: "):
            raise EngineError(
                f"bubblewrap isn't allowed to run ({ran.stderr.strip()}): allow unprivileged user namespaces."
            )
        return ran

    def _rlimits(self, seconds: float) -> dict[str, int]:
        """Limits of the process inside, by their names in the module `resource`."""
        return {
            "RLIMIT_AS": self._limits.megabytes * _MEGABYTE,
            "RLIMIT_CPU": math.ceil(seconds),
            "RLIMIT_FSIZE": _DISK * _MEGABYTE,
            "RLIMIT_NOFILE": _FILES,
            "RLIMIT_NPROC": 1,
            "RLIMIT_CORE": 0,
            "RLIMIT_MEMLOCK": 0,
        }


def command(program: str, filters: int) -> list[str]:
    """The command line of a sandbox; bubblewrap reads its seccomp filter from the file descriptor `filters`."""
    return [
        *(program, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL", "--uid", _NOBODY, "--gid", _NOBODY, "--hostname", "sandbox"),
        *("--clearenv", "--setenv", "LD_LIBRARY_PATH", f"{sys.base_prefix}/lib"),
        *("--setenv", "OPENBLAS_NUM_THREADS", "1", "--setenv", "OMP_NUM_THREADS", "1"),
        *("--ro-bind", "/usr", "/usr", *_system_folders()),
        *("--size", str(_DISK * _MEGABYTE), "--tmpfs", "/tmp", "--chdir", "/tmp"),
        # After /tmp, which would hide an environment inside it.
        *(part for folder in _interpreter() for part in ("--ro-bind", folder, folder)),
        *("--dev-bind", "/dev/null", "/dev/null"),
        *("--remount-ro", "/", "--seccomp", str(filters)),  # the root is also in memory, without a limit
        *(sys.executable, "-I", "-B", "-c", Path(bubblewrap_guest.__file__).read_text(encoding="utf-8")),
    ]


@contextmanager
def _readable(data: bytes) -> Iterator[BinaryIO]:
    """A read-only file: code inside the sandbox must not fill a disk outside."""
    with NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        with open(file.name, "rb") as reading:
            yield reading


def _system_folders() -> Iterator[str]:
    for name in _SYSTEM:
        if os.path.islink(f"/{name}"):
            yield from ("--symlink", os.readlink(f"/{name}"), f"/{name}")
        elif os.path.isdir(f"/{name}"):
            yield from ("--ro-bind", f"/{name}", f"/{name}")


def _interpreter() -> list[str]:
    """Folders of this interpreter and its packages outside /usr."""
    folders = dict.fromkeys((sys.base_prefix, sys.prefix))
    return [folder for folder in folders if not Path(folder).is_relative_to("/usr")]


def _watched(process: subprocess.Popen[bytes], seconds: float, check_cancelled: Callable[[], None]) -> Ran:
    """Read a process's output until it ends, runs too long or writes too much."""
    assert process.stdout, "opened as a pipe"
    assert process.stderr, "opened as a pipe"
    written = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    deadline = time.monotonic() + seconds
    ended = ""
    with selectors.DefaultSelector() as selector:
        for pipe in written:
            selector.register(pipe, selectors.EVENT_READ)
        while not ended and (selector.get_map() or process.poll() is None):
            check_cancelled()
            ready = selector.select(min(_POLL, max(0.0, deadline - time.monotonic())))
            for pipe in (key.fd for key, _ in ready):
                piece = os.read(pipe, MAX_OUTPUT)
                if not piece:
                    selector.unregister(pipe)
                written[pipe] += piece
            if any(len(text) > MAX_OUTPUT for text in written.values()):
                ended = f"it wrote more than {MAX_OUTPUT} bytes"
            elif time.monotonic() >= deadline:
                ended = f"{RAN_OUT}{seconds:g} s"
    stdout, stderr = (bytes(text[:MAX_OUTPUT]).decode("utf-8", "replace") for text in written.values())
    return Ran(stdout, stderr, ended or _death(process.returncode))


def _death(status: int | None) -> str:
    """The signal that killed the process, if any; bubblewrap reports it as 128 plus the signal's number."""
    return f"signal {status - 128} killed it" if status and status > 128 else ""


@lru_cache
def _problem(program: str, megabytes: int) -> str | None:
    """Why a trial snippet didn't run, or None."""
    sandbox = Bubblewrap(Settings(sandbox=SandboxSettings(seconds=_TRIAL_SECONDS, megabytes=megabytes)))
    try:
        ran = sandbox.run(TRIAL, {"numbers": [19, 23]}, _TRIAL_SECONDS, lambda: None)
    except EngineError as error:
        return str(error).rstrip(".")
    if ran.stdout.strip() == "42":
        return None
    reason = " ".join((ran.stderr or ran.ended or "no reason given").split())[-200:]
    return f"{program} ran, but {sys.executable} didn't run inside it: {reason}"


def supported() -> bool:
    """Whether this machine's system call numbers are known."""
    return platform.machine() in _MACHINES


def program() -> bytes:
    """The filter for this machine, as an array of `struct sock_filter`."""
    column, architecture = _MACHINES[platform.machine()]
    steps = [
        _step(_LOAD, _ARCHITECTURE_AT),
        _step(_EQUAL, architecture, if_true=1),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
        _step(_AT_LEAST, _X32, if_false=1),
        _step(_RETURN, _KILL),
    ]
    refused = {numbers[column]: errno.EPERM for numbers in _REFUSED.values() if numbers[column]}
    for number, error in {**refused, _CLONE3: errno.ENOSYS}.items():
        steps += [_step(_EQUAL, number, if_false=1), _step(_RETURN, _ERROR | error)]
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction; `if_true` and `if_false` are the numbers of instructions to skip after a condition."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
