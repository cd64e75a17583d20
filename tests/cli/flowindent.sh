# -F: entry and return indent by thread, whatever CPU a thread is on; other probes keep the indent.
# needs: user
. tests/lib/lib.sh
unset _DTRACE_TESTING

d -Fn 'pid$target:a.out:tail:entry,pid$target:a.out:leaf:entry,pid$target:a.out:leaf:return,pid$target:a.out:tail:return { }
	pid$target:a.out:leaf:0 { trace("in"); }' -c "$TARGETS/t 400"
ends 0 "-F"
is "the header" "$(sed -n '/^CPU/p' "$TMP/out")" "CPU FUNCTION                                 "
sed 's/^ *[0-9]* \([ ]*[-<|=>]\)/\1/; s/ *$//' "$TMP/out" | grep 'leaf\|tail' | grep -v '^leaf\|^tail' | sort | uniq -c |
	sed 's/^ *//' >"$TMP/counts"
grep -q '^[0-9]*   *| leaf:0' "$TMP/counts" || fail "no line of an instruction: $(cat "$TMP/counts")"
# every entry at one depth has its return at that depth
awk '{ n = $1; sub(/^[0-9]+ /, ""); d = match($0, /[^ ]/); if ($0 ~ /->/) in_[d] += n; if ($0 ~ /<-/) out[d] += n }
	END { for (d in in_) if (in_[d] != out[d]) print d, in_[d], out[d] }' "$TMP/counts" >"$TMP/odd"
is "entries without their returns, by depth" "$(cat "$TMP/odd")" ""
like "-> and <-" "$(cat "$TMP/counts")" "*-> leaf*<- leaf*"
finish
