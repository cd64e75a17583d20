#!/usr/bin/env python3
"""stacks.py NAME OURS dwarf|- RECORDING...: how often each stack of processes of that name is there, by process and event, as perf script
has it and as OURS has it:
lines "= PROCESS/PID EVENT", then a frame a line, as stack() and ustack() print them. Prints what differs, and at the end how many are equal.

Frames are compared by module and by offset in the function, which has several names where they are aliases; of modules of which one of
both has no symbols, by module. perf prints what frame pointers lead to as far as the kernel has followed them, also where that is no
code of the process: such a tail is left out of both. dwarf: perf prints the address before the one that is returned to, and gives up
earlier, so that what it has is the beginning of what is there. One stack of a hundred may differ."""
import collections
import re
import subprocess
import sys

program, ours, is_dwarf, recordings = sys.argv[1], sys.argv[2], sys.argv[3] == "dwarf", sys.argv[4:]


def frame(module, name, delta=0):
    """(module, offset): NULL where only one of both may know the name."""
    offset = int(name.rsplit("+0x", 1)[1], 16) if "+0x" in name else 0
    return (module, None if name == "[unknown]" or name.startswith("0x") else offset + delta)


def of_perf(line, is_first):
    m = re.match(r"\s*([0-9a-f]+)(?: (.*?) \(([/[].*)\))?$", line)
    ip, name, dso = int(m[1], 16), m[2] or "[unknown]", m[3] or "[unknown]"
    if dso == "[unknown]":
        return ("?", None)
    return frame("kernel" if ip >> 63 else dso.replace(" (deleted)", "").split("/")[-1].strip("[]"), name, int(is_dwarf and not is_first and not ip >> 63))


def of_ours(line):
    module, _, name = line.strip().rpartition("`")
    return frame({"vmlinux": "kernel", "": "?"}.get(module, module), name)


def count(lines, is_head, head, frame):
    found, key, frames = collections.Counter(), None, []
    for line in lines:
        if is_head(line):
            if key:
                found[key, tuple(frames)] += 1
            key, frames = head(line), []
        elif line.strip() and not re.search(r"\b__traceiter_", line):  # of the tracing itself, where others trace, too
            frames.append(frame(line, frames))
    if key:
        found[key, tuple(frames)] += 1
    return found


def without_names(found, modules):
    out = collections.Counter()
    for (key, frames), n in found.items():
        # nothing returns to the beginning of a function: perf has found data there
        frames = [(m, None if m in modules or (i and not o) else o) for i, (m, o) in enumerate(frames)]
        while frames and frames[-1][1] is None:
            frames.pop()
        out[key, tuple(frames)] += n
    return out


def take_prefixes(theirs, mine):
    """perf gives up earlier where it walks stacks itself."""
    for (key, frames), n in list(theirs.items()):
        for (other, longer), have in list(mine.items()):
            k = min(theirs[key, frames], mine[other, longer])
            if other == key and longer[:len(frames)] == frames and k:
                theirs[key, frames] -= k
                mine[other, longer] -= k
    return sum(mine.values())


names = {}


def perf_head(line):
    m = re.match(r"\s*(.*?)\s+(-?\d+)\s+(\S+?):+\s*$", line)
    names[m[2]] = names.get(m[2], m[1]) if m[1] == ":-1" else m[1]  # of a thread that has ended
    return f"{names[m[2]]}/{m[2]} {re.sub(':[a-zA-Z]*$', '', m[3]) if m[3].count(':') != 1 else m[3]}"


def first_user(frames):
    return all(module == "kernel" for module, _ in frames)


text = ""
for recording in recordings:
    text += subprocess.run(["perf", "script", "-i", recording, "--no-inline", "--max-stack", "127", "-F", "comm,pid,event,ip,sym,symoff,dso"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")
# one that has no chain has its frame on the line itself
text = re.sub(r"^(\S.*?\s-?\d+\s+\S+?:) +([0-9a-f]+ .*\))$", r"\1\n\t\2", text, flags=re.M)
theirs = count(text.split("\n"), lambda l: l[:1] not in ("", "\t"), perf_head, lambda l, f: of_perf(l, first_user(f)))
with open(ours, encoding="utf-8", errors="replace") as f:
    mine = count(f.read().split("\n"), lambda l: l.startswith("= "), lambda l: l[2:], lambda l, f: of_ours(l))
theirs = collections.Counter({of: n for of, n in theirs.items() if of[0].startswith(program + "/")})
unnamed = {m for found in (theirs, mine) for _, frames in found for m, o in frames if o is None and m != "kernel"}
if is_dwarf:
    unnamed.add("ld-linux-x86-64.so.2")  # its first label has no size
theirs, mine = without_names(theirs, unnamed), without_names(mine, unnamed)
total, ours_total = sum(theirs.values()), sum(mine.values())
theirs, mine = theirs - mine, mine - theirs
if is_dwarf:
    take_prefixes(theirs, mine)
left = sum(theirs.values())
for what, rest in (("perf", theirs), ("ours", mine)):
    for (key, frames), n in rest.most_common(3):
        if n:
            print(f"{what} {n} x {key}:", *(f"{m}+{o}" for m, o in frames), sep="\n    ")
print("equal" if total and left <= total // 100 and ours_total == total else "different", total - left, total, ours_total)
