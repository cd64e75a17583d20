# The lives of threads and processes under hooks, of the function that is counted alone and of all: counts
# are those of the program itself, whatever its end.
# needs: user
# timeout: 400
. tests/lib/lib.sh

lives() { # lives STATUS_WORDS MODE N: the count is the sum of what the program says
	for what in a.out:count_me ''; do
		d -x fpidfallback=none -n 'fpid$target:'"${what:-:}"':entry { @[probefunc] = count(); }' -o "$TMP/agg" \
			-c "$TARGETS/lives $2 $3"
		ends 0 "$2"
		like "$2: hooked" "$err" "*fpid: * hooked, 0 by breakpoint*"
		[ -z "$1" ] || like "$2: its end" "$err" "*pid * $1*"
		want=$(awk '$1 == "calls" { n = $2 } $1 == "calls" && mode == "exec" { sum += $2 }
			END { print sum ? sum : n }' mode="$2" "$TMP/out")
		got=$(awk '$1 == "count_me" { print $2 }' "$TMP/agg")
		is "$2 with '$what': calls" "$got" "$want"
		rm -f "$TMP/agg"
	done
}

lives "" plain 1000
lives "" threads 10
lives "" cancel 20
lives "" fork 100
lives "" vfork 30
lives "" exec 500
lives "terminated by SIGKILL" kill 12345
lives "exited with status 3" exit 12345
lives "terminated by SIGSEGV" crash 12345
lives "terminated by SIGABRT" abort 12345

# the same by records, to the last one: what found no room is told
recorded() { # recorded MODE N
	d -x claim=off -x fpidfull=wait -x fpidfallback=none -n 'fpid$target:a.out:count_me:entry, fpid$target:a.out:count_me:return
		{ @[probename] = count(); @s[ustack(3)] = count(); }' -o "$TMP/agg" -c "$TARGETS/lives $1 $2"
	ends 0 "$1, recorded"
	want=$(awk '$1 == "calls" { n = $2; sum += $2 } END { print mode == "exec" ? sum : n }' mode="$1" "$TMP/out")
	for name in entry return; do
		told=$(sed -n "s/.*:count_me:$name: \([0-9]*\) hits found the ring.*/\1/p" "$TMP/err")
		got=$(awk -v name=$name '$1 == name && NF == 2 { print $2 }' "$TMP/agg")
		is "$1, recorded: $name" "$((got + ${told:-0}))" "$want"
	done
	rm -f "$TMP/agg"
}
for mode in 'threads 5' 'fork 50' 'vfork 20' 'exec 500' 'kill 12345' 'crash 12345'; do
	# shellcheck disable=SC2086
	recorded $mode
done

# two threads in one control block lose counts: that is said
d -n 'fpid$target:a.out:count_me:entry { @ = count(); }' -c "$TARGETS/lives share 100"
ends 0 "share"
like "share" "$err" "*fpid: 1 thread of process * had no counters of its own*"

# so do processes that share memory and control block with a parent that does not wait; one of vfork's waits
d -n 'fpid$target:a.out:touch:entry { @ = count(); }' -c "$TARGETS/strange shares 20"
ends 0 "shares"
like "shares" "$err" "*fpid: 20 threads of process * had no counters of their own*"
d -n 'fpid$target:a.out:touch:entry { @ = count(); }' -c "$TARGETS/kids 3 waiting"
ends 0 "kids"
case "$err" in
*"no counters"*) fail "kids that share with nobody: $err" ;;
esac

# more threads than there are blocks
d -n 'fpid$target:a.out:count_me:entry { @[probefunc] = count(); }' -o "$TMP/agg" -c "$TARGETS/lives many 2500"
if [ "$status" = 0 ] && ! grep -q 'no more threads' "$TMP/out"; then
	lost=$(echo "$err" | sed -n 's/.*fpid: \([0-9]*\) threads of process .*/\1/p')
	got=$(awk '$1 == "count_me" { print $2 }' "$TMP/agg")
	is "many: counted and not" $((got + 10 * ${lost:-0})) 25000
fi
finish
