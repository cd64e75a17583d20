# Trace output goes to standard output or the -o file; messages go to standard error.
. tests/lib/lib.sh

d -n 'BEGIN { printf("out\n"); x = 0; y = 1 / x; } BEGIN { exit(0); }'
like "fault on stderr" "$err" "*divide-by-zero*"
d -o "$TMP/f" -qn 'BEGIN { printf("one\n"); exit(0); }'
is "nothing on stdout" "$out" ""
d -o "$TMP/f" -qn 'BEGIN { printf("two\n"); exit(0); }'
is "-o appends" "$(cat "$TMP/f")" "one

two"
d -o "$TMP/g" -qwn 'BEGIN { system("echo hi"); exit(0); }'
is "system() writes to stdout" "$out" "hi"
d -o /nonexistent/f -qn 'BEGIN { exit(0); }'
ends 1 "-o"
is "-o" "$err" "dtrace: failed to open output file '/nonexistent/f': No such file or directory"
finish
