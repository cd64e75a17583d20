# Without privileges and without a program to trace nothing is sampled, which is said where a clause reads of whom it finds.
# needs: user
. tests/lib/lib.sh
"$DTRACE" --doctor | grep -q '^tracepoints  *works' && skip "this user has the privileges"

d -qn 'profile-97 { @[ustack()] = count(); } tick-97 /i++ == 3/ { exit(0); }'
ends 0 "stacks"
like "stacks" "$err" "dtrace: probe profile:::profile-97 samples no program, and reads dtrace itself: needs CAP_PERFMON *; -c and -p sample a program of yours"
d -qn 'profile-97 { printf("fires"); exit(0); }'
ends 0 "a timer"
like "a timer" "$out" "fires*"
is "a timer: errors" "$err" ""
d -qn 'profile-97 { @[ustack(), arg0] = count(); }' -c "$TARGETS/burn 0.1"
ends 0 "a program"
is "a program: errors" "$err" ""
finish
