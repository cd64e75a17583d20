# -p and -c mixed: $target is the first of the command line, the run ends when all are gone, -p targets
# are never ended by us; pidNNN in a program attaches by itself, and nobody waits for that one.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

start_waits 1
d -qn "BEGIN { printf(\"%d\n\", \$target); exit(0); }" -p "$target" -c "$TARGETS/t 10"
ends 0 "-p before -c"
is "the first is -p" "$out" "$target"
d -qn "BEGIN { printf(\"%d\n\", \$target == $target); exit(0); }" -c "$TARGETS/t 10" -p "$target"
is "the first is -c" "$out" 0
d -qn "BEGIN { exit(0); }" -p "$target" -p "$target"
ends 0 "twice the same"
unharmed "$target" "after the first"

d -qn "pid\$target:a.out:leaf:entry { @a[probefunc] = count(); } pid$target:a.out:count_me:entry { @a[probefunc] = count(); }" \
	-c "$TARGETS/t 10"
ends 0 "a process that the program names"
is "calls" "$(grep -c '^  *leaf  *11' "$TMP/out")" 1
unharmed "$target" "named"

trace -qn "BEGIN { printf(\"armed\n\"); } pid\$target:a.out:count_me:entry { @a[probefunc] = count(); } pid$$:::entry { x++; }
	END { printf(\"end\n\"); }" -x zdefs -p "$target" -c "$TARGETS/t 10"
i=0
while [ $i -lt 30 ] && kill -0 "$tracer" 2>/dev/null; do # -c has ended, -p lives: the run goes on
	i=$((i + 1))
	sleep 0.01
done
traced
tell run 5
waits_for "$TMP/said" 'calls 5' "the work"
tell quit
target_ends
trace_ends
ends 0 "the run ended by itself"
is "count_me" "$(grep -c 'count_me  *5$' "$TMP/out")" 1
unharmed $$ "the shell, named in the program"
finish
