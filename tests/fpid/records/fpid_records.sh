# Hits recorded in the target: the same answers as by breakpoints, and nothing is lost or torn.
# needs: user
# timeout: 300
. tests/lib/lib.sh

hooked() { # hooked WHAT: the last d had hooks only
	like "$1: hooked" "$err" "*fpid: * hooked, 0 by breakpoint*"
}

# one script by both ways, on one program
both() { # both WHAT CLAUSES COMMAND: PROV in the clauses is pid and then fpid; recurse:return has no room
	d -n "$(printf '%s' "$2" | sed 's/PROV/pid/g')" -q -c "$3"
	ends 0 "$1 by breakpoints"
	want=$(echo "$out" | sort)
	d -n "$(printf '%s' "$2" | sed 's/PROV/fpid/g')" -c "$3"
	ends 0 "$1 by records"
	case $2 in *recurse:return* | *::return*) ;; *) hooked "$1" ;; esac
	d -x claim=off -n "$(printf '%s' "$2" | sed 's/PROV/fpid/g')" -q -c "$3"
	is "$1" "$(echo "$out" | sort)" "$want"
}
both "arguments" 'PROV$target:a.out:six:entry { @[arg0 + arg1 + arg2 + arg3 + arg4 + arg5] = count(); }
	PROV$target:a.out:six:entry /arg0 % 7 == 3/ { @stack[arg6] = sum(arg0); }' "$TARGETS/t 500 3 quiet"
both "variables" 'PROV$target:a.out:work:entry { self->n = arg0; g++; }
	PROV$target:a.out:leaf:entry /self->n && arg0 < 50/ { a[arg0, tid] = arg0; @[arg0] = sum(self->n - arg0); }
	END { printf("%d\n", g); }' "$TARGETS/t 300 4 quiet"
both "aggregations" 'PROV$target:a.out:leaf:entry { @q = quantize(arg0); @l = lquantize(arg0, 0, 300, 20);
	@a = avg(arg0); @m = max(arg0); @n = min(arg0); @d = stddev(arg0); }' "$TARGETS/t 1000 2 quiet"
both "order and registers" 'PROV$target:a.out:branchy:entry, PROV$target:a.out:leaf:entry
	{ printf("%s %d %d %d %s\n", probefunc, arg0, uregs[R_RDI], uregs[R_RIP] & 0xfff, execname); }' "$TARGETS/t 50 1 quiet"
both "what registers lead to" 'PROV$target:a.out:lead:entry { printf("%s %s %s %s %s %s %s %s\n", copyinstr(uregs[R_R15]),
	copyinstr(uregs[R_R14]), copyinstr(uregs[R_R13]), copyinstr(uregs[R_R12]), copyinstr(uregs[R_RBP]), copyinstr(uregs[R_RBX]),
	stringof(copyin(uregs[R_R11], 4)), copyinstr(uregs[R_R10])); }' "$TARGETS/regtexts 30"
is "the first registers" "$(echo "$out" | sort -u)" "r15 r14 r13 r12 rbp rbx r11 r10"
both "what others lead to" 'PROV$target:a.out:lead:entry { printf("%s %s %s %s %s %s %s\n", copyinstr(uregs[R_R9]), copyinstr(uregs[R_R8]),
	copyinstr(uregs[R_RAX]), copyinstr(uregs[R_RCX]), copyinstr(uregs[R_RDX]), copyinstr(uregs[R_RSI]), copyinstr(uregs[R_RDI]));
	@[*(uint64_t *)copyin(uregs[R_RSP], 8) == ucaller] = count(); }' "$TARGETS/regtexts 30"
is "the other registers" "$(echo "$out" | sort -u | tr -s ' \n' ' ')" " 1 30 r9 r8 rax rcx rdx rsi rdi "
both "returns" 'PROV$target:a.out:branchy:return, PROV$target:a.out:tail:return, PROV$target:a.out:leaf:return,
	PROV$target:a.out:recurse:return { @[probefunc, arg0, arg1] = count(); @c[ufunc(ucaller)] = count(); }' "$TARGETS/t 120 2 quiet"
both "calls" 'PROV$target:a.out:work:entry { self->d = 0; self->t = timestamp; }
	PROV$target:a.out:recurse:entry { self->d++; } PROV$target:a.out:recurse:return { self->d--; @[probefunc, self->d] = count(); }
	PROV$target:a.out:work:return /self->t/ { @[probefunc, self->d] = count(); @t[timestamp >= self->t] = count(); }
	PROV$target:a.out::return { @n[probefunc] = count(); }' "$TARGETS/t 300 3 quiet"
