# kill -9 of the engine, three times, with hooks that count, aggregate and record in a running process: each time its mappings
# are those of before. When the watchdog is killed with it, the next run takes out what is left, and hooks the same functions.
# needs: root
# timeout: 180
. tests/lib/lib.sh
. tests/lib/attach.sh

mappings() {
	grep -v -e '\[heap\]' -e '\[stack\]' -e vvar "/proc/$target/maps"
}

# as_before WHAT: the watchdog takes its time
as_before() {
	i=0
	until mappings >"$TMP/now" && cmp -s "$TMP/before" "$TMP/now" && grep -q '^TracerPid:	0$' "/proc/$target/status"; do
		i=$((i + 1))
		[ $i -lt 2000 ] || {
			fail "$1: (< before, > now)
$(diff "$TMP/before" "$TMP/now")"
			return
		}
		sleep 0.01
	done
	"$TARGETS/textcheck" "$target" >"$TMP/text" || fail "$1: $(head -5 "$TMP/text")"
}

watchdogs_of() { # watchdogs_of ENGINE: its siblings of that name
	parent=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$1/stat")
	for child in $(cat "/proc/$parent/task/$parent/children"); do
		[ "$(cat "/proc/$child/comm")" != dtrace-watchdog ] || echo "$child"
	done
}

start_waits 2
tell spin
mappings >"$TMP/before"
for clause in '@[probefunc] = count();' '@[arg0 & 7] = count(); @m = max(arg0);' '@[ustack(4)] = count();'; do
	for who in engine both engine; do
		what="$clause, $who"
		trace -n 'BEGIN { printf("armed\n"); } fpid$target:a.out::entry { '"$clause"' }' -p "$target"
		traced
		grep -q memfd "/proc/$target/maps" || fail "$what: there are no hooks"
		engine=$(engine_of $tracer)
		dogs=$(watchdogs_of "$engine")
		if [ "$who" = both ]; then
			[ "$dogs" ] || fail "$what: there is no watchdog"
			# shellcheck disable=SC2086
			kill -9 $dogs
		fi
		kill -9 "$engine"
		trace_ends
		[ "$who" = both ] || as_before "$what"
		kill -0 "$target" || fail "$what: the program has ended"
		[ $failed = 0 ] || finish
	done
	trace -n 'BEGIN { printf("armed\n"); } fpid$target:a.out::entry { '"$clause"' }' -p "$target"
	traced
	end_trace
	ends 0 "$clause: afterwards"
	as_before "$clause: afterwards"
done
end_waits
finish
