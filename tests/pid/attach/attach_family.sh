# -p with -x follow takes the descendants that are there, too, and those that come; who may not be traced is told. -p NAME takes
# all processes of that executable as one target.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh

# Seven processes, three generations; six of them call kill() ten times after the gate, and each once more in a child that it makes then.
cat >"$TMP/family.sh" <<'END'
member() {
	read -r go <&8
	i=0
	while [ $i -lt 10 ]; do
		kill -0 $$
		i=$((i + 1))
	done
	(kill -0 $$)
}
exec 8<>"$1"
member &
(member & (member & echo ready; member; wait) & member; wait) &
(exec python3 -c 'import ctypes, os, sys
ctypes.CDLL(None).prctl(4, int(sys.argv[1]), 0, 0, 0)
print("ready", flush=True)
os.read(0, 1)' "$2" <&8) &
member
wait
END
family() { # family DUMPABLE: started, all of them
	rm -f "$TMP/gate"
	mkfifo "$TMP/gate"
	start sh "$TMP/family.sh" "$TMP/gate" "$1"
	i=0
	until [ "$(grep -c ready "$TMP/said")" = 2 ]; do
		i=$((i + 1))
		[ $i -lt 2000 ] || {
			fail "the family does not come: $(cat "$TMP/said")"
			finish
		}
		sleep 0.01
	done
	exec 8<>"$TMP/gate"
}
count='pid$target:libc.so.6:kill:entry { @[pid] = count(); } BEGIN { printf("armed\n"); } END { printa("calls %@d\n", @); }'
for provider in pid fpid; do
	family 1
	trace -x follow -qn "$(printf '%s' "$count" | sed "s/pid.target/$provider\$target/")" -p "$target"
	traced
	printf '\n\n\n\n\n\n\n' >&8
	exec 8>&-
	target_ends "the family"
	trace_ends
	ends 0 "$provider"
	is "$provider: nothing is left out" "$err" ""
	is "$provider: six have called ten times, and a child of each once" "$(echo "$out" | grep calls | sort | uniq -c | tr -s ' ')" \
		" 6 calls 1
 6 calls 10"
done

# a descendant that nobody may look into (the test runs as a user)
if [ "$(id -u)" != 0 ]; then
	family 0
	trace -x follow -qn "$count" -p "$target"
	traced
	printf '\n\n\n\n\n\n\n' >&8
	exec 8>&-
	target_ends "the family"
	trace_ends
	like "one that shuts itself off is told of" "$err" "dtrace: pid $target*: 1 of [0-9]* processes that it has made are left out; the first: *"
	is "the others are there" "$(echo "$out" | grep -c 'calls 10')" 6
fi

# without the option there is the one alone
family 1
trace -qn "$count" -p "$target"
traced
printf '\n\n\n\n\n\n\n' >&8
exec 8>&-
target_ends "the family"
trace_ends
is "without follow" "$(echo "$out" | grep calls)" "calls 10"

# by name
name=family$$
cp "$TARGETS/waits" "$TMP/$name"
for how in "$name" "$TMP/$name"; do
	start_ready "$TMP/$name" 1
	first=$target
	mkfifo "$TMP/tell2"
	"$TMP/$name" 1 <"$TMP/tell2" >"$TMP/said2" 2>&1 &
	second=$!
	exec 4>"$TMP/tell2"
	waits_for "$TMP/said2" ready "the second"
	trace -qn 'BEGIN { printf("armed %d\n", $target); } pid$target:libc.so.6:exit:entry { @[pid] = count(); } END { printa("%d %@d\n", @); }' -p "$how"
	traced
	echo halt >&4
	echo quit >&4
	exec 4>&-
	wait $second
	rm "$TMP/tell2"
	kill -0 "$tracer" || fail "-p $how: ends with one of two"
	end_waits
	trace_ends
	ends 0 "-p $how"
	is "-p $how: \$target is the oldest" "$(echo "$out" | head -1)" "armed $first"
	is "-p $how: both" "$(echo "$out" | grep ' 1$' | sort)" "$(printf '%s 1\n' "$first" $second | sort)"
done
d -qn 'BEGIN { exit(0); }' -p "$name"
ends 1 "nobody of that name"
is "nobody of that name" "$err" "dtrace: invalid pid: $name"
start_ready "$TMP/$name" 1
d -qn 'BEGIN { exit(0); }' -p "familie$$"
is "a name beside it" "$err" "dtrace: invalid pid: familie$$
dtrace: did you mean $name?"
end_waits
finish
