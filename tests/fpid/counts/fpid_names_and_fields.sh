# fpid probes: the descriptions of pid, all that a clause may read, next to pid.
# needs: user
. tests/lib/lib.sh

d -qn 'fpid$target:a.out:branchy:return { @["branchy", arg0 > 0] = count(); }
fpid$target:a.out:leaf:entry { @[probefunc, arg0 > 50] = count(); } pid$target:a.out:leaf:entry { @p = count(); }' \
	-c "$TARGETS/t 100 1 quiet"
ends 0 "arguments and return"
is "counts" "$(echo "$out" | sed '/^$/d; s/^ *//; s/  */ /g' | sort)" "$(printf '110\nbranchy 1 100\nleaf 0 53\nleaf 1 57')"

# the CPU of each hit: in its column, in keys, and for -x cpu
last=$(awk '/^Cpus_allowed_list/ { n = split($2, a, /[-,]/); print a[n] }' /proc/self/status)
pinned() {
	taskset -c "$last" "$DTRACE" "$@" -c "$TARGETS/t 20 1 quiet" 2>&1
}
out=$(unset _DTRACE_TESTING; pinned -n 'fpid$target:a.out:leaf:entry { trace(arg0); }')
is "the column of CPUs" "$(echo "$out" | awk '$3 == "leaf:entry" { print $1 }' | sort -u)" "$last"
for claim in on off; do
	out=$(pinned -x claim=$claim -x cpu="$last" -qn 'fpid$target:a.out:leaf:entry { @ = count(); @c[cpu, arg0 < 5] = count(); }')
	is "-x cpu, claim=$claim" "$(echo $out)" "22 $last 1 6 $last 0 16"
	[ "$last" -gt 0 ] || continue
	out=$(pinned -x claim=$claim -x cpu=0 -qn 'fpid$target:a.out:leaf:entry { @ = count(); @c[arg0 < 5] = count(); @s = sum(arg0); }')
	is "-x cpu elsewhere, claim=$claim" "$out" ""
done

d -ln 'fpid$target:a.out:leaf:entry,fpid$target:a.out:leaf:return' -c "$TARGETS/t 1"
ends 0 "-l"
is "probes of leaf" "$(echo "$out" | awk 'NR > 1 { sub(/[0-9]+/, "", $2); print $2, $3, $4, $5 }')" "fpid t leaf entry
fpid t leaf return"

finish
