# ustack() shows the callers, without frame pointers too.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:leaf:entry /!n++/ { ustack(3); }' -c "$TARGETS/t 1" -o "$TMP/agg"
ends 0 ustack
is "first three frames" "$(sed 's/+0x[0-9a-f]*$//; s/^ *//' "$TMP/agg" | grep .)" 't`leaf
t`work
t`thread_main'
d -x maxframes=2 -qn 'pid$target:a.out:leaf:entry /!n++/ { ustack(3); }' -c "$TARGETS/t 1" -o "$TMP/agg1"
is "maxframes" "$(sed 's/+0x[0-9a-f]*$//; s/^ *//' "$TMP/agg1" | grep .)" 't`leaf
t`work'
d -x maxframes=2 -qn 'pid$target:a.out:leaf:entry /!n++/ { printf("%d %d", ustackdepth, stackdepth); }' -c "$TARGETS/t 1" -o "$TMP/agg4"
is "the depth with maxframes" "$(cat "$TMP/agg4")" "2 0"
d -qn 'pid$target:a.out:recurse:entry /arg0 == 0/ { @[ustack(100)] = count(); }' -c "$TARGETS/t 1" -o "$TMP/agg2"
is "frames of the recursion" "$(grep -c 't`recurse' "$TMP/agg2")" 10
grep -q 't`main' "$TMP/agg2" || fail "main is missing: $(cat "$TMP/agg2")"
grep -q 'libc.so.6`__libc_start' "$TMP/agg2" || fail "the stack ends early: $(cat "$TMP/agg2")"
d -qn 'pid$target:a.out:_start:entry { ustack(); printf("%d", ustackdepth); }' -x evaltime=exec \
	-c "$TARGETS/t 1" -o "$TMP/agg3"
is "nobody calls _start" "$(echo $(cat "$TMP/agg3"))" "t\`_start 1"
finish
