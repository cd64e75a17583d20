# Files of events that are compressed (-x logcompress), and the last seconds before a signal or logdump() (-x logring).
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf awk

name=tr$$
cp /bin/true "$TMP/$name"
load="sh -c 'i=0; while [ \$i -lt 200 ]; do $TMP/$name; i=\$((i + 1)); done'"
count() { # count FILE: executions of ours that it tells of
	"$DTRACE" -qE "$1" -n "proc:::exec-success /execname == \"$name\"/ { @ = count(); } syscall::exit_group:entry /execname == \"$name\"/ { @e = count(); }" 2>"$TMP/count.err" |
		awk 'NF { printf "%s ", $1 }'
	[ ! -s "$TMP/count.err" ] || fail "$1: $(cat "$TMP/count.err")"
}

# ---- compressed: smaller, and the same for us and for perf ----
for how in '' '-x logcompress'; do
	rm -f "$TMP/new.data"
	# shellcheck disable=SC2086
	d -qE "$TMP/new.data" $how -n 'syscall:::entry, syscall:::return, sched:::on-cpu { }' -c "$load"
	ends 0 "logged $how"
	is "read again $how" "$(count "$TMP/new.data")" "200 200 "
	is "perf script $how" "$(perf script -i "$TMP/new.data" -F comm,event,trace 2>/dev/null | grep -c "$name .*sys_enter: NR 231 ")" 200
	perf report --stdio -i "$TMP/new.data" >/dev/null 2>"$TMP/report" || fail "perf report $how: $(cat "$TMP/report")"
	size=$(stat -c %s "$TMP/new.data")
	if [ -z "$how" ]; then plain=$size; else [ "$size" -lt "$plain" ] || fail "compressed $size bytes, plain $plain"; fi
done
rm -f "$TMP/new.data"
d -qE "$TMP/new.data" -x logcompress -x logmax=200k -n 'syscall:::entry, syscall:::return { }' -c "$load"
like "a compressed file of limited size" "$err" "*is as large as option logmax lets it be*"
perf script -i "$TMP/new.data" >/dev/null 2>"$TMP/script" || fail "perf script of it: $(cat "$TMP/script")"
grep -q . "$TMP/script" && fail "perf script of it: $(cat "$TMP/script")"

# ---- a flight recorder: by a signal, as often as one comes, and the run goes on ----
cat >"$TMP/fly.sh" <<END_SH
i=0
until [ -e "$TMP/enough" ]; do
	$TMP/$name
	i=\$((i + 1))
	[ \$i -ne 20 ] || touch "$TMP/started"
done
END_SH
for how in '' '-x logcompress'; do
	rm -f "$TMP"/ring.data* "$TMP/enough" "$TMP/started"
	# shellcheck disable=SC2086
	"$DTRACE" -E "$TMP/ring.data" $how -x logring=1s -n 'syscall:::entry { }' -c "sh $TMP/fly.sh" >"$TMP/fly.out" 2>"$TMP/fly.err" &
	pid=$!
	until [ -e "$TMP/started" ]; do kill -0 $pid 2>/dev/null || fail "it ends: $(cat "$TMP/fly.err")"; done
	for n in 1 2; do
		until [ -e "$TMP/ring.data.$n" ] && grep -q "ring.data.$n" "$TMP/fly.err"; do
			kill -USR1 $pid || fail "it is gone: $(cat "$TMP/fly.err")"
		done
	done
	touch "$TMP/enough"
	wait $pid
	is "the status of the run $how" $? 0
	for file in "$TMP/ring.data.1" "$TMP/ring.data.2" "$TMP/ring.data"; do
		told=$(sed -n "s|.*dtrace: \([0-9]*\) events are in $file\(, .*\)*\$|\1|p" "$TMP/fly.err")
		[ "${told:-0}" -gt 0 ] || fail "$file $how: $(cat "$TMP/fly.err")"
		is "perf script of $file $how" "$(perf script -i "$file" -F event 2>/dev/null | grep -c sys_enter)" "$told"
		"$DTRACE" -qE "$file" -n 'syscall:::entry { @a = min(timestamp); @b = max(timestamp); @n = count(); } END { printa("%@d ", @a); printa("%@d ", @b); printa("%@d ", @n); }' >"$TMP/span" 2>&1
		awk -v told="$told" 'NF { if ($2 - $1 > 1000000000 || $3 != told) exit 1; n++ } END { exit !n }' "$TMP/span" || fail "$file $how: $(cat "$TMP/span")"
	done
done

# ---- by a clause; what is there already is never written over ----
rm -f "$TMP"/ring.data*
echo mine >"$TMP/ring.data.1"
d -qE "$TMP/ring.data" -x logring=5s -n "syscall:::entry { } proc:::exec-success /execname == \"$name\"/ { logdump(); }" -c "$load"
ends 0 "logdump()"
is "what was there" "$(cat "$TMP/ring.data.1")" mine
[ -e "$TMP/ring.data.2" ] || fail "no file: $err"
perf script -i "$TMP/ring.data.2" -F event >/dev/null 2>&1 || fail "perf script"

# ---- clauses of frequent probes wait for the file, but not those that it is written for, and what these go by ----
top=$PWD
mkdir "$TMP/cores" && cd "$TMP/cores" || exit 1
d -wqE ring.data -x logring=5s -n 'syscall:::entry { printf("a call\n"); } pid$target:a.out:beat:entry { n++; }
	pid$target:a.out:beat:entry /n == 20/ { lkd(2); printf(" %d\n", n); logdump(); }' -c "$TARGETS/steady 200 400"
ends 0 "a core at a probe"
line=$(echo "$out" | grep '^core\|call')
like "a core at a probe: no other clause prints" "$line" "core.[0-9]*.1 20"
[ -s "${line% 20}" ] || fail "no ${line% 20}"
n=$("$DTRACE" -qE ring.data.1 -n 'pid*:::entry { n++; } END { printf("%d", n); }' 2>&1)
[ "${n:-0}" -ge 20 ] && [ "$n" -lt 400 ] || fail "what led to it: $n beats"
d -qE end.data -n 'syscall::getppid:entry /pid == $target && ++n == 10/ { exit(7); } syscall:::entry { printf("a call\n"); }' -c "$TARGETS/getppids 50000"
is "a call ends the run" "$status $(echo "$out" | grep -c call)" "7 0"
d -qE emit.data -n 'syscall::getppid:entry /pid == $target/ { emit("asked"); } emit:::asked /++n == 10/ { exit(7); }' -c "$TARGETS/getppids 50000"
is "an event that was emitted ends the run" "$status" 7
cd "$top" || exit 1
d -qn 'BEGIN { logdump(); exit(0); }'
ends 0 "without a file"
d -qn 'tick-10ms { logdump(); n++; } tick-10ms /n > 20/ { exit(0); }'
is "without a ring it is said once" "$(echo "$err" | grep -c 'there is no ring of events')" 1
d -qE "$TMP/ring.data" -n 'BEGIN { logdump(); } syscall:::entry { @ = count(); } END { clear(@); trunc(@); }'
is "when a file is read nothing is written" "$err" ""
finish
