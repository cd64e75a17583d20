#!/usr/bin/env python3
"""perfdata.py FILE [pipe|zstd|zstd2|other|hostile|late|aux]: writes a recording from nothing, in the format of perf record, of two CPUs and a few processes.

zstd: the records of the kernel are compressed, by the command zstd, in records of type 81, or (zstd2) 83.
other: of another machine, whose clock is 1,000 s ahead and where all happens half a millisecond later; its tracepoints have
other numbers, which are those of others here.
hostile: names and texts act on terminals.
aux: with a piece of AUX data between its records, and what tells of it.
kernel=ADDRESS: with the mapping of a kernel whose _text is there.
late: a record comes two rounds after younger ones.

The events, by time (ns): what each test expects is worked out from this list.
"""
import struct
import subprocess
import sys

IDENTIFIER, IP, TID, TIME, CPU, CALLCHAIN, RAW = 0x10000, 1, 2, 4, 0x80, 0x20, 0x400
PREFIX = IDENTIFIER | IP | TID | TIME | CPU
IS_OTHER = "other" in sys.argv[2:]
BETA, SEVEN = ("b\x1b[2J", 'say "\x1b]0;x\x07\\"\n') if "hostile" in sys.argv[2:] else ("beta", "seven")
SWITCHES, CALLS, MESSAGES = (9003, 9001, 9002) if IS_OTHER else (9001, 9002, 9003)
KERNEL, USER = 0xFFFFFFFFFFFFFF80, 0xFFFFFFFFFFFFFE00
COMMON = """\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""


def form(name, number, fields):
    return f"name: {name}\nID: {number}\nformat:\n{COMMON}{fields}\nprint fmt: \"\"\n"


# numbers and offsets that no kernel has
FORMATS = [
    ("sched", form("sched_switch", SWITCHES, """\tfield:char prev_comm[16];\toffset:16;\tsize:16;\tsigned:0;
\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;
\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;
\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;
\tfield:pid_t next_pid;\toffset:12;\tsize:4;\tsigned:1;
\tfield:int next_prio;\toffset:56;\tsize:4;\tsigned:1;
""")),
    ("raw_syscalls", form("sys_enter", CALLS, """\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;
\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;
""")),
    ("demo", form("message", MESSAGES, """\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;
