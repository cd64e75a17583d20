# Where nobody may be sampled tick-N is dtrace's own timer, and says that it was dtrace that ran.
# needs: user
. tests/lib/lib.sh

d -qn 'tick-10ms { printf("%d %d %d %s\n", arg0, arg1 != 0, pid == $pid, execname); exit(0); }'
ends 0 "an ordinary user"
is "its context" "$out" "0 1 1 dtrace"
finish
