# Output that cannot be written is told in one line, and the status is not 0. Tracing goes on, as a full device may
# recover, unless the text was too long to be held until the end of a work cycle.
. tests/lib/lib.sh

# gives STATUS WANT WHAT COMMAND...: status and standard error
gives() {
	want_status=$1 want=$2 what=$3
	shift 3
	"$DTRACE" "$@" >/dev/full 2>"$TMP/err" </dev/null
	is "$what: status" "$?" "$want_status"
	is "$what: words" "$(cat "$TMP/err")" "$want"
}

[ -c /dev/full ] || skip "no /dev/full"
full="dtrace: failed to write to <stdout>: No space left on device"
gives 1 "$full" "a list" -lP dtrace
gives 1 "$full" "a list of a program's functions" -ln 'pid$target:a.out::entry' -c "$TARGETS/hot 1"
gives 1 "$full" "a list with arguments" -lvn BEGIN
gives 1 "$full" "the help" --help
gives 1 "$full" "the version" -V
gives 1 "$full" "the examples" --examples
gives 1 "$full" "the doctor" --doctor

gives 1 "$full" "a line" -qn 'BEGIN { printf("x\n"); exit(0); }'
gives 3 "$full" "a line and a status" -qn 'BEGIN { printf("x\n"); exit(3); }'
gives 1 "$full" "an aggregation at the end" -qn 'BEGIN { @ = count(); exit(0); }'
gives 1 "$full" "json" -qx oformat=json -n 'BEGIN { @ = count(); exit(0); }'
gives 1 "$full" "a flush before a command" -wqn 'BEGIN { printf("x"); system("true"); printf("y"); exit(0); }'
gives 1 "$full" "more than is held" -qn 'BEGIN { printf("%300000d\n", 1); printf("%300000d\n", 1); } BEGIN { trace(1); } END { trace(2); } tick-1s { exit(0); }'
gives 1 "dtrace: failed to write to /dev/full: No space left on device" "-o" -qo /dev/full -n 'BEGIN { printf("x\n"); exit(0); }'
gives 1 "dtrace: failed to write to /dev/full: No space left on device" "freopen" \
	-wqn 'BEGIN { freopen("/dev/full"); printf("x\n"); freopen(""); exit(0); }'
gives 1 "$full" "html" -qx oformat=html -n 'BEGIN { @ = count(); exit(0); }'
gives 1 "$full" "printa" -qn 'BEGIN { @ = count(); printa(@); exit(0); }'
gives 1 "$full" "END" -qn 'BEGIN { exit(0); } END { printf("x"); }'

# A limit of the size of files, which would end the command by a signal. The thread sanitizer writes a file into
# TMPDIR, if it can, before the command is asked.
[ -z "$SAN" ] || export TMPDIR="$TMP/none"
limited() {
	rm -f "$TMP/limited"
	(
		ulimit -f 0
		exec "$DTRACE" "$@" 2>&1 >"$TMP/limited" </dev/null
	)
}
is "a limit of files, stdout" "$(limited -qn 'BEGIN { trace(1); exit(0); }')" "dtrace: failed to write to <stdout>: File too large"
is "a limit of files, the help" "$(limited --help)" "dtrace: failed to write to <stdout>: File too large"
is "a limit of files, -o" "$(limited -o "$TMP/limited" -qn 'BEGIN { @ = count(); exit(0); }')" "dtrace: failed to write to $TMP/limited: File too large"
(ulimit -f 0 && exec "$DTRACE" -qn 'BEGIN { trace(1); exit(0); }' >"$TMP/limited" 2>/dev/null </dev/null)
is "a limit of files: status" $? 1
d -wqn 'BEGIN { system("ulimit -f 0; echo x >%s/x; echo not killed", "'"$TMP"'"); exit(0); }'
is "programs have the signal as it was" "$out" ""
finish