\tfield:__data_loc char[] text;\toffset:12;\tsize:4;\tsigned:0;
""")),
]


def attr(kind, config, sample_type, flags):
    a = bytearray(128)
    struct.pack_into("<IIQQQQQ", a, 0, kind, 128, config, 1, sample_type, 0, flags)
    return bytes(a)


SAMPLE_ID_ALL, MMAP, COMM, TASK, MMAP2 = 1 << 18, 1 << 8, 1 << 9, 1 << 13, 1 << 23
ATTRS = [
    (attr(2, SWITCHES, PREFIX | RAW, SAMPLE_ID_ALL | MMAP | COMM | TASK | MMAP2), 11, "sched:sched_switch"),
    (attr(2, CALLS, PREFIX | RAW, SAMPLE_ID_ALL), 12, "raw_syscalls:sys_enter"),
    (attr(2, MESSAGES, PREFIX | RAW, SAMPLE_ID_ALL), 13, "demo:message"),
    (attr(1, 0, PREFIX | CALLCHAIN, SAMPLE_ID_ALL), 14, "cpu-clock"),
]


def record(kind, body, misc=0):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def other(kind, body, pid, tid, time, cpu=0, misc=0):
    body += b"\0" * (-len(body) % 8)
    return record(kind, body + struct.pack("<IIQIIQ", pid, tid, time, cpu, 0, 11), misc)


def sample(number, pid, tid, time, cpu, body, ip=0x401000, misc=2):
    return record(9, struct.pack("<QQIIQII", number, ip, pid, tid, time, cpu, 0) + body, misc)


def raw(data):
    data += b"\0" * (-(len(data) + 4) % 8)
    return struct.pack("<I", len(data)) + data


def switch(time, cpu, prev, state, following, name=b"next"):
    data = struct.pack("<HBBi", SWITCHES, 0, 0, prev) + struct.pack("<ii", prev, following)
    data += b"prev".ljust(16, b"\0") + struct.pack("<q", state) + name.ljust(16, b"\0") + struct.pack("<i", 120)
    return sample(11, prev, prev, time, cpu, raw(data))


def call(time, cpu, pid, number, *args):
    args = (list(args) + [0] * 6)[:6]
    return sample(12, pid, pid, time, cpu, raw(struct.pack("<HBBi", CALLS, 0, 0, pid) + struct.pack("<q6Q", number, *args)))


def message(time, cpu, pid, number, text):
    text = text.encode() + b"\0"
    return sample(13, pid, pid, time, cpu, raw(struct.pack("<HBBiiHH", MESSAGES, 0, 0, pid, number, 16, len(text)) + text))


def clock(time, cpu, pid, kernel, user):
    chain = ([KERNEL, *kernel] if kernel else []) + ([USER, *user] if user else [])
    return sample(14, pid, pid, time, cpu, struct.pack(f"<Q{len(chain)}Q", len(chain), *chain),
                  ip=(kernel or user)[0], misc=1 if kernel else 2)


def comm(pid, tid, name, time=0, is_exec=False):
    return other(3, struct.pack("<II", pid, tid) + name.encode() + b"\0", pid, tid, time, misc=0x2000 if is_exec else 0)


def fork(pid, parent, tid, ptid, time=0):
    return other(7, struct.pack("<IIIIQ", pid, parent, tid, ptid, time), pid, tid, time)


def leave(pid, parent, tid, time):
    return other(4, struct.pack("<IIIIQ", pid, parent, tid, parent, time), pid, tid, time)


def mmap2(pid, start, size, path, time=0, inode=0):
    body = struct.pack("<IIQQQIIQQII", pid, pid, start, size, 0, 8, 1, inode, 0, 5, 2) + path.encode() + b"\0"
    return other(10, body, pid, pid, time)


def lost(number, time):
    return other(2, struct.pack("<QQ", 11, number), 0, 0, time)


ROUND = record(68, b"")
MS = 1000000
START = (1005000 if IS_OTHER else 5000) * MS


def at(ms):
    return START + int(ms * MS)


RECORDS = [
    comm(100, 100, "alpha"), comm(200, 200, BETA), fork(100, 1, 100, 1), mmap2(100, 0x400000, 0x100000, "/nowhere/alpha"),
    mmap2(200, 0x700000, 0x10000, "//anon"),
    record(82, b""),  # what follows has happened
    # the buffer of CPU 0, then that of CPU 1: each in order
    call(at(0), 0, 100, 0, 3, 4096, 17), call(at(2), 0, 100, 1, 4), clock(at(4), 0, 100, [0xFFFFFFFF81000010], [0x401000]),
    call(at(1), 1, 200, 0, 5), message(at(3), 1, 200, 7, SEVEN),
    clock(at(4.5), 1, 200, None, [0x700010]), ROUND,
    fork(300, 100, 300, 100, at(5)), comm(300, 300, "gamma", at(6), True), call(at(7), 0, 300, 59),
    switch(at(8), 0, 300, 1, 100, b"alpha"), switch(at(6.5), 1, 200, 0, 0, b"swapper/1"), ROUND,
    message(at(12), 1, 200, -1, "minus one"), leave(300, 100, 300, at(14)), lost(3, at(15)),
    call(at(25), 0, 100, 0, 6), ROUND,
]


PAGE = b"""\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""


def tracing_data():
    out = b"\x17\x08\x44tracing" + b"0.6\0" + struct.pack("<BBI", 0, 8, 4096)
    out += b"header_page\0" + struct.pack("<Q", len(PAGE)) + PAGE + b"header_event\0" + struct.pack("<Q", 0)
    out += struct.pack("<I", 0) + struct.pack("<I", len(FORMATS))
    for system, text in FORMATS:
        out += system.encode() + b"\0" + struct.pack("<IQ", 1, len(text)) + text.encode()
    return out + struct.pack("<IIQ", 0, 0, 0)


def text(value):
    return struct.pack("<I", 64) + value.encode().ljust(64, b"\0")


def event_desc():
    out = struct.pack("<II", len(ATTRS), 128)
    for a, number, name in ATTRS:
        name = name.encode().ljust(64, b"\0")
        out += a + struct.pack("<II", 1, len(name)) + name + struct.pack("<Q", number)
    return out


