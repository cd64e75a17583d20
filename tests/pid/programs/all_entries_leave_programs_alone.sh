# With every function's entry probed, a program prints what it prints and ends as it ends.
# needs: user
# timeout: 300
. tests/lib/lib.sh

[ -z "$SAN" ] || skip "too slow with sanitizers"
same() { # same NAME COMMAND: like an untraced run
	sh -c "$2" >"$TMP/want" 2>"$TMP/wanterr" </dev/null
	want=$?
	d -qn 'pid$target:::entry { @["calls"] = count(); }' -o "$TMP/agg.$1" -c "$2"
	ends 0 "$1"
	is "$1: its output" "$out" "$(cat "$TMP/want")"
	is "$1: its errors" "$(printf '%s\n' "$err" | grep -v '^dtrace: pid [0-9]* exited with status')" "$(cat "$TMP/wanterr")"
	n=$(awk '$1 == "calls" { print $2 }' "$TMP/agg.$1")
	[ "${n:-0}" -gt 20 ] || fail "$1: only ${n:-0} calls"
	want=$want
}

same true "/bin/true"
same ls "/bin/ls -l /etc/passwd"
command -v python3 >/dev/null 2>&1 && same python "python3 -S -c 'print(sum(range(10)))'"
command -v sqlite3 >/dev/null 2>&1 && same sqlite "sqlite3 :memory: 'create table t(a); insert into t values(1),(2); select sum(a) from t'"
same bash "bash --norc -c 'for i in 1 2 3; do echo \$i; done; exit 3'"
finish