both "callers and ids" 'PROV$target:a.out:leaf:entry { @[pid == $target, tid == $target, ppid > 0, ufunc(ucaller)] = count();
	@c[caller == ucaller] = count(); }' "$TARGETS/t 200 1 quiet"
both "speculation" 'PROV$target:a.out:work:entry { self->s = speculation(); speculate(self->s); printf("work %d\n", arg0); }
	PROV$target:a.out:six:entry /self->s && arg0 == 20/ { commit(self->s); self->s = 0; }' "$TARGETS/t 100 1 quiet"
both "what faults" 'PROV$target:a.out:six:entry /arg0 == 20/ { trace(arg0 / (arg0 - 20)); } ERROR { printf("error %d", arg4); }' \
	"$TARGETS/t 100 1 quiet" 2>/dev/null

# what it does not matter where it is
d -qn 'fpid$target:a.out:leaf:entry { @[cpu >= 0 && cpu < 4096] = count(); @t[timestamp > 0, walltimestamp > 1600000000000000000] = count(); }' \
	-c "$TARGETS/t 100 1 quiet"
ends 0 "cpu and times"
is "cpu and times" "$(echo $out)" "1 110 1 1 110"

# All sources together, oldest first; a thread may be interrupted between the time and the end of its
# record, and what comes too late by that is counted. In one thread nothing ever does.
d -v -x fpidfull=wait -x bufsize=32m -o "$TMP/mixed" -c "$TARGETS/t 20000 3 quiet" -qn '
	fpid$target:a.out:six:entry, fpid$target:a.out:six:return { printf("%d record %d\n", timestamp, tid); }
	pid$target:a.out:recurse:entry { printf("%d stop %d\n", timestamp, tid); }
	tick-1ms { printf("%d tick\n", timestamp); } profile-499 { printf("%d sample\n", timestamp); }'
ends 0 "mixed"
said=$(echo "$err" | awk '/came later than younger ones/ { n = $NF } END { print n + 0 }')
awk '/^[0-9]/ && $1 < last { print NR ": " $0 " after " last } /^[0-9]/ && $1 > last { last = $1 }' last=0 "$TMP/mixed" >"$TMP/late"
is "out of order, counted" "$(wc -l <"$TMP/late")" "$said"
[ "$said" -lt 60 ] || fail "$said of 18,000 events out of order"
awk '/^[0-9]/ && $3 && $1 < last[$3] { print NR ": " $0 " after " last[$3] } /^[0-9]/ && $3 { last[$3] = $1 }' "$TMP/mixed" >"$TMP/late"
[ ! -s "$TMP/late" ] || fail "out of order in a thread: $(head -3 "$TMP/late")"
is "records and stops" "$(grep -c record "$TMP/mixed") $(grep -c stop "$TMP/mixed")" "12000 6000"
grep -q tick "$TMP/mixed" || fail "no tick among them"

# every way to end
for how in exit _exit return abort segv kill exec thread; do
	n=20000
	[ $how = thread ] && n=10000
	d -x claim=off -n 'fpid$target:a.out:step:entry { @n = count(); @s = sum(arg1); }' -c "$TARGETS/ends $how $n"
	hooked "end by $how"
	want="20000 399980000"
	[ $how = thread ] && want="20000 199980000"
	is "end by $how" "$(echo $out)" "$want"
done

# with rings that are too small: what was recorded and what was not are what the program has done, for each
# probe, in each thread, whatever the end
for how in exit _exit abort kill exec thread; do
	n=100000
	d -x claim=off -x fpidbuf=64k -n 'fpid$target:a.out:step:entry, fpid$target:a.out:step:return { @[probename] = count(); }' \
		-c "$TARGETS/ends $how $n"
	hooked "full and ended by $how"
	[ $how != thread ] || n=200000
	for probe in entry return; do
		got=$(echo "$out" | awk -v p=$probe '$1 == p { n = $2 } END { print n + 0 }')
		lost=$(echo "$err" | sed -n "s/.*:ends:step:$probe: \\([0-9]*\\) hits found the ring.*/\\1/p")
		is "full and ended by $how: $probe ($got recorded)" $((got + ${lost:-0})) $n
	done
	said=$(echo "$err" | awk '/drops on CPU/ { n += $2 } /hits found the ring/ { n -= $3 } END { print n + 0 }')
	is "full and ended by $how: all drops are of a probe" "$said" 0
done

# 10,000 signals a second, whose handlers come back or do not
d -qn 'fpid$target:a.out:step:entry { @n["step"] = count(); } fpid$target:a.out:handled:entry { @n["handled"] = count(); }
	fpid$target:a.out:handled:entry /arg0 != ++n/ { printf("handled %d at %d\n", arg0, n); }' \
	-x fpidfull=wait -o "$TMP/agg" -c "$TARGETS/ends signals 3000"
