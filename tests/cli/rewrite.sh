# -E IN -o OUT.data: a recording is written anew: records are copied byte for byte, left out, changed, become those of other events; events, names
# and mappings are added. By a user without privileges.
. tests/lib/lib.sh
need python3

python3 tests/tools/perfdata.py "$TMP/m.data" || fail "no recording"
python3 tests/tools/perfdata.py "$TMP/pipe.data" pipe
records() { # records FILE: sorted: records of one time may stand in any order
	python3 tests/tools/records.py "$1" | sort
}

# ---- a copy ----
d -E "$TMP/m.data" -o "$TMP/copy.data"
ends 0 "a copy"
like "what is said" "$err" "dtrace: 11 events are in $TMP/copy.data, * bytes"
is "its records" "$(records "$TMP/copy.data")" "$(records "$TMP/m.data")"
is "its events and what it says of itself" "$(python3 tests/tools/records.py "$TMP/copy.data" head)" "$(python3 tests/tools/records.py "$TMP/m.data" head)"
is "whose it is" "$(stat -c '%a' "$TMP/copy.data")" 600
"$DTRACE" -qE - -o "$TMP/piped.data" <"$TMP/pipe.data" 2>/dev/null
is "of a pipe" "$? $(records "$TMP/piped.data")" "0 $(records "$TMP/m.data")"
if command -v zstd >/dev/null; then
	python3 tests/tools/perfdata.py "$TMP/zstd.data" zstd
	d -qE "$TMP/zstd.data" -o "$TMP/unpacked.data"
	is "of what was compressed" "$? $(records "$TMP/unpacked.data")" "0 $(records "$TMP/m.data")"
fi
dump() { # dump FILE
	"$DTRACE" -qE "$1" 2>/dev/null
}
is "it reads as the first" "$(dump "$TMP/copy.data")" "$(dump "$TMP/m.data")"
d -E "$TMP/m.data" -o "$TMP/lines.txt"
is "any other name is that of lines" "$? $(tail -n +2 "$TMP/lines.txt")" "0 $(dump "$TMP/m.data")"
d -E "$TMP/m.data" -o "$TMP/copy.data"
ends 1 "a file is never written over"
like "a file is never written over" "$err" "dtrace: cannot create $TMP/copy.data: File exists"
d -qE "$TMP/m.data" -o "$TMP/p.data" -n 'BEGIN { printf("begins\n"); } tick-10ms { n++; } END { printf("%d\n", n); }'
is "what a program prints" "$? $out" "0 begins
2"
is "which changes nothing" "$(records "$TMP/p.data")" "$(records "$TMP/m.data")"

# ---- several files ----
python3 tests/tools/perfdata.py "$TMP/o.data" other
d -qE "$TMP/m.data,$TMP/o.data" -o "$TMP/both.data"
ends 0 "two machines"
d -qE "$TMP/m.data,$TMP/o.data" -n 'linux-demo:::message { printf("%d %s %d\n", timestamp, execname, args[0]->number); } syscall:::entry { printf("%d %s\n", timestamp, probefunc); }'
of_two=$out
d -qE "$TMP/both.data" -n 'linux-demo:::message { printf("%d %s %d\n", timestamp, execname, args[0]->number); } syscall:::entry { printf("%d %s\n", timestamp, probefunc); }'
is "two machines in one file" "$out" "$of_two"
d -qE "$TMP/m.data,$TMP/m.data" -o "$TMP/twice.data"
is "a file twice" "$(dump "$TMP/twice.data" | wc -l)" "$(($(dump "$TMP/m.data" | wc -l) * 2))"

# ---- what clauses do ----
cat >"$TMP/change.d" <<'END'
syscall::read:entry { drop(); }
linux-demo:::message /args[0]->number == 7/ { args[0]->number += 35; args[0]->text = "a text that is longer than it was"; }
linux-demo:::message { printf("%d %s\n", args[0]->number, stringof(args[0]->text)); }
linux-demo:::message /args[0]->number == -1/ { args[0]->text = "m"; reparent("made_up:told"); execname = "delta"; cpu = 0; }
linux-sched:::sched_switch { args[0]->next_comm = "somebody with a long name"; }
sched:::off-cpu { emit("left", pid, execname, args[0]->pr_lwpid); }
emit:::left /args[0] == 200/ { drop(); }
proc:::exec-success { execname = "epsilon"; }
END { emit("end", 5); }
END
d -qE "$TMP/m.data" -o "$TMP/changed.data" -s "$TMP/change.d"
ends 0 "changes"
is "later clauses see them" "$out" "42 a text that is longer than it was
-1 minus one"
is "the lines of it" "$(dump "$TMP/changed.data" | sed 's/  */ /g; s/^ //; s/ [0-9]* dtrace.[0-9]* dtrace:emit_end/ dtrace:emit_end/')" '5.002000000 0 alpha/100 raw_syscalls:sys_enter id=1 args=[4,0,0,0,0,0]
5.003000000 1 beta/200 demo:message number=42 text="a text that is longer than it was"
5.004000000 0 alpha/100 cpu-clock ip=0xffffffff81000010
5.004500000 1 beta/200 cpu-clock ip=0x700010
5.006500000 1 beta/200 sched:sched_switch prev_comm="prev" prev_pid=200 prev_state=0 next_comm="somebody with a " next_pid=0 next_prio=120
5.007000000 0 epsilon/300 raw_syscalls:sys_enter id=59 args=[0,0,0,0,0,0]
5.008000000 0 epsilon/300 sched:sched_switch prev_comm="prev" prev_pid=300 prev_state=1 next_comm="somebody with a " next_pid=100 next_prio=120
5.008000000 0 epsilon/300 dtrace:emit_left pid=300 execname="gamma" arg2=100
5.012000000 0 delta/200 made_up:told number=-1 text="m"
5.025000000 dtrace:emit_end arg0=5'
d -qE "$TMP/changed.data" -n 'linux-made_up:::told { printf("%s %s %d ", execname, stringof(args[0]->text), cpu); } emit:::left { printf("%d %s", args[0], args[1]); }'
is "probes of it" "$out" "300 gamma""delta m 0 "
d -qE "$TMP/m.data" -o "$TMP/named.data" -n 'linux-demo:::message /args[0]->number == 7/ { execname = "zeta"; }'
is "others of its events have its own name" "$("$DTRACE" -qE "$TMP/named.data" -n 'profile-97, linux-demo:::message { printf("%s %d\n", execname, cpu); }')" "zeta 1
alpha 0
beta 1
beta 1"
d -qE "$TMP/m.data" -o "$TMP/cut.data" -n 'linux-demo:::message { exit(0); }'
is "exit() ends it behind that record" "$(dump "$TMP/cut.data" | tail -n 1 | grep -c 'demo:message')" 1

