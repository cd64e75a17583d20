#!/usr/bin/env python3
"""stacks.py OURS dwarf|- RECORDING...: does each event of recordings have the stack that perf script has for it?

OURS: a line "= EVENT PID/TID NANOSECONDS" for each, frames as stack() prints them, a line "user", and frames as ustack() prints them.
Prints what differs, and at the end "equal" or "different", how many events have equal stacks, and how many there are.

Frames are compared by module and by their offset in the function, which has several names where they are aliases; where only one of
both has a name, by module. Where perf has more, another witness decides, by the first frame that is only perf's: the mappings (it lies
in none), or the bytes of the file (no call stands in front of it, so that nothing returns there). perf prints no frame at all of a chain
in which the frame pointer led to a number that is taken for a mark; perf script -D shows that. dwarf: perf prints the address before
the one that is returned to, and walks less far; only what frames it has for the same place are compared here."""
import collections
import re
import struct
import subprocess
import sys

ours, is_dwarf, recordings = sys.argv[1], sys.argv[2] == "dwarf", sys.argv[3:]
MARKS = {2**64 - n for n in (32, 128, 512, 2048, 2176, 2560)}  # PERF_CONTEXT_HV ...
NO_TIME = "0"
TRACING = "__traceiter_"  # of the tracing itself, where others trace, too
CALLS = re.compile(rb".*(\xe8.{4}|\xff[\x10-\x13\x16\x17\xd0-\xd7]|\xff[\x50-\x53\x55-\x57].|\xff[\x90-\x93\x95-\x97\x15].{4}"
                   rb"|\xff\x14.|\xff\x54..|\xff\x94.{5})\Z", re.S)

Frame = collections.namedtuple("Frame", "module offset ip path")  # offset: None: no name


def offset_of(name):
    return int(name.rsplit("+0x", 1)[1], 16) if "+0x" in name else 0


def of_perf(line, is_returned_to):
    m = re.match(r"\s*([0-9a-f]+)(?: (.*?) \(([/[].*)\))?$", line)
    ip, name, path = int(m[1], 16), m[2] or "[unknown]", m[3] or "[unknown]"
    if path in ("[unknown]", "//anon") or (path.startswith("[") and path not in ("[vdso]", "[vsyscall]") and not ip >> 63):
        return Frame("?", None, ip, None)
    module = "kernel" if ip >> 63 else re.sub(r"^perf-\d+\.map$", "jit", path.replace(" (deleted)", "").split("/")[-1].strip("[]"))
    named = None if name == "[unknown]" else offset_of(name) + int(is_dwarf and is_returned_to)
    return Frame(module, named, ip, path)


def of_ours(line, is_user):
    module, _, name = line.strip().rpartition("`")
    module = {"": "?", "[vdso]": "vdso"}.get(module, module) if is_user else "kernel"
    return Frame(module, None if name.startswith(("0x", "sub_")) else offset_of(name), None, None)


def read_ours(path):
    found, frames, is_user = collections.defaultdict(list), [], False
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.startswith("= "):
                frames, is_user = [], False
                event, thread, time = line.split()[1:4]
                found[event, thread, time if has_times else NO_TIME].append(frames)
            elif line == "user\n":
                is_user = True
            elif line.strip() and TRACING not in line:
                frames.append(of_ours(line, is_user))
    return found


