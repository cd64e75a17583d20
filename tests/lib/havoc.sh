# havoc.sh: a program of another user that makes war on its tracer (tests/targets/havoc.c), against clauses of every kind: no
# crash, no hang, nothing written but by us. HAVOC_SEED repeats a run. Prints what went wrong, and which run took longest to end.
# shellcheck shell=sh
. tests/lib/lib.sh
. tests/lib/attach.sh

seed=${HAVOC_SEED-$$}
bound=${HAVOC_BOUND-60} # seconds from the request to end to the end: a hang, on however busy a machine
longest=0
slowest=
rounds=0

own=$TMP/own
mkdir -p "$own" && cp "$TARGETS/havoc" "$own" && chmod 755 "$TMP" "$own" "$own/havoc"
echo secret >"$own/file"
chmod 600 "$own/file"
as_other() {
	[ "$(id -u)" != 0 ] || set -- setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	exec "$@"
}
(as_other test -x "$own/havoc") || skip "another user cannot come to $own"

clauses() {
	cat <<'D'
|fpid$target:a.out::entry { @[probefunc] = count(); }
|fpid$target:a.out::entry { @[arg0 & 7] = count(); @m[probefunc] = max(arg0); } fpid$target:a.out::return { @q = quantize(arg1); }
|fpid$target:a.out::entry { self->t = timestamp; } fpid$target:a.out::return /self->t/ { @[probefunc] = sum(timestamp - self->t); self->t = 0; }
-x claim=off|fpid$target:a.out::entry { @[probefunc, arg0 & 3] = count(); @t = max(timestamp); }
-x claim=off -x fpidfull=wait|fpid$target:a.out::entry, fpid$target:a.out::return { @[tid & 3] = count(); @v = sum(vtimestamp); }
-x claim=off|fpid$target:a.out::entry { @[ustack(8)] = count(); }
-x claim=off|fpid$target:a.out:text:entry { @[copyinstr(arg0)] = count(); } fpid$target:a.out:hit:entry { @s = sum(*(int *)copyin(arg0, 4)); }
-x follow|fpid$target:a.out::entry { @[probefunc] = count(); @t = max(timestamp); }
-x follow|pid$target:a.out:chain:entry { @[ustack(4)] = count(); } fpid$target:a.out:text:entry { @c[copyinstr(arg0)] = count(); }
|pid$target:a.out:text: { @[probename, copyinstr(arg0)] = count(); } profile-97 /pid == $target/ { @p[ustack(8)] = count(); }
D
}

now_ms() {
	awk '{ printf("%d\n", $1 * 1000) }' /proc/uptime
}

# one WHAT OPTIONS CLAUSES
one() {
	what="havoc $1 $seed: $2 $3"
	rm -f "$TMP/said" "$TMP/out" "$TMP/err"
	as_other "$own/havoc" "$1" "$seed" >"$TMP/said" 2>/dev/null 3>&- &
	target=$!
	waits_for "$TMP/said" ready "$what"
	# shellcheck disable=SC2086
	"$DTRACE" -Zq $2 -n "$3 tick-10ms /++ticks == 10/ { printf(\"enough\\n\"); }" -p "$target" >"$TMP/out" 2>"$TMP/err" </dev/null 3>&- &
	tracer=$!
	begun=$(now_ms)
	until grep -qs enough "$TMP/out" || ! kill -0 $tracer 2>/dev/null || [ $(($(now_ms) - begun)) -gt $((bound * 1000)) ]; do
		sleep 0.01
	done
	begun=$(now_ms)
	kill -TERM $tracer 2>/dev/null
	while kill -0 $tracer 2>/dev/null; do
		if [ $(($(now_ms) - begun)) -gt $((bound * 1000)) ]; then
			fail "$what: no end within $bound s"
			kill -9 $tracer
			break
		fi
		sleep 0.01
	done
	wait $tracer
	status=$?
	ended=$(($(now_ms) - begun))
	if [ $ended -gt $longest ]; then
		longest=$ended
		slowest=$what
	fi
	tracer=
	if [ $status -ge 128 ] || grep -qE 'ended by SIG|ERROR: |runtime error|assert|the engine|D_|invalid probe' "$TMP/err"; then
		fail "$what: status $status
$(head -40 "$TMP/err")"
	fi
	kill -9 "$target" 2>/dev/null
	wait "$target" 2>/dev/null
	target=
	[ "$(stat -c '%s %a' "$own/file") $(head -c 20 "$own/file")" = "7 600 secret" ] || fail "$what: the file was written to"
	rounds=$((rounds + 1))
	seed=$((seed + 1))
}

# havoc SECONDS: each deed once, and again until so long is over
havoc() {
	clauses >"$TMP/clauses"
	end=$(($(now_ms) + $1 * 1000))
	turn=0
	while :; do
		for deed in scribble nonsense vanish snatch code fork exec all; do
			turn=$((turn + 1))
			line=$(sed -n "$(((turn * 7 + turn / 80) % $(wc -l <"$TMP/clauses") + 1))p" "$TMP/clauses")
			one "$deed" "${line%%|*}" "${line#*|}"
			[ $failed = 0 ] || return
		done
		[ "$(now_ms)" -lt $end ] || break
	done
	echo "$rounds runs; the longest took $longest ms to end: $slowest"
}
