# At entry arg0 to arg5 are the argument registers and arg6 and up the stack.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:six:entry /!n++/ {
	printf("%d %d %d %d %d %d %d", arg0, arg1, arg2, arg3, arg4, arg5, arg6); }' -c "$TARGETS/t 1" -o "$TMP/agg"
ends 0 six
is "arguments of six(0, 1, 2, 3, 4, 5, 6)" "$(cat "$TMP/agg")" "0 1 2 3 4 5 6"

d -qn 'pid$target:a.out:six:return /!n++/ { printf("%d", arg1); }' -c "$TARGETS/t 1" -o "$TMP/agg2"
is "six(0, 1, ... 6)" "$(cat "$TMP/agg2")" "112"
finish
