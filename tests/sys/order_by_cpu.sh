# -x temporal=no: the records of one CPU after those of another, each in order of time; BEGIN's come first, END's
# last.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

cat >"$TMP/t.d" <<'END'
BEGIN { printf("begin\n"); }
profile-499 { printf("%d %d\n", cpu, timestamp); }
tick-10ms /++n == 30/ { exit(0); }
END { printf("end\n"); }
END
ordered() { # ordered WHAT: the records of $out are sorted by CPU and time, between those of BEGIN and END
	is "$1: BEGIN first, END last" "$(echo "$out" | sed -n '1p;$p' | tr '\n' ' ')" "begin end "
	echo "$out" | grep '^[0-9]' >"$TMP/got"
	sort -s -k1,1n -k2,2n "$TMP/got" | cmp -s - "$TMP/got" || fail "$1: not in order"
}
# A buffer that is read at the end only is one cycle, whatever the machine is doing.
d -x bufpolicy=fill -x temporal=no -qs "$TMP/t.d"
ends 0 "temporal=no"
ordered "by CPU"
d -x switchrate=20ms -x temporal=off -qs "$TMP/t.d"
ends 0 "many cycles"
is "BEGIN first, END last" "$(echo "$out" | sed -n '1p;$p' | tr '\n' ' ')" "begin end "
finish
