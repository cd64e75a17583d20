# Claimed counts: those of the program itself, of pid probes, and of the same script with claim=off.
# needs: user
# timeout: 120
. tests/lib/lib.sh

compare() { # compare PROGRAM ROUNDS THREADS
	d -n 'fpid$target:a.out::entry { @[probefunc] = count(); }' -o "$TMP/agg" -c "$TARGETS/$1 $2 $3"
	ends 0 "$1 $2 $3"
	like "$1: hooked" "$err" "*fpid: * functions: * hooked, 0 by breakpoint"
	counts "$TMP/out" >"$TMP/own"
	counts "$TMP/agg" | awk 'NR == FNR { own[$1]; next } $1 in own' "$TMP/own" - >"$TMP/traced"
	diff "$TMP/own" "$TMP/traced" >"$TMP/diff" || fail "$1 $2 $3: (< the program's, > ours)
$(cat "$TMP/diff")"
	[ -s "$TMP/own" ] || fail "$1: printed no counters: $err"
	rm -f "$TMP/agg"
}

compare t 100000 1
compare t 20000 8
compare t-nopie 5000 2

all() { # all PROVIDER NAME OPTIONS...: counts of all functions
	prov=$1 name=$2
	shift 2
	d "$@" -qn "$prov"'$target:::entry, '"$prov"'$target:::return { @[probemod, probefunc, probename] = count(); @n = count(); }' \
		-c "$TARGETS/t 500 1 quiet"
	ends 0 "$prov $*"
	echo "$out" | sort >"$TMP/$name"
}
all fpid hooks
all pid pid
all fpid claim_off -x claim=off
cmp -s "$TMP/hooks" "$TMP/pid" || fail "fpid and pid differ: $(diff "$TMP/hooks" "$TMP/pid")"
cmp -s "$TMP/hooks" "$TMP/claim_off" || fail "claim=off differs: $(diff "$TMP/hooks" "$TMP/claim_off")"

# each call returns once, in all threads; what is not hooked is a breakpoint, and counts alike
for kind in entry return; do
	d -n 'fpid$target:a.out::'$kind' { @[probefunc] = count(); }' -o "$TMP/$kind" -c "$TARGETS/t 20000 8"
	ends 0 "$kind"
	counts "$TMP/$kind" | grep -v _start >"$TMP/$kind.counts"
done
cmp -s "$TMP/entry.counts" "$TMP/return.counts" ||
	fail "entries and returns differ: $(diff "$TMP/entry.counts" "$TMP/return.counts")"
[ "$(wc -l <"$TMP/return.counts")" -ge 8 ] || fail "returns: $(cat "$TMP/return.counts")"

# read while it runs: clear() and printa() see no difference
d -qn 'fpid$target:a.out:leaf:entry { @ = count(); } tick-50ms { clear(@); } END { printa("%@d\n", @); }' -c "$TARGETS/t 20000000 1 q"
ends 0 "clear"
[ "$(echo "$out" | tail -1)" -lt 22000000 ] || fail "clear(): $out"

# what only a breakpoint can do, and is not wanted
d -x fpidfallback=none -qn 'fpid$target:a.out:leaf:return { trace(execargs); }' -c "$TARGETS/t 10"
ends 1 "refusal"
like "refusal" "$err" "*failed to create return probe for 'leaf': what /proc says of it is read while the thread stands still*"

# children: not counted, not harmed
d -qn 'fpid$target:libc.so::entry { @[probefunc] = count(); }' -o "$TMP/agg" \
	-c "sh -c '(cat /proc/self/stat >/dev/null; echo child) & wait; (exit 3); echo \$?'"
ends 0 "children"
is "children" "$out" "child
3"
finish
