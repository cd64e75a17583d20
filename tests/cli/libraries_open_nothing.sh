# The libraries that every program is compiled with need no type of the kernel or of the traced programs:
# to read those takes ten times as long as all else that a short run does.
. tests/lib/lib.sh

need strace
strace -f -qq -e trace=openat -o "$TMP/opened" "$DTRACE" -qn 'BEGIN { exit(0); }' >"$TMP/out" 2>&1 ||
	skip "strace does not work here: $(tail -1 "$TMP/out")"
grep -q 'lib/files\.d' "$TMP/opened" || fail "files.d was not read: $(tail -5 "$TMP/opened")"
is "types that were read" "$(grep 'btf/vmlinux' "$TMP/opened")" ""
finish
