# A thread variable belongs to a thread: another one that gets its number later sees nothing of it.
# needs: root
. tests/lib/lib.sh

"$TARGETS/reused" >/dev/null || skip "process ids cannot be chosen here"
d -qn 'pid$target:a.out:first:entry { self->mark = 1; printf("first %d\n", self->mark); }
	pid$target:a.out:second:entry { printf("second %d\n", self->mark); }' -x follow -o "$TMP/said" -c "$TARGETS/reused"
ends 0 "reused"
is "the program" "$out" same
is "the variable" "$(sort "$TMP/said" | grep .)" "first 1
second 0"
finish
