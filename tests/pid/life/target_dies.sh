# A target that is killed while probed ends the run in order.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:leaf:entry { n++; @ = count(); } pid$target:a.out:leaf:entry /n == 50/ { raise(9); } END { printf("end %d\n", n); }' -w -c "$TARGETS/t 100000" -o "$TMP/agg"
ends 0 "killed"
like "END ran" "$(head -1 "$TMP/agg")" "end *"
finish
