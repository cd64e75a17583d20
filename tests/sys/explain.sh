# -x explain: of each clause where it runs, why, and what to write instead: one line for all of its descriptions.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# explained CLAUSES EXPECTED [OPTION...]: a line for each clause, and each place of its probes
explained() {
	clauses=$1 want=$2
	shift 2
	d -x explain "$@" -n "$clauses" -o /dev/null -c true
	ends 0 "$clauses"
	is "$clauses" "$(echo "$err" | sed -n 's/.*explain: the clause of //p' | sort)" "$want"
}

latency='syscall:::entry { self->t = timestamp; } syscall:::return /self->t/ { @[probefunc] = quantize(timestamp - self->t); self->t = 0; }'
explained "$latency" 'syscall:::entry at line 1: is kept in the kernel
syscall:::return at line 1: is kept in the kernel'
explained 'sched:::off-cpu { self->t = timestamp; } sched:::on-cpu /self->t/ { @[stack()] = sum(timestamp - self->t); self->t = 0; }' \
	'sched:::off-cpu at line 1: is kept in the kernel
sched:::on-cpu at line 1: is kept in the kernel'
explained 'sched:::off-cpu { n++; @[ustack()] = count(); }' \
	'sched:::off-cpu at line 1: makes records: a user stack as key, which is found by memory of the process; instead: -x ustackunwind=off, which finds it by frame pointers, or stack()'
explained 'syscall::read:entry,syscall::write:entry { n = 10 / arg2; }' \
	'syscall::read:entry,syscall::write:entry at line 1: makes records: a division by what may be 0; instead: divide by a constant'

HAND='it aggregates by more than is at hand at its events; instead: count(), sum() or quantize() by names of the probe, pid, tid, execname, arguments and constants'
NUMBERS='events of this provider can be counted, and no more than that; instead: @[keys] = count() by names of the probe and constants'
RECORDS='it records or acts; instead: aggregate (@[keys] = ...), or let the predicate say which events are to be seen'

# what no program of its own is written for
explained 'syscall::read:entry,syscall::write:entry { @[probefunc] = count(); }' 'syscall::read:entry,syscall::write:entry at line 1: is counted in the kernel'
explained 'syscall::read:entry { @[execname, arg0] = count(); }' 'syscall::read:entry at line 1: is kept in the kernel'
explained 'fsinfo:::read { @[execname] = count(); }' 'fsinfo:::read at line 1: is counted in the kernel'
explained 'reg:::query { @[vtimestamp] = count(); }' "reg:::query at line 1: makes records: $HAND"
explained 'fsinfo:::read { n++; }' 'fsinfo:::read at line 1: is kept in the kernel'
explained 'fsinfo:::read { n = args[0]->fi_extinfo; }' 'fsinfo:::read at line 1: makes records: a member of args[] that the program does not know'
explained 'reg:::query { n++; }' 'reg:::query at line 1: makes records: it has variables, which are not kept at the events of this provider; instead: aggregate (@[keys] = ...) by what is at hand at the event'
explained 'fsinfo:::read /errno == 3/ { @ = count(); }' 'fsinfo:::read at line 1: makes records: its predicate asks for what is not known at its events; instead: pid, tid, execname or arguments, compared with constants'
explained 'pf:::dzero_flt { @[execname] = count(); }' 'pf:::dzero_flt at line 1: is kept in the kernel'
explained 'udp:::send { @[probename] = count(); }' 'udp:::send at line 1: is counted in the kernel'
explained 'udp:::send { @[pid] = count(); }' 'udp:::send at line 1: is kept in the kernel'
explained 'rawtp:::sched_switch { @ = count(); } rawtp:::sched_wakeup { @b[arg0] = count(); }' "rawtp:::sched_switch at line 1: is counted in the kernel
rawtp:::sched_wakeup at line 1: makes records: $NUMBERS"
explained 'linux-sched:::sched_switch { @ = count(); } linux-sched:::sched_wakeup { trace(1); }' "linux-sched:::sched_switch at line 1: is counted in the kernel
linux-sched:::sched_wakeup at line 1: makes records: $RECORDS"
explained 'profile-97,linux-sched:::sched_switch { @ = count(); }' \
	':::profile-97 at line 1, 1 probe: makes records: each sample is a record: programs see none of idle CPUs and of those where another is at work