FEATURES = {1: tracing_data(), 3: text("another" if IS_OTHER else "elsewhere"), 4: text("5.99.0-other"), 6: text("x86_64"), 7: struct.pack("<II", 2, 2),
            12: event_desc(), 29: struct.pack("<IIQQ", 1, 1, 1000000000 * 10**9 + 500000 * IS_OTHER, START)}


def compressed(kind):
    """What happened is one stream, cut into pieces of any size: records begin in one and end in the next."""
    start = RECORDS.index(record(82, b"")) + 1
    stream = subprocess.run(["zstd", "-q", "-c"], input=b"".join(r for r in RECORDS[start:] if r != ROUND),
                            stdout=subprocess.PIPE, check=True).stdout
    pieces = [stream[i:i + 101] for i in range(0, len(stream), 101)]
    if kind == 81:  # not padded
        packed = [struct.pack("<IHH", 81, 0, 8 + len(p)) + p for p in pieces]
    else:
        packed = [record(83, struct.pack("<Q", len(p)) + p) for p in pieces]
    return RECORDS[:start] + packed + [ROUND]


def a_file(records):
    attrs_at = 104 + 8 * len(ATTRS)
    data_at = attrs_at + 144 * len(ATTRS)
    data = b"".join(records)
    bits = sum(1 << bit for bit in FEATURES)
    out = struct.pack("<8sQQQQQQQQ4Q", b"PERFILE2", 104, 144, attrs_at, 144 * len(ATTRS), data_at, len(data), 0, 0, bits, 0, 0, 0)
    out += b"".join(struct.pack("<Q", number) for _, number, _ in ATTRS)
    out += b"".join(a + struct.pack("<QQ", 104 + 8 * i, 8) for i, (a, _, _) in enumerate(ATTRS)) + data
    at_offset = len(out) + 16 * len(FEATURES)
    table, contents = b"", b""
    for bit in sorted(FEATURES):
        table += struct.pack("<QQ", at_offset + len(contents), len(FEATURES[bit]))
        contents += FEATURES[bit]
    return out + table + contents


def a_pipe():
    out = struct.pack("<8sQ", b"PERFILE2", 16)
    for a, number, _ in ATTRS:
        out += record(64, a + struct.pack("<Q", number))
    for bit in (3, 4, 6, 12, 29):
        body = struct.pack("<Q", bit) + FEATURES[bit]  # of any length: perf aligns them not
        out += struct.pack("<IHH", 80, 0, 8 + len(body)) + body
    formats = FEATURES[1]
    out += record(66, struct.pack("<I", len(formats))) + formats + b"\0" * (-len(formats) % 8)
    return out + b"".join(RECORDS)


if __name__ == "__main__":
    if "late" in sys.argv[2:]:
        RECORDS += [ROUND, message(at(24), 1, 200, 8, "late"), ROUND]
    form_of = (sys.argv[2:] or ["plain"])[0]
    if "aux" in sys.argv[2:]:  # what perf writes of it, in its order: AUXTRACE_INFO, ITRACE_START, AUX, AUXTRACE and its bytes, AUXTRACE_ERROR
        RECORDS.insert(9, record(70, struct.pack("<II8Q", 1, 0, *range(8))) + other(12, struct.pack("<II", 100, 100), 100, 100, at(1.5))
                       + other(11, struct.pack("<QQQ", 0, 4096, 0), 100, 100, at(1.6))
                       + record(71, struct.pack("<QQQIIII", 4096, 0, 0, 0, 100, 0, 0)) + b"\xa5" * 4096
                       + record(72, struct.pack("<IIIIIIQQ", 1, 5, 0, 100, 100, 0, 0x401000, at(1.7)) + b"Overflow packet\0"))
    kernel = [int(word.split("=")[1], 16) for word in sys.argv[2:] if word.startswith("kernel=")]
    if kernel:  # where its _text is
        RECORDS.insert(0, other(1, struct.pack("<iIQQQ", -1, 0, kernel[0], 0x1000000, kernel[0]) + b"[kernel.kallsyms]_text\0", -1 & 0xFFFFFFFF, 0, 0, misc=1))
    packing = {"zstd": 81, "zstd2": 83}.get(form_of)
    if packing:
        FEATURES[27] = struct.pack("<5I", 0, 1, 3, 2, 528384)  # version, Zstandard, its level, ratio, size of a buffer
    with open(sys.argv[1], "wb") as f:
        f.write(a_pipe() if form_of == "pipe" else a_file(compressed(packing) if packing else RECORDS))
