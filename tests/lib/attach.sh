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

# start PROGRAM ARGS...: a target in $target; its words go through tell, its answers are in $TMP/said
start() {
	rm -f "$TMP/tell" "$TMP/said"
	mkfifo "$TMP/tell"
	"$@" <"$TMP/tell" >"$TMP/said" 2>&1 &
	target=$!
	exec 3>"$TMP/tell"
}

# start_ready PROGRAM ARGS...: the same of one that says "ready" when it is. One that ends with 75 has
# met with a process id it cannot use (perfmap.h): it is started again.
start_ready() {
	for tries in 1 2 3 4 5; do
		start "$@"
		until grep -q ready "$TMP/said"; do
			kill -0 "$target" 2>/dev/null || break
			sleep 0.01
		done
		! grep -q ready "$TMP/said" || return 0
		wait "$target"
		ended=$?
		target=
		[ $ended = 75 ] && [ $tries -lt 5 ] || break
	done
	fail "$1: ended with $ended before it was ready: $(cat "$TMP/said")"
	finish
}

# start_waits NTHREADS [sealed]
start_waits() {
	start_ready "$TARGETS/waits" "$@"
}

tell() {
	echo "$*" >&3
}

# target_ends [WHAT]: well
target_ends() {
	wait "$target" || fail "${1-the target} ended with $?"
	target=
}

# end_waits: its threads make an end, it says what they have done
end_waits() {
	tell halt
	waits_for "$TMP/said" 'calls [0-9]' "the end of the work"
	tell quit
	target_ends
}

# trace ARGS...: dtrace in the background; the program prints "armed" when it is at work.
trace() {
	rm -f "$TMP/out" "$TMP/err"
	"$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null 3>&- &
	tracer=$!
}

traced() { # until it is at work
	until_said "$TMP/out" armed "$tracer" || {
		fail "the tracer did not begin: $(cat "$TMP/out" "$TMP/err")"
		finish
	}
}

# trace_ends: by itself
trace_ends() {
	wait "$tracer"
	status=$?
	tracer=
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}

# end_trace: as ^C does (a background command of a shell ignores SIGINT)
end_trace() {
	kill -TERM "$tracer"
	trace_ends
}

# until_let_go PID WHAT: until nobody traces it
until_let_go() {
	waits_for "/proc/$1/status" '^TracerPid:	0$' "$2"
}

# unharmed PID WHAT: nobody traces it, its code is its own, no thread is tied to a CPU
unharmed() {
	grep -q '^TracerPid:	0$' "/proc/$1/status" || fail "$2: it is still traced"
	"$TARGETS/textcheck" "$1" >"$TMP/text" || fail "$2: $(head -5 "$TMP/text")"
	masks=$(cat /proc/"$1"/task/*/status | grep Cpus_allowed_list | sort -u | wc -l)
	is "$2: different CPU masks" "$masks" 1
}
