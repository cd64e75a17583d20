# System calls of a program and its children, counted: as many as strace -f -c counts.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need strace

# compare COMMAND...: calls that never return are not in strace's table
compare() {
	rm -f "$TMP/ours"
	"$DTRACE" -x evaltime=exec -qo "$TMP/ours" -n 'syscall:::entry /probefunc != "exit_group" && probefunc != "exit"/ { @[probefunc] = count(); }' \
		-c "$1" >/dev/null 2>"$TMP/err" </dev/null || fail "$1: $(cat "$TMP/err")"
	eval "strace -f -c -o '$TMP/strace' $1" >/dev/null 2>&1 </dev/null
	awk '$NF != "total" && $4 ~ /^[0-9]+$/ { print $NF, $4 }' "$TMP/strace" | sort >"$TMP/theirs"
	counts "$TMP/ours" >"$TMP/sorted"
	diff "$TMP/sorted" "$TMP/theirs" >"$TMP/diff" || fail "$1: ours < > strace's
$(cat "$TMP/diff")"
}

compare "ls /"
compare "cat /etc/hostname /nonexistent"
compare "sh -c '/bin/true; /bin/ls / >/dev/null; (echo a; echo b)'"
# without the predicate: counted in the kernel
rm "$TMP/ours"
"$DTRACE" -x evaltime=exec -qo "$TMP/ours" -n 'syscall:::entry { @[probefunc] = count(); }' -c "ls /" >/dev/null 2>&1 </dev/null
"$DTRACE" -x evaltime=exec -qo "$TMP/records" -x claim=off -n 'syscall:::entry { @[probefunc] = count(); }' -c "ls /" >/dev/null 2>&1 </dev/null
is "counted and recorded" "$(counts "$TMP/ours")" "$(counts "$TMP/records")"
# every call but exit_group comes back
"$DTRACE" -x evaltime=exec -qo "$TMP/returns" -n 'syscall:::return { @[probefunc] = count(); }' -c "ls /" >/dev/null 2>&1 </dev/null
is "returns" "$(counts "$TMP/returns")" "$(counts "$TMP/ours" | grep -v exit_group)"
finish
