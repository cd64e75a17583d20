# A recording in which one event reads the counters of others (perf record -e '{a,b}:S'): what those have
# counted since the last sample is a sample of theirs, as perf script has it.
# needs: root
# timeout: 60
. tests/lib/lib.sh

need perf
perf record -q -e '{context-switches,page-faults,task-clock}:S' -c 1 -o "$TMP/g.data" -- sh -c 'for i in 1 2 3 4 5; do /bin/true; done' \
	>"$TMP/log" 2>&1 || skip "perf record: $(tail -1 "$TMP/log")"
perf script -i "$TMP/g.data" -F event,period 2>/dev/null | sed 's/:u\{0,1\}: *$//; s/: *$//' >"$TMP/script"
[ "$(awk '{ print $2 }' "$TMP/script" | sort -u | wc -l)" = 3 ] || skip "perf script shows the leader only: $(head -3 "$TMP/script")"
awk '{ n[$2]++ } END { for (e in n) print e, n[e] }' "$TMP/script" | sort >"$TMP/want"
d -E "$TMP/g.data" -qn 'pmc:::page-faults, pmc:::task-clock { @n[probename] = count(); }
	pmc:::context-switches { @n[probename] = count(); }'
ends 0 "a group"
is "a group" "$(echo "$out" | awk 'NF == 2 { print $1, $2 }' | sort)" "$(cat "$TMP/want")"
# nobody asks for the leader
d -E "$TMP/g.data" -qn 'pmc:::page-faults { @ = count(); }'
is "a member alone" "$(echo $out)" "$(awk '$1 == "page-faults" { print $2 }' "$TMP/want")"
# and the lines without a program
d -E "$TMP/g.data" -qx fields=event,period
# that of the leader is one, and not in its records
is "lines" "$(echo "$out" | awk '{ sub(":u$", "", $1); print $2 == "-" ? 1 : $2, $1 }' | sort)" "$(awk '{ print $1, $2 }' "$TMP/script" | sort)"
finish
