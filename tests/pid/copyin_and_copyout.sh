# copyinstr reads the target's memory; a bad address is the fault invalid address.
# needs: user
. tests/lib.sh

d -qn 'pid$target:libc.so.6:write:entry, pid$target:libc.so.6:__write:entry /!n++/ { printf("%s|", stringof(copyin(arg1, arg2))); printf("%s\n", copyinstr(arg1, 4)); }' \
	-c '/bin/echo hello world' -o "$TMP/agg"
ends 0 copyin
is "the text written" "$(head -2 "$TMP/agg" | tr '\n' '~')" "hello world~|hell~"
d -qn 'pid$target:a.out:leaf:entry /!n++/ { trace(copyinstr(1)); } ERROR { printf("%d %d", arg4, arg5); exit(0); }' -c "$TARGETS/t 1" -o "$TMP/agg2"
is "fault and address" "$(cat "$TMP/agg2")" "1 1"
like "message" "$err" "dtrace: error on enabled probe ID 1 (ID *: pid*:t:leaf:entry): invalid address (0x1) in action #1 at DIF offset *"
finish
