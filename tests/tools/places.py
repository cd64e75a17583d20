"""The places where a clause can run, and one program in each of them: for fuzz-places and golden-places.

The functions and the system calls of tests/targets/places.c have the same names and the same arguments. So a
program about them can be asked at breakpoints (pid), in the target and of its records (fpid with and without
-x claim=off), in the kernel and of its records (syscall, likewise). In a program PROBE stands for the
function or the call, and MINE for what its predicate has to say so that the calls of others do not count.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

PLACES = [("pid", "on"), ("fpid", "on"), ("fpid", "off"), ("syscall", "on"), ("syscall", "off")]
LATE = ": the thread had ended, or executed another program, before this was read"
LINGER_MS = 100  # what records do not carry of a process's memory is read while it is there


def at(text, prov):
    probe = "syscall::io_cancel" if prov == "syscall" else f"{prov}$target:a.out:io_cancel"
    return text.replace("PROBE", probe).replace("MINE", "pid == $target")


def same(err):
    """What is said of a probe says also which it is; addresses of the engine's own memory differ, and so does how fast
    something goes, and on which CPU."""
    err = re.sub(r"\(ID \d+: \S*:(entry|return)\)", r"(PROBE:\1)", err)
    err = re.sub(r"\(0x[0-9a-f]*2a00[0-9a-f]{8}\)", "(0xARENA)", err)
    err = re.sub(r"(?m)^dtrace: (fpid|explain): .*\n", "", err)
    err = re.sub(r"(drops?) on CPU \d+", r"\1 on CPU N", err)
    err = err.replace(LATE, "")
    return re.sub(r"(probe|enabled probe) ID \d+", r"\1 ID N", err)


class Runner:
    """Runs programs; `folder` is scratch space."""

    def __init__(self, dtrace, target, folder, more=()):
        self.dtrace, self.target, self.more = os.path.abspath(dtrace), os.path.abspath(target), list(more)
        self.file = os.path.join(folder, "p.d")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("DTRACE_OPT_")}
        self.env.update(LC_ALL="C", TZ="UTC0", _DTRACE_TESTING="1", ASAN_OPTIONS="detect_leaks=0")

    def command(self, prov, claim, calls, linger_ms, options, operands=()):
        argv = [self.dtrace, "-x", f"claim={claim}", "-x", "fpidfull=wait", *self.more, *options]
        if prov == "syscall":
            argv += ["-x", "evaltime=exec"]
        linger = f" 1 {linger_ms}" if linger_ms else ""
        return argv + ["-s", self.file, "-c", f"{self.target} {calls}{linger}", *operands]

    def run(self, text, place, calls=100, options=("-q",), operands=(), **how):
        """(status, output, errors) of the program in that place."""
        with open(self.file, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(at(text, place[0]))
        reads = place[0] == "syscall" and re.search(r"arg1|copyin|\*\(|\(string\)|stringof", text)
        how = {"env": self.env, "stdin": subprocess.DEVNULL, **how}
        for linger_ms in (LINGER_MS, 20 * LINGER_MS) if reads else (0,):
            argv = self.command(*place, calls, linger_ms, options, operands)
            try:
                p = subprocess.run(argv, capture_output=True, timeout=60, check=False, **how)
            except subprocess.TimeoutExpired as e:
                return "timed out", e.stdout or b"", (e.stderr or b"").decode("utf-8", "replace")
            err = p.stderr.decode("utf-8", "backslashreplace")
            if LATE not in err:
                break
        return p.returncode, p.stdout, same(err)

    def places(self, text, place, calls=100):
        """[{"description", "line", "place", "why"...}] of its clauses, and how many records were read or hits
        recorded, as far as the command tells it."""
        _, _, err = self.run(text, place, calls, ("-v", "-x", "explain=json", "-o", "/dev/null"))
        told = [json.loads(l) for l in err.split("\n") if l.startswith('{"explain"')]
        read = re.search(r"records read: \d+ of perf events, (\d+) of BPF programs", err)
        after = [t for t in told if t["explain"] == "after"]
        return ([t for t in told if t["explain"] == "clause"], int(read.group(1)) if read else None,
                after[0] if after else None, err)


def first_difference(a, b):
    a, b = a.split("\n"), b.split("\n")
    for i in range(max(len(a), len(b))):
        x, y = a[i] if i < len(a) else "<nothing>", b[i] if i < len(b) else "<nothing>"
        if x != y:
            return f"line {i + 1}:\n  - {x[:500]}\n  + {y[:500]}"
    return "none"


def difference(want, got):
    """What differs of two (status, output, errors), as text."""
    out = []
    for name, a, b in zip(("status", "output", "errors"), want, got):
        a, b = (str(v) if not isinstance(v, bytes) else v.decode("utf-8", "backslashreplace") for v in (a, b))
        if a != b:
            out.append(f"{name}, {first_difference(a, b)}")
    return "\n".join(out)


def main():
    """Programs of standard input, one a paragraph, in all places, or those of the providers that are named: status 1 if
    one of them is not the same in all."""
    places = [p for p in PLACES[1:] if p[0] in sys.argv[1:] or not sys.argv[1:]]
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(os.environ["DTRACE"], os.path.join(os.environ["TARGETS"], "places"), folder)
        for text in re.split(r"\n\n+", sys.stdin.read().strip()):
            want = runner.run(text, PLACES[0])
            if want[0] != 0:
                print(f"status {want[0]} of\n{text}\n{want[2]}")
                differ = 1
            for place in places:
                got = runner.run(text, place)
                if got != want:
                    print(f"{place} is not as {PLACES[0]}:\n{at(text, place[0])}\n{difference(want, got)}")
                    differ = 1
    return differ


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main())
