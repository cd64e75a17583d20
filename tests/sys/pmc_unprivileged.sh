# pmc without privileges: the faults of one's own programs in user space; what happens in the kernel says that it cannot be had.
# needs: user
. tests/lib/lib.sh
"$DTRACE" --doctor | grep -q '^perf events  *works\|^perf events  *limited' || skip "$("$DTRACE" --doctor | grep '^perf events')"

d -qn 'pmc:::page-faults { @[ufunc(arg0)] = count(); }' -c "$TARGETS/counters 100"
ends 0 "own faults"
is "own faults" "$(awk '/^faults / || /`touch/ { print $NF }' "$TMP/out")" "100
100"
d -qn 'pmc:::context-switches { @ = count(); }' -c true
ends 1 "kernel"
like "kernel" "$err" "*pmc:::context-switches: context-switches happen in the kernel: needs CAP_PERFMON*"
d -qn 'pmc:::page-faults { @ = count(); }'
ends 1 "the machine"
like "the machine" "$err" "*pmc:::page-faults: needs CAP_PERFMON*"
finish
