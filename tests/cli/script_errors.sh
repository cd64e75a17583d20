# A script that fails says file, line and, with errtags, the tag; status 1.
. tests/lib/lib.sh

printf 'BEGIN\n{\n\ttrace(1);\n\tpid = 1;\n}\n' >"$TMP/t.d"
d -s "$TMP/t.d"
ends 1 "script"
is "script" "$err" "dtrace: failed to compile script $TMP/t.d: line 4: operator = can only be applied to a writable variable"
d -x errtags -s "$TMP/t.d"
is "errtags" "$err" "dtrace: failed to compile script $TMP/t.d: [D_OP_WRITE] line 4: operator = can only be applied to a writable variable"
is "stdout" "$out" ""
d -s "$TMP/nosuch.d"
ends 1 "missing"
is "missing" "$err" "dtrace: failed to open $TMP/nosuch.d: No such file or directory"
d -s "$TMP"
ends 1 "directory"
is "directory" "$err" "dtrace: failed to compile script $TMP: Error occurred while reading from input stream: Is a directory"
: >"$TMP/empty.d"
d -s "$TMP/empty.d"
ends 1 "empty"
like "empty" "$err" "dtrace: failed to compile script $TMP/empty.d: line 1: empty D program translation unit"
head -c 3000 /dev/urandom >"$TMP/noise.d"
d -s "$TMP/noise.d"
ends 1 "noise"
is "noise is one sentence" "$(grep -a -c '^dtrace: ' "$TMP/err")" 1
# However long a text is, the message ends with the reason.
text="BEGIN { $(printf 'x = 1; %.0s' $(seq 1000)) trace(nosuch); }"
d -n "$text"
is "a long text" "$status $err" "1 dtrace: invalid probe specifier BEGIN ...: line 1: in action list: failed to resolve nosuch: Unknown variable name"
finish