# ---- what cannot be ----
d -E "$TMP/m.data" -o "$TMP/e1.data" -n 'BEGIN { drop(); }'
like "nothing to drop in BEGIN" "$err" "*illegal operation*"
d -E "$TMP/m.data" -o "$TMP/e2.data" -n 'linux-demo:::message { args[0]->nosuch = 1; }'
ends 1 "no such field"
[ ! -e "$TMP/e2.data" ] || fail "a program that does not compile leaves a file"
d -E "$TMP/m.data" -o "$TMP/e3.data" -n 'linux-demo:::message { *((char *)args[0] + 100000) = 1; }'
like "behind the record" "$err" "*invalid address*"
is "behind the record: it is as it was" "$(records "$TMP/e3.data")" "$(records "$TMP/m.data")"
d -E "$TMP/m.data" -n 'linux-demo:::message { args[0]->number = 1; }'
like "nothing is written" "$err" "*invalid address*"
d -E "$TMP/m.data" -n 'linux-demo:::message { execname = "x"; }'
like "execname where nothing is written" "$err" "*can only be applied to a writable variable*"
head -c 1200 "$TMP/m.data" >"$TMP/short.data"
d -E "$TMP/short.data" -o "$TMP/good.data"
ends 1 "of a file that is cut"
like "of a file that is cut" "$err" "*it is cut off at offset *"
python3 tests/tools/records.py "$TMP/good.data" >"$TMP/cutrecords" || fail "of a file that is cut: what was written is not whole"
python3 tests/tools/records.py "$TMP/m.data" >"$TMP/all"
grep -vxFf "$TMP/all" "$TMP/cutrecords" && fail "of a file that is cut: records that it never had"
d -x strict -E "$TMP/short.data" -o "$TMP/none.data"
ends 1 "-x strict"
[ ! -e "$TMP/none.data" ] || fail "-x strict leaves a file"

# ---- mappings ----
for bad in "$TMP/m.data" "$TMP/m.data@" "@0x1000" "$TMP/m.data@0x1001" "$TMP/m.data@0x1000," "$TMP/m.data@0x1000,-1" "$TMP/m.data@0x1000,1x" "$TMP/m.data@ffffffffffffffffffff" "$TMP/none@0x1000" "$TMP@0x1000"; do
	d -E "$TMP/m.data" -o "$TMP/bad.data" -x addmap="$bad"
	ends 1 "-x addmap=$bad"
	like "-x addmap=$bad" "$err" "dtrace: -x addmap: *"
	[ ! -e "$TMP/bad.data" ] || fail "-x addmap=$bad leaves a file"
done
d -E "$TMP/m.data" -x addmap="$TMP/m.data@0x1000"
ends 2 "-x addmap without -o"
d -qE "$TMP/m.data" -o "$TMP/mapped.data" -x addmap="$TMP/m.data@0x900000" -x addmap="$TMP/pipe.data@0xa00000,300"
python3 tests/tools/records.py "$TMP/mapped.data" | grep -vxFf "$TMP/all" >"$TMP/added"
is "three processes have the first, one of them the second" "$(grep -c "$(printf m.data | od -An -tx1 | tr -d ' \n')00" "$TMP/added") $(grep -c "$(printf pipe.data | od -An -tx1 | tr -d ' \n')00" "$TMP/added")" "3 1"
if command -v gcc >/dev/null; then
	cat >"$TMP/plugin.s" <<'END'
	.text
	.balign 4096
	.skip 16
	.globl plugin_code
	.type plugin_code, @function
plugin_code:
	nop
	ret
	.size plugin_code, .-plugin_code
END
	gcc -nostdlib -shared -Wl,--build-id -o "$TMP/plugin.so" "$TMP/plugin.s" || fail "no plugin"
	at=$(readelf -sW "$TMP/plugin.so" | awk '$8 == "plugin_code" { print $2; exit }')
	d -qE "$TMP/m.data" -o "$TMP/plugin.data" -x addmap="$TMP/plugin.so@$(printf '0x%x' $((0x700010 - 0x$at))),200"
	d -qE "$TMP/plugin.data" -n 'profile-97 /pid == 200/ { usym(arg1); }'
	is "names of a plugin" "$(echo "$out" | tr -d ' \n')" 'plugin.so`plugin_code'
fi
finish
