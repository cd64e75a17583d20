# The manual pages render without a warning; each provider has one, and the language's names every
# built-in variable, action, subroutine and aggregating function.
. tests/lib/lib.sh

docs/tools/pages "$(realpath "$TMP")" || fail "docs/tools/pages: status $?"
tried=
for page in docs/*.[1-7] "$TMP"/dtrace-*.[78]; do
	if command -v groff >/dev/null; then
		tried=1
		said=$(groff -t -ww -man -Tutf8 "$page" 2>&1 >"$TMP/text")
		is "$page: groff" "$said" ""
		[ "$(wc -l <"$TMP/text")" -gt 15 ] || fail "$page: groff prints $(wc -l <"$TMP/text") lines"
	fi
	if command -v mandoc >/dev/null; then
		tried=1
		is "$page: mandoc" "$(mandoc -Tlint -W warning "$page" 2>&1)" ""
	fi
done
[ -n "$tried" ] || skip "no groff and no mandoc"
for provider in $("$DTRACE" --list-providers); do
	[ -e "docs/dtrace-$provider.7" ] || grep -q "^\.B[RI]* $provider\\b" docs/dtrace.1 || fail "no page of provider $provider"
done
for tool in $("$DTRACE" --tools | cut -d' ' -f1); do
	[ -e "$TMP/dtrace-$tool.8" ] || fail "no page of tool $tool (docs/tools/$tool.md)"
	grep -q "^.BR dtrace-$tool (8)" "$TMP/dtrace-tools.7" || fail "$tool is not in dtrace-tools(7)"
	grep -q "^[$] dtrace --tool $tool " "docs/tools/$tool.md" || fail "docs/tools/$tool.md has no example"
done
for page in docs/dtrace-*.7; do
	name=$(basename "$page" .7)
	grep -q "^\.BR $name (7)" docs/dtrace.1 || fail "$page: not in SEE ALSO of docs/dtrace.1"
done
# what -lv says of the arguments of dnet is in its page
"$DTRACE" -lvn 'dnet:::' | sed -n 's/^.Meaning of the arguments: //p' | sort -u >"$TMP/meanings"
[ "$(wc -l <"$TMP/meanings")" -gt 15 ] || fail "meanings: $(cat "$TMP/meanings")"
while read -r meaning; do
	grep -qxF "arguments: $meaning" docs/dtrace-dnet.7 || fail "docs/dtrace-dnet.7 does not say: $meaning"
done <"$TMP/meanings"
finish
