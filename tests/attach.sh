# attach.sh: what the tests of -p share, after lib.sh: a program that runs and is told what to do, and
# a tracer in the background that is waited for by events.
# shellcheck shell=sh

target=
tracer=

end_attach() {
	[ -z "$tracer" ] || kill -9 "$tracer" 2>/dev/null
	[ -z "$target" ] || kill -9 "$target" 2>/dev/null
}
trap end_attach EXIT

# waits_for FILE PATTERN WHAT: until a line matches, at most 20 s
waits_for() {
	i=0
	until grep -q -- "$2" "$1" 2>/dev/null; do
		i=$((i + 1))
		[ $i -lt 2000 ] || {
			fail "$3: no '$2' in: $(tail -3 "$1")"
			finish
		}
		sleep 0.01
	done
}

# start_waits NTHREADS [sealed]: a target in $target; its words go through tell, its answers are in $TMP/said
start_waits() {
	rm -f "$TMP/tell" "$TMP/said"
	mkfifo "$TMP/tell"
	"$TARGETS/waits" "$@" <"$TMP/tell" >"$TMP/said" 2>&1 &
	target=$!
	exec 3>"$TMP/tell"
	waits_for "$TMP/said" ready "the target"
}

tell() {
	echo "$*" >&3
}

# trace ARGS...: dtrace in the background; the program prints "armed" when it is at work.
trace() {
	rm -f "$TMP/out" "$TMP/err"
	"$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null 3>&- &
	tracer=$!
}

traced() { # until it is at work
	i=0
	until grep -q armed "$TMP/out"; do
		i=$((i + 1))
		if [ $i -gt 2000 ] || ! kill -0 "$tracer" 2>/dev/null; then
			fail "the tracer did not begin: $(cat "$TMP/out" "$TMP/err")"
			finish
		fi
		sleep 0.01
	done
}

# end_trace: as ^C does (a background command of a shell ignores SIGINT)
end_trace() {
	kill -TERM "$tracer"
	wait "$tracer"
	status=$?
	tracer=
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}

# unharmed PID WHAT: nobody traces it, its code is its own, no thread is tied to a CPU
unharmed() {
	grep -q '^TracerPid:	0$' "/proc/$1/status" || fail "$2: it is still traced"
	"$TARGETS/textcheck" "$1" >"$TMP/text" || fail "$2: $(head -5 "$TMP/text")"
	masks=$(cat /proc/"$1"/task/*/status | grep Cpus_allowed_list | sort -u | wc -l)
	is "$2: different CPU masks" "$masks" 1
}
