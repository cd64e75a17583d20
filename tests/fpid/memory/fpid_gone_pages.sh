# Texts of pages that the kernel has copied from before are read without asking it again. Where such a
# page is gone, the clause faults as it does in the engine, and the program sees nothing of it: neither a
# signal, nor one that is unblocked, nor, where the engine is killed, its end.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh

# counts N [OPTIONS]: what is counted, then how often the clause has faulted, by address
counts() {
	n=$1
	shift
	rm -f "$TMP/counts"
	d "$@" -qn 'fpid$target:a.out:take:entry { @[arg1, copyinstr(arg0)] = count(); }' -o "$TMP/counts" -c "$TARGETS/gone $n"
	ends 0 "gone $n $*"
	is "gone $n $*: the program" "$out" "seen 0, blocked $((n % 2))"
	sed '/^$/d' "$TMP/counts"
	grep -c 'invalid address (0x[0-9a-f]*040) in action' "$TMP/err"
}

for n in 10 11 1000 1001; do
	is "$n pages" "$(counts "$n" | tr -s ' ')" " 1 a text that will be gone $((2 * n))
$n"
	is "$n pages as the engine counts" "$(counts "$n")" "$(counts "$n" -x claim=off)"
done

# ---- all of the command is killed, and nobody takes the hooks out ----

watchdog_of() { # watchdog_of ENGINE: of its process group, by its name
	sed -n "s/^\([0-9]*\) (dtrace-watchdog) [A-Z] [0-9]* $1 .*/\1/p" /proc/[0-9]*/stat 2>/dev/null
}

start_ready "$TARGETS/gone" wait
trace -n 'BEGIN { printf("armed\n"); } fpid$target:a.out:take:entry { @[copyinstr(arg0)] = count(); }' -p "$target"
traced
tell take
waits_for "$TMP/said" taken "texts"
engine=$(engine_of "$tracer")
watchdog=$(watchdog_of "$engine")
[ "$watchdog" ] || fail "there is no watchdog"
kill -STOP "$watchdog"
kill -9 "$engine" "$watchdog" "$tracer"
wait "$tracer" 2>/dev/null
tracer=
until_gone "$engine"
tell unmap
waits_for "$TMP/said" done "the program without its engine"
"$TARGETS/textcheck" "$target" | grep -q 'in memory' || fail "its hooks are gone: it did not meet them"
tell end
target_ends "the program whose engine was killed"
finish
