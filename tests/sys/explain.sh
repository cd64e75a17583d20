# -x explain: of clauses on the kernel's events where they run, why, and what to write instead.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# explained CLAUSES EXPECTED: a line for each description of a clause
explained() {
	d -x explain -n "$1" -o /dev/null -c true
	ends 0 "$1"
	is "$1" "$(echo "$err" | sed -n 's/.*explain: the clause of //p' | sort)" "$2"
}

latency='syscall:::entry { self->t = timestamp; } syscall:::return /self->t/ { @[probefunc] = quantize(timestamp - self->t); self->t = 0; }'
explained "$latency" 'syscall:::entry at line 1: is kept in the kernel
syscall:::return at line 1: is kept in the kernel'
explained 'sched:::off-cpu { self->t = timestamp; } sched:::on-cpu /self->t/ { @[stack()] = sum(timestamp - self->t); self->t = 0; }' \
	'sched:::off-cpu at line 1: is kept in the kernel
sched:::on-cpu at line 1: is kept in the kernel'
explained 'sched:::off-cpu { n++; @[ustack()] = count(); }' \
	'sched:::off-cpu at line 1: makes records: a user stack as key, which is found by memory of the process; instead: stack()'
explained 'syscall::read:entry,syscall::write:entry { n = 10 / arg2; }' \
	'syscall::read:entry at line 1: makes records: a division by what may be 0; instead: divide by a constant
syscall::write:entry at line 1: makes records: a division by what may be 0; instead: divide by a constant'

d -n "$latency" -o /dev/null -c true
case $err in *"explain:"*) fail "unasked: $err" ;; esac

d -x explain=json -n 'syscall::read:entry { n = vtimestamp; } syscall::close:entry { m++; @[arg0 + 1] = count(); }' -o /dev/null -c true
ends 0 "JSON"
echo "$err" | grep '^{' >"$TMP/json"
is "JSON" "$(python3 - "$TMP/json" <<'P'
import json, sys
for x in sorted((json.loads(line) for line in open(sys.argv[1])), key=lambda x: x["place"]):
    print(x["explain"], x["description"], x["line"], x["place"], x.get("why"), "instead" in x)
P
)" 'clause syscall::close:entry 1 kernel None False
clause syscall::read:entry 1 records a built-in variable that the program does not know True'
finish