linux-sched:::sched_switch at line 1, 1 probe: is counted in the kernel'
explained 'profile-97 { @ = count(); }' ':::profile-97 at line 1: makes records: each sample is a record: programs see none of idle CPUs and of those where another is at work'
explained 'pmc:::page-faults { @ = count(); }' 'pmc:::page-faults at line 1: is counted in the kernel'
explained 'pmc:::page-faults { @[vtimestamp] = count(); }' "pmc:::page-faults at line 1: makes records: $HAND"
explained 'proc:::exec { @ = count(); }' 'proc:::exec at line 1: is kept in the kernel'
explained 'BEGIN,END,tick-1s { }' ':::BEGIN,:::END,:::tick-1s at line 1: runs in the engine, which makes its events'
# another clause of its probe
explained 'fsinfo:::read { trace(1); } fsinfo:::read { @ = count(); }' "fsinfo:::read at line 1: makes records: $RECORDS
fsinfo:::read at line 1: makes records: what others use shares its variables or its probes; instead: variables of its own, and no other clause on its probes that records"
# a clause with `if`: that a piece shares its variables with the piece that records is no reason
explained 'syscall::read:entry { if (arg2 > 10) { trace(arg2); } else { @[arg0] = count(); } }' "syscall::read:entry at line 1: makes records: $RECORDS"
# claims are forbidden
explained 'syscall::read:entry { @ = count(); } sched:::on-cpu { n++; }' 'sched:::on-cpu at line 1: makes records: -x claim=off says so
syscall::read:entry at line 1: makes records: -x claim=off says so' -x claim=off
like "a line for all" "$err" '*explain: -x claim=off keeps every clause in the engine: *'

# listed CLAUSES PROBE EXPECTED: what -lv says of the clauses of a probe, and nothing else
listed() {
	rm -f "$TMP/list"
	d -lvn "$1" -o "$TMP/list"
	ends 0 "-lv $1"
	is "-lv $1" "$(sed -n "/ $2\$/,\$p" "$TMP/list" | sed -n '/^.Clauses$/,/^$/p' | sed '/^$/q' | sed -n 's/^..line/line/p')" "$3"
	is "-lv $1: standard error" "$err" ""
}

listed "$latency" 'read *entry' 'line 1: is kept in the kernel'
listed 'syscall::read:entry { @[probefunc] = count(); } syscall::read:return { trace(1); }' 'read *entry' 'line 1: is counted in the kernel'
listed 'sched:::off-cpu { @[ustack()] = count(); n++; }' 'off-cpu *' 'line 1: makes records: a user stack as key, which is found by memory of the process; instead: -x ustackunwind=off, which finds it by frame pointers, or stack()'
# what is too long for the kernel is known before anything runs
# shellcheck disable=SC2046 # words
many=$(for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26; do echo "@k$n[stack(110)] = count();"; done)
listed "syscall::read:entry { $(echo $many) }" 'read *entry' 'line 1: makes records: too many instructions; instead: fewer clauses, or shorter ones'
listed 'sched:::off-cpu { n++; }' 'off-cpu *' 'line 1: is kept in the kernel'
listed 'io:::start { @[args[0]->b_bcount] = count(); self->x = 1; }' 'start *' 'line 1: makes records: a variable of a thread, which may not be the one that runs; instead: an array by arg0, or by what names the event'
listed 'fsinfo:::read { trace(1); }' 'read *' "line 1: makes records: $RECORDS"
listed 'profile-97 { @ = count(); }' 'profile-97 *' 'line 1: makes records: each sample is a record: programs see none of idle CPUs and of those where another is at work'
listed 'rawtp:::sched_switch { @ = count(); }' 'sched_switch *' 'line 1: is counted in the kernel'
listed 'tick-1s { trace(1); }' 'tick-1s *' 'line 1: runs in the engine, which makes its events'
listed 'syscall::read:entry' 'read *entry' ''

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
