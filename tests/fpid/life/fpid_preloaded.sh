# Where ptrace is forbidden the hooks of fpid come by a preloaded library: programs count for themselves, and
# say so, what is counted there.
# timeout: 300
. tests/lib/lib.sh

"$TARGETS/deny" true || skip "no filters of system calls here"
forbids='a seccomp filter forbids ptrace here: in a container, run it with --cap-add SYS_PTRACE'
forbidden() { # forbidden ARGS...: as d, under a filter that refuses ptrace
	"$TARGETS/deny" "$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}

# functions, in one thread and in several
for args in 1 '30 5'; do
	forbidden -n 'fpid$target:a.out::entry { @[probefunc] = count(); } fpid$target:a.out::return { @r[probefunc] = count(); }' \
		-o "$TMP/agg" -c "$TARGETS/t $args"
	ends 0 "t $args"
	like "t $args: hooked" "$err" "*fpid: * hooked, 0 by breakpoint*"
	counts "$TMP/out" | sed p | sort >"$TMP/want"
	counts "$TMP/agg" | grep -Fwf "$TMP/want" >"$TMP/got"
	is "t $args: calls and returns" "$(cat "$TMP/got")" "$(cat "$TMP/want")"
	rm -f "$TMP/agg"
done

# what cannot be is said
forbidden -v -n 'fpid$target:a.out::entry { @[probefunc] = count(); }' -o "$TMP/agg" -c "$TARGETS/t 1"
like "-v" "$err" "*handlers of SIGSEGV, SIGBUS, SIGILL and SIGFPE of process * see faults of replaced instructions where these run now*"
rm -f "$TMP/agg"

# threads and children come and go, and processes end as they like
lives() { # lives END MODE N [CALLS]: of each thread at most
	for clauses in '{ @[probefunc] = count(); }' '{ @[probefunc] = sum(arg0 - arg0 + 1); }' \
		'{ @[probefunc] = count(); @s[ustack(3)] = count(); }'; do
		case $2$clauses in cancel*ustack*) continue ;; esac # it hits as fast as it can until it is seen
		forbidden -x fpidfull=wait -n "fpid\$target:a.out:count_me:entry $clauses" -o "$TMP/agg" \
			-c "$TARGETS/lives $2 $3"
		ends 0 "$2"
		like "$2: hooked" "$err" "*fpid: 1 function: 1 hooked, 0 by breakpoint*"
		[ -z "$1" ] || like "$2: its end" "$err" "*pid * $1*"
		got=$(awk '$1 == "count_me" { print $2 }' "$TMP/agg") # threads may be too many for rings, which is told
		told=$(sed -n 's/.*:count_me:entry: \([0-9]*\) hits found the ring.*/\1/p' "$TMP/err")
		calls=$(awk '$1 == "calls" { n = $2 } END { print n }' "$TMP/out")
		# so may they be for counters, if the engine is slow: such a thread calls at most $4 times
		bare=$(sed -n 's/.*fpid: \([0-9]*\) threads\{0,1\} of process .* had no counters of .* own: calls made there may be missing$/\1/p' "$TMP/err")
		if [ -z "$bare" ] || [ -z "${4-}" ]; then
			is "$2 with '$clauses': calls" "$((got + ${told:-0}))" "$calls"
		elif [ $((got + ${told:-0})) -gt "$calls" ] || [ $((got + ${told:-0} + bare * $4)) -lt "$calls" ]; then
			fail "$2 with '$clauses': $got of $calls calls were counted, ${told:-0} dropped, $bare threads had no counters"
		fi
		rm -f "$TMP/agg"
	done
}
lives "" plain 1000
lives "" threads 5 106
lives "" cancel 5
lives "" fork 100
lives "" vfork 30
lives "terminated by SIGKILL" kill 12345
lives "exited with status 3" exit 12345
lives "terminated by SIGSEGV" crash 12345

# libraries that are loaded, and unloaded, again and again: for what is asked of them, or of all
for what in 'libresolv*:ns_get16' ':'; do
	forbidden -Z -n "fpid\$target:$what:entry,fpid\$target:$what:return { @[probefunc, probename] = count(); }" \
		-o "$TMP/agg" -c "$TARGETS/lazy 50"
	ends 0 "dlopen, $what"
	like "dlopen, $what: hooked" "$err" "*fpid: * hooked, 0 by breakpoint*"
	is "dlopen, $what: the program" "$out" "ns_get16 150"
	case $err in *'while we were busy'*) rm -f "$TMP/agg" && continue ;; esac
	is "dlopen, $what: calls" "$(awk '$1 == "ns_get16" { print $2, $3 }' "$TMP/agg" | sort)" "entry 150
return 150"
	rm -f "$TMP/agg"
done

# pid probes are refused, with what forbids them
forbidden -qn 'pid$target:a.out:leaf:entry, fpid$target:a.out:leaf:entry { }' -c "$TARGETS/t 1"
ends 1 "a pid probe"
like "a pid probe" "$err" "dtrace: *failed to create entry probe for 'leaf': $forbids"
is "a pid probe: the program has not run" "$out" ""
finish
