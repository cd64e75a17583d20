# Returns without room for a jump: what jumps to them is moved, and long jumps lie among other instructions. All
# hits are counted, also those of handlers that interrupt at any instruction, in threads, and recorded with
# the offset of the return; while hooks come and go, and when they are killed, results stay right.
# needs: user
# timeout: 300
. tests/lib/lib.sh
. tests/lib/attach.sh

# what stays a breakpoint: an instruction in front that is not moved; a call, with a jump to what is behind
d -lvn 'fpid$target:a.out:n_*:return' -c "$TARGETS/narrow 1"
ends 0 "verdicts"
is "breakpoints" "$(echo "$out" | awk '$4 ~ /^n_/ { f = $4 } /^\t\tbreakpoint/ { print f }' | sort | xargs)" "n_call n_repeat"
like "islands" "$out" "*hook at 1 return site by short jump*"

entries='fpid$target:a.out:n_*:entry'
returns=
for f in over three jump padding pop loop first tail; do
	returns="$returns,fpid\$target:a.out:n_$f:return"
done

counts() { # counts WHAT N THREADS OPTIONS...
	what=$1 n=$2 threads=$3
	shift 3
	d -q -x fpidfallback=none "$@" -n "$entries$returns { @[probename, probefunc] = count(); }" -o "$TMP/agg" \
		-c "$TARGETS/narrow $n $threads"
	ends 0 "$what"
	is "$what" "$(tail -1 "$TMP/out")" right
	for name in entry return; do
		awk -v name=$name '$1 == name { print $2, $3 }' "$TMP/agg" | sort >"$TMP/ours"
		grep '^n_' "$TMP/out" | awk -v name=$name 'name == "entry" || ($1 != "n_call" && $1 != "n_repeat")' | sort >"$TMP/own"
		cmp -s "$TMP/own" "$TMP/ours" || fail "$what: $name: (< the program's, > ours)
$(diff "$TMP/own" "$TMP/ours")"
	done
	rm -f "$TMP/agg"
}
counts "counted" 200000 1
counts "in threads" 50000 4
counts "recorded" 20000 2 -x claim=off -x fpidfull=wait -x bufsize=16m

# the offset of the return itself, whatever jump led to it
d -q -x fpidfallback=none -n 'fpid$target:a.out:n_over:return { @[arg0] = count(); }' -c "$TARGETS/narrow 1000"
ends 0 "offsets"
is "offsets of n_over's returns" "$(awk 'NF == 2 && $1 ~ /^[0-9]+$/ { print $1 }' "$TMP/out" | xargs)" 12

# all of it by breakpoints where no hook can be
d -q -n 'fpid$target:a.out:n_call:return,fpid$target:a.out:n_repeat:return { @[probefunc] = count(); }' -o "$TMP/agg" \
	-c "$TARGETS/narrow 100"
ends 0 "breakpoints"
is "breakpoints" "$(awk 'NF == 2 { print $1, $2 }' "$TMP/agg" | sort)" \
	"$(grep -E '^n_(call|repeat) ' "$TMP/out" | sort)"

# threads inside while hooks come and go
start_ready "$TARGETS/narrow"
# of all probes of a named function what no hook can do is left out, and told; one that is named is an error
d -qZ -x fpidfallback=none -n 'fpid$target:a.out:n_call: { @[probefunc, probename] = count(); seen = 1; } tick-20ms /seen/ { exit(0); }' -p "$target"
ends 0 "all probes of a function"
like "all probes of a function" "$err" "*, 1 refused*a return has no room for a jump*"
is "all probes of a function" "$(echo "$out" | awk '$2 == "entry" || $2 == "return" { print $1, $2 }' | xargs)" "n_call entry"
d -q -x fpidfallback=none -n 'fpid$target:a.out:n_call:return { @ = count(); }' -p "$target"
ends 1 "a named return"
like "a named return" "$err" "*failed to create return probe for 'n_call': a return has no room for a jump*"
unharmed "$target" "refused"
n=0
while [ $n -lt 12 ]; do
	n=$((n + 1))
	d -q -x fpidfallback=none -n "$entries$returns { @ = count(); } tick-20ms { exit(0); }" -p "$target"
	ends 0 "attached $n times"
	kill -0 "$target" 2>/dev/null || break
	unharmed "$target" "let go $n times"
done
# killed at any moment: the watchdog does it
n=0
while [ $n -lt 8 ]; do
	n=$((n + 1))
	trace -x fpidfallback=none -n "$entries$returns { @ = count(); } BEGIN { printf(\"armed\"); }" -p "$target"
	traced
	kill -9 "$tracer"
	wait "$tracer"
	tracer=
	until_let_go "$target" "killed $n times"
	unharmed "$target" "killed $n times"
done
exec 3>&-
target_ends
is "it was" "$(tail -1 "$TMP/said")" right
finish
