# Calls in an interpreter are as many as gdb counts: of the C library, from the first instruction of the
# program on, and of the program itself. How many there are depends on the environment (gdb would add LINES
# and COLUMNS), on where memory is mapped (objects are hashed by their addresses), and on what the standard
# streams are: all the same for both.
# needs: user
# timeout: 120
. tests/lib/lib.sh

need gdb setarch /usr/bin/python3
library='malloc calloc realloc free getenv'
program='PyObject_Malloc PyDict_GetItem PyUnicode_New _PyEval_EvalFrameDefault'
clean() {
	env -i PATH=/usr/bin:/bin PYTHONHASHSEED=0 "$@"
}

{
	echo 'set debuginfod enabled off
set startup-with-shell off
unset environment LINES
unset environment COLUMNS
set breakpoint pending on
catch load libc.so
run
delete'
	n=1
	for function in $library $program; do
		n=$((n + 1))
		echo "break *$function"
		echo "ignore $n 100000000"
	done
	echo 'continue
info breakpoints'
} >"$TMP/commands"
clean gdb -nx -batch -x "$TMP/commands" --args /usr/bin/python3 -S -c pass </dev/null 2>&1 | cat >"$TMP/gdb"
# Breakpoint 2 at ...  and  2  breakpoint ... / breakpoint already hit N times
for function in $library $program; do
	echo "$function"
done >"$TMP/names"
awk 'NR == FNR { name[FNR + 1] = $1; next } $2 == "breakpoint" { n = $1 }
	/already hit/ { print name[n], $4 }' "$TMP/names" "$TMP/gdb" | sort >"$TMP/theirs"
[ "$(wc -l <"$TMP/theirs")" = 9 ] || skip "gdb cannot count here: $(tail -1 "$TMP/gdb")"

clauses=
for function in $library; do
	clauses="$clauses pid\$target:libc.so.6:$function:entry,"
done
for function in $program; do
	clauses="$clauses pid\$target:a.out:$function:entry,"
done
for when in exec preinit; do
	rm -f "$TMP/agg"
	clean setarch -R "$DTRACE" -Zqn "${clauses%,} { @[probefunc] = count(); }" -x evaltime=$when -o "$TMP/agg" \
		-c '/usr/bin/python3 -S -c pass' </dev/null 2>&1 | cat >"$TMP/both"
	is "what it prints" "$(cat "$TMP/both")" ""
	is "from $when on" "$(counts "$TMP/agg")" "$(cat "$TMP/theirs")"
done
finish