def script(recording, *options):
    return subprocess.run(["perf", "script", "-i", recording, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")


def read_perf(recording, found):
    """Events and frames: PID/TID, TIME if there is one, EVENT, and on the line itself the frame of what has no chain."""
    options = ["--ns", "--no-inline", "--max-stack", "127", "-F"]
    text = script(recording, *options, "pid,tid,time,event,ip,sym,symoff,dso") or script(recording, *options, "pid,tid,event,ip,sym,symoff,dso")
    for line in text.split("\n"):
        m = line[:1] != "\t" and re.match(r"\s*(-?\d+/-?\d+)\s+(?:(\d+)\.(\d{9}): )?\s*(\S+?):+\s*([0-9a-f]+ .*)?$", line)
        if m:
            event = re.sub(":[a-zA-Z]+$", "", m[4]) if m[4].count(":") != 1 or "-" in m[4] else m[4]
            frames = []
            found[event, m[1], str(int(m[2] + m[3])) if m[2] else NO_TIME].append(frames)
            line = m[5] or ""
        if line.strip() and TRACING not in line:
            frames.append(of_perf(line, any(f.module != "kernel" for f in frames)))


def with_odd_marks(recording):
    """Thread and time of the samples whose chain has a number that looks like a mark and is none."""
    odd, at = set(), None
    for line in script(recording, "-D").split("\n"):
        m = re.match(r"(?:\S+ )?(\d+) 0x\S+ \[\S+\]: PERF_RECORD_SAMPLE.*?: (\d+/\d+): ", line)
        if m:
            at = (m[2], m[1])
        m = re.match(r"\.+\s+\d+: ([0-9a-f]{16})$", line)
        if m and at and int(m[1], 16) >= 2**64 - 4095 and int(m[1], 16) not in MARKS:
            odd.add(at)
    return odd


def code_before(path, vaddr):
    """The bytes in front of that address of an ELF file; None: it cannot be read."""
    try:
        with open(path, "rb") as f:
            head = f.read(64)
            if head[:4] != b"\x7fELF":
                return None
            at, size, n = struct.unpack_from("<Q", head, 32)[0], *struct.unpack_from("<HH", head, 54)
            for i in range(n):
                f.seek(at + i * size)
                kind, _, offset, start, _, length = struct.unpack_from("<IIQQQQ", f.read(56))
                if kind == 1 and start + 7 <= vaddr <= start + length:
                    f.seek(offset + vaddr - 7 - start)
                    return f.read(7)
    except (OSError, struct.error):
        pass
    return None


def returns_there(f):
    if f.path is None or (f.path == "[vdso]" and f.offset is None):
        return False
    code = code_before(f.path, f.ip)
    return code is None or CALLS.match(code)


def are_same(a, b):
    return a.module == b.module and (a.offset == b.offset or None in (a.offset, b.offset))


def why_not(key, mine, theirs):
    """None: they are one."""
    if is_dwarf:
        while theirs and theirs[-1].path is None:
            theirs = theirs[:-1]
        n = min(len(mine), len(theirs))
        n = next((i for i in range(n) if theirs[i].module != "kernel"), n - 1) + 1  # the kernel's, and where the program was
        mine, theirs = mine[:n], theirs[:n]
    if not theirs and mine:
        odd_marks.update(*map(with_odd_marks, recordings if not odd_marks else []))
        return None if key[1:] in odd_marks else "perf has none"
    if len(theirs) < len(mine):
        return "perf has fewer"
    if not all(are_same(a, b) for a, b in zip(mine, theirs)):
        return "they differ"
    if len(theirs) > len(mine) and returns_there(theirs[len(mine)]):
        return "perf has more"
    return None


expected, odd_marks = collections.defaultdict(list), set()
for name in recordings:
    read_perf(name, expected)
has_times = any(key[2] != NO_TIME for key in expected)
got = read_ours(ours)
kinds = {key[0] for key in got}
wrong = collections.Counter()
nequal = total = 0
for key in sorted(set(got) | {k for k in expected if k[0] in kinds}):
    stacks, truth = got.get(key, []), expected.get(key, [])
    total += max(len(stacks), len(truth))
    if len(stacks) != len(truth):
        wrong["events"] += 1
        print(f"{key}: {len(stacks)} events, and {len(truth)} of perf")
    for a, b in zip(stacks, truth):
        reason = why_not(key, a, b)
        nequal += not reason
        if reason:
            wrong[reason] += 1
        if reason and wrong[reason] <= 2:
            print(f"{key}: {reason}", *(f"    {f.module}+{f.offset}" for f in a), "  perf", *(f"    {f.module}+{f.offset} {f.ip:x}" for f in b), sep="\n")
print("different" if wrong or not total else "equal", nequal, total)
