# A running interpreter: the functions of its program, counted right, and its result is the same.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh
need python3

mkfifo "$TMP/tell"
python3 -u -c '
import os, sys
print("ready", os.getpid())
for line in sys.stdin:
    print("sum", sum(len(str(i)) for i in range(int(line))))
' <"$TMP/tell" >"$TMP/said" &
exec 3>"$TMP/tell"
waits_for "$TMP/said" ready python3
target=$(awk '/ready/ { print $2 }' "$TMP/said")
trace -qn 'BEGIN { printf("armed\n"); } pid$target::PyObject_Str:entry { @["str"] = count(); }
	pid$target:libpython*:_PyEval*:entry,pid$target:a.out:_PyEval*:entry { @["eval"] = count(); }' -Z -p "$target"
traced
echo 2000 >&3
waits_for "$TMP/said" 'sum 6890' "python3"
end_trace
ends 0 "^C"
n=$(awk '$1 == "eval" { print $2 }' "$TMP/out")
[ "${n:-0}" -gt 0 ] || fail "nothing was counted: $out"
unharmed "$target" python3
echo 100 >&3
waits_for "$TMP/said" 'sum 190' "python3 afterwards"
exec 3>&-
wait || fail "python3 ended with $?"
target=
finish