ends 0 "signals"
is "handled, in order" "$(grep handled "$TMP/agg" | tr -s ' ')" " $(grep handled "$TMP/out")"
own=$(awk '$1 == "step" { print $2 }' "$TMP/out") traced=$(awk '$1 == "step" { print $2 }' "$TMP/agg")
# a step whose first instruction a signal has cut off from the rest was recorded and counts nowhere
[ "$traced" -ge "$own" ] && [ "$traced" -le $((own + 3000)) ] || fail "steps: $traced recorded, $own done"

# each of many threads has a ring, also where they have come faster than anybody reads
d -qn 'fpid$target:a.out:leaf:entry { @[ustack(1)] = count(); }' -c "$TARGETS/t 100 60 quiet"
ends 0 "many threads"
is "many threads" "$(echo $out)" "t\`leaf 6600"
is "many threads: nothing is lost" "$err" ""

# a full ring: what is not recorded is counted; or it is waited for
d -x claim=off -x fpidbuf=64k -n 'fpid$target:a.out:leaf:entry { @n = count(); @s = sum(arg0); }' -c "$TARGETS/t 1000000 1 quiet"
ends 0 "full"
got=$(echo $out | cut -d' ' -f1)
lost=$(echo "$err" | awk '/drops on CPU/ { n += $2 } END { print n + 0 }')
is "recorded and lost" $((got + lost)) 1100000
[ "$lost" -gt 0 ] || fail "nothing was lost in 64 KiB"
named=$(echo "$err" | awk '/:t:leaf:entry: [0-9]* hits found the ring of their thread full \(-x fpidbuf, -x fpidfull=wait\); the clause at line 1 makes records because -x claim=off/ { n += $3 } END { print n }')
is "the probe is named" "$named" "$lost" # in a line for each status interval
d -x claim=off -x fpidbuf=64k -x fpidfull=wait -n 'fpid$target:a.out:leaf:entry { @n = count(); @s = sum(arg0); }' -c "$TARGETS/t 200000 2 quiet"
ends 0 "waits"
is "waits" "$(echo $out)" "440000 51999200000"
case $err in *drops*) fail "waits: $err" ;; esac

# so is the principal buffer behind it, from which lines are printed
rm -f "$TMP/lines"
d -qx fpidfull=wait -x bufsize=64k -o "$TMP/lines" -n 'fpid$target:a.out:leaf:entry { printf("%d\n", arg0); }' -c "$TARGETS/t 200000 2 quiet"
ends 0 "lines wait"
is "lines wait: nothing is lost" "$err" ""
is "lines wait" "$(awk 'NF { n++; s += $1 } END { printf "%d %.0f", n, s }' "$TMP/lines")" "440000 51999200000"
# and whoever reads no lines holds it back only until the end is asked for
mkfifo "$TMP/unread"
exec 7<>"$TMP/unread"
"$DTRACE" -qx fpidfull=wait -x bufsize=64k -n 'fpid$target:a.out:leaf:entry { printf("%d\n", arg0); }' -c "$TARGETS/t 200000 2 quiet" >"$TMP/unread" 2>"$TMP/err" 7>&- &
tracer=$!
head -c 1000 "$TMP/unread" >/dev/null # it has begun
kill -TERM $tracer
cat "$TMP/unread" >/dev/null 7>&- &
reader=$!
exec 7>&-
wait $tracer
stopped=$?
wait $reader
[ $stopped -lt 128 ] || fail "unread lines: $stopped $(cat "$TMP/err")"

# what a record cannot carry is a breakpoint, and said
for what in 'curpsinfo->pr_psargs' 'execargs' 'fds[1].fi_name' 'curlwpsinfo->pr_pri'; do
	d -n 'fpid$target:a.out:work:entry { trace('"$what"'); }' -c "$TARGETS/t 1 1 quiet"
	ends 0 "$what"
	like "$what" "$err" "*0 hooked, 1 by breakpoint; the first: work: what /proc says of it is read while the thread stands still*"
done
d -qn 'fpid$target:a.out:work:entry { printf("%s", curpsinfo->pr_psargs); }' -c "$TARGETS/t 1 1 quiet"
is "the arguments of a program that is gone soon" "$out" "$TARGETS/t 1 1 quiet"
d -x fpidfallback=none -n 'fpid$target:a.out:work:entry { trace(execargs); }' -c "$TARGETS/t 1 1 quiet"
ends 1 "no fallback"
like "no fallback" "$err" "*failed to create entry probe for 'work': what /proc says of it is read while the thread stands still*"
finish
