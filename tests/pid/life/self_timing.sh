# self-> keeps a time between entry and return of a thread; arg1 is main's value.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target::main:entry { self->t = timestamp } pid$target::main:return /self->t/ { printf("%d %s\n", arg1, probefunc) }' -c "$TARGETS/t" -o "$TMP/agg"
ends 0 main
is "main returned" "$(cat "$TMP/agg")" "0 main"

d -qn 'pid$target:a.out:work:entry { self->t = timestamp; }
    pid$target:a.out:work:return /self->t/ { @ = count(); @m = min(timestamp - self->t); self->t = 0; }' -c "$TARGETS/t 100 4" -o "$TMP/agg2"
n=$(awk 'NF == 1 && $1 > 0' "$TMP/agg2" | head -1 | tr -d ' ')
is "four threads" "$n" 4
finish
