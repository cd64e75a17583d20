# A ring of records keeps the last ones, with nothing missing between.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
# a ring is one CPU's: a program that is moved to another CPU leaves older records in the first one's
taskset -pc "$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')" $$ >/dev/null || fail "taskset: status $?"
script lastcalls -c "$work"
is "the last call" "$(echo "$out" | awk 'NF == 2 { last = $2 } END { print last }')" exit_group
echo "$out" | awk 'NF == 2 { print $1 }' | sort -n >"$TMP/n"
lines=$(wc -l <"$TMP/n")
[ "$lines" -gt 10 ] && [ "$lines" -lt 300 ] || fail "a ring of 2k has $lines records"
is "numbers of them without a gap" "$lines" "$(($(tail -1 "$TMP/n") - $(head -1 "$TMP/n") + 1))"
finish
