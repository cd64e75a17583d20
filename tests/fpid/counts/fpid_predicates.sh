# Predicates that compare one word with a constant are decided before anything else is done: whichever way they are
# written, they hold where those of recorded calls hold.
# needs: user
. tests/lib/lib.sh

same() { # same CLAUSES: with and without claims; something is counted, and not everything
	d -qn "$1" -o "$TMP/claimed" -c "$TARGETS/hot 3000"
	ends 0 "$1"
	d -qn "$1" -x claim=off -o "$TMP/recorded" -c "$TARGETS/hot 3000"
	ends 0 "$1, recorded"
	cmp -s "$TMP/claimed" "$TMP/recorded" ||
		fail "$1: $(echo $(cat "$TMP/claimed")), recorded: $(echo $(cat "$TMP/recorded"))"
	rm -f "$TMP/claimed" "$TMP/recorded"
}

f='fpid$target:a.out:f'
for p in 'arg0 < 5' '5 > arg0' '700 <= arg0' 'arg0 >= -5' 'arg0 <= -1' 'arg0 == 1023' '1023 != arg0' 'arg0' 'arg1 == 0' \
	'(unsigned)arg0 > 1000' 'arg0 < 0x7fffffff' 'arg0 < 0x80000000' 'arg0 > -0x80000000' 'tid != 0' 'tid == 5' \
	'arg0 + 0 < 5' 'arg0 < arg1' 'arg0 > 5 && arg0 < 9'; do
	same "$f:entry /$p/ { @ = count(); }"
done
for p in 'arg1 == 3' 'arg1 < 512' 'arg0 == 0' 'self->a > 500' 'self->a == 500' 'self->a'; do
	same "$f:entry { self->a = arg0; } $f:return /$p/ { @ = sum(arg1); }"
done
for p in 'self->x' 'self->x == 0'; do
	same "self int x; $f:entry /$p/ { @ = count(); }"
done
same "$f:entry /arg0 < 5/ { @a = count(); } $f:entry /arg0 > 1000/ { @b = count(); } $f:entry { @c = count(); }"
finish
