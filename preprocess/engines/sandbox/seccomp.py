"""Builds the seccomp filter for bubblewrap: the system calls that a sandboxed process may not make.

The sandbox is one process without children or threads, so the limits of one process bound it. (A limit on the number of
processes wouldn't hold if the sandbox's owner is root.) The filter also blocks sockets, memory that no process limit
counts, access to other processes, mounts and namespaces, and the parts of the kernel with the most vulnerabilities.
"""

from __future__ import annotations

import errno
import platform
import struct

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
