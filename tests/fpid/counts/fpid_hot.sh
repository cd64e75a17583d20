# A function without a hook that takes much of the target's time is named, with what leaves it out.
# needs: user
. tests/lib/lib.sh

d -n 'fpid$target:a.out:only_ret:entry,fpid$target:a.out:three_bytes:entry { @[probefunc] = count(); }' \
	-c "$TARGETS/adverse asm 60000"
ends 0 "hot"
like "both are breakpoints" "$err" "*2 functions: 0 hooked, 2 by breakpoint*"
like "named" "$err" "*fpid: entry of adverse\`three_bytes is a breakpoint, which takes about *% of the time of process * (-x fpidfallback=none leaves it out)*"
is "once" "$(echo "$err" | grep -c 'three_bytes is')" 1

d -qn 'fpid$target:a.out:only_ret:entry,fpid$target:a.out:three_bytes:entry { @[probefunc] = count(); }' \
	-c "$TARGETS/adverse asm 60000"
like "with -q, too: the answer is dear" "$err" "*fpid: entry of adverse\`three_bytes is a breakpoint, which takes*"
case $err in *functions:*) fail "-q: nothing is missing: $err" ;; esac

d -n 'fpid$target:a.out:main:entry { @[probefunc] = count(); }' -x fpidfallback=none -c "$TARGETS/adverse asm 60000"
case $err in *"is a breakpoint"*) fail "nothing takes time: $err" ;; esac
# one that is called a few times is none of them, however long its stops take
d -wqn 'fpid$target:a.out:three_bytes:entry { n++; chill(400000000); }  END { printf("%d hits\n", n); }' -c "$TARGETS/adverse asm 1"
like "few stops" "$out" "*[1-9] hits*"
case $err in *"is a breakpoint"*) fail "few stops, which take long: $err" ;; esac
finish
