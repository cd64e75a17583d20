#!/usr/bin/env python3
"""What -q silences: nothing but what it silences in DTrace, and news that leave the answer whole.

    tests/messages.py

Every message of the engine says for itself whether it is a notice (session.h). Those that are stand
in this table, with the reason; any other is said with -q, too: an answer that is incomplete, or that
breakpoints made dear, must not look like a whole one.
"""

import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

DTRACE = "DTrace's -q silences it"
VERBOSE = "only with -v"
WHOLE = "nothing is missing in the answer"

NOTICES = {
    "pid %d terminated by SIG%s": DTRACE,
    "pid %d terminated by signal %d": DTRACE,
    "pid %d exited with status %d": DTRACE,
    "%s '%.*s' matched %u probe%s": DTRACE,
    "allowing destructive actions": DTRACE,
    "oneshot: %u of %u probe%s ha%s fired": WHOLE,
    "option %s has no effect: %s": WHOLE,
    "%s; running without it": VERBOSE,
    "%s works": VERBOSE,
    "%s is missing: %s; %s": VERBOSE,
    "filtered in the kernel: %u probe%s of %s: %s": VERBOSE,
    "run in the kernel: %u clause%s of %s": VERBOSE,
    "clauses of %s make records: %s": VERBOSE,
    "clauses of %s make records: the kernel refuses their program: %s": VERBOSE,
    "makes records: the clause of %s:%s:%s:%s at line %d: %s": VERBOSE,
    "makes records: the clause of %s:%s:%s:%s at line %d: %s%s%s": VERBOSE,
    # the drop messages of their CPUs have told the number
    "records were lost; they were made by the clause of %s at line %d: %s%s%s": WHOLE,
    "makes records of what its predicate lets through: the clause of %s:%s:%s:%s at line %d: %s": VERBOSE,
    # the drop messages of their CPUs have told the number
    "%llu of the drops are events that came while their own program was at work on that CPU: larger buffers do not help": WHOLE,
    "records read: %llu of perf events, %llu of BPF programs": VERBOSE,
    "%s; clauses ask themselves": WHOLE,
    "fpid: process %d had hooks of a run that was killed: they are taken out (%d mappings)": WHOLE,
    "%u function%s by a jump to another (a tail call), where arg1 is not the result yet: %s%s": VERBOSE,
    "-c runs with hooks by a preloaded library, without pid probes: %s": WHOLE,
    "events are logged to %s; clauses of frequent ones run when it is read, or now as well with -g%s": WHOLE,
    "%llu events are in %s, %llu bytes": WHOLE,
    "%s, %llu records have been dropped": WHOLE,
    # with functions that are refused it is said
    "fpid: %s%u %s%s: %u hooked, %u by breakpoint%s%s": WHOLE,
    # the drop messages of their CPUs have told the number
    "%s:%s:%s:%s: %llu hits found the ring of their thread full (-x fpidbuf, -x fpidfull=wait); the clause at line %d makes records because %s": WHOLE,
    "fpid: %llu hits stood in rings when the run was to end, more than could be taken in: they are dropped": WHOLE,
}

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
CALL = re.compile(r'session_message\([^";]*?MSG_\w+,\s*([^,";]+),\s*((?:' + STRING.pattern + r'\s*)+)', re.S)


def calls():
    """(file, is it a notice, format) of each call in the sources."""
    for room in ("command", "dlang", "providers", "tracer", "inject"):
        for folder, _, names in sorted(os.walk(os.path.join(TOP, room))):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith(".c"):
                    with open(path) as f:
                        for call in CALL.finditer(f.read()):
                            yield path, call[1].strip(), "".join(STRING.findall(call[2]))


def main():
    bad, seen, n = [], set(), 0
    for path, notice, text in calls():
        n += 1
        if notice == "false":
            if text in NOTICES:
                bad.append(f"{path}: no notice any more: take it out of the table: {text}")
            continue
        seen.add(text)
        if text not in NOTICES:
            bad.append(f"{path}: -q silences this, and no reason is known: {text}")
    bad += [f"no such message: {text}" for text in NOTICES if text not in seen]
    if n < 30:
        bad.append(f"only {n} messages found")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
