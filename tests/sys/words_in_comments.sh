# Where a program of -c waits for its probes, and how it is let in where ptrace is forbidden, go by the probe
# descriptions of a D program: words in comments, strings and names change nothing.
# needs: root
. tests/lib/lib.sh

clause='syscall:::entry /pid == $target/ { @ = count(); }'
d -qn "$clause" -c /bin/true
ends 0 "plain"
plain=$out
[ "${plain##* }" -gt 0 ] || fail "no system call seen: $out"
for program in "/* fpid */ $clause" "/* pid\$target:::entry, a\`b */ $clause" "$clause END { fpid1 = 1; /* fpid1:::entry */ }" \
	"inline string fpid = \"pid123:::entry\"; $clause" "int fpid1; $clause"; do
	d -qn "$program" -c /bin/true
	ends 0 "$program"
	is "$program" "$(printf '%s' "$out" | tr -d ' \n')" "$(printf '%s' "$plain" | tr -d ' \n')"
done
d -x evaltime=exec -qn "$clause" -c /bin/true
[ "${out##* }" -gt "${plain##* }" ] || fail "evaltime=exec sees as many as postinit: $out"

"$TARGETS/deny" true || skip "no filters of system calls here"
hooks='*runs with hooks by a preloaded library*'
denied() {
	"$TARGETS/deny" "$DTRACE" -n "$1" -c "$TARGETS/t 1" >"$TMP/out" 2>"$TMP/err" </dev/null
	ends 0 "$1" $?
	err=$(cat "$TMP/err")
}
denied 'BEGIN { fpid = "fpid1:::entry"; /* fpid$target:::entry */ }'
# shellcheck disable=SC2254
case $err in $hooks) fail "hooks that nobody asked for: $err" ;; esac
denied 'fpid$target:a.out:leaf:entry { @ = count(); }'
like "hooks that are asked for" "$err" "$hooks"
finish
