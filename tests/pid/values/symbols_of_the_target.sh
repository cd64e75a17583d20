# External symbols: of a named process, of a stripped program as the operand of a cast, of a separate
# debug file.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:nothing:entry { printf("%d", *(int *)&`counter); trace((int)`counter); exit(0); }' \
	-c "$TARGETS/types-nodebug"
ends 0 "a symbol without type"
is "as the operand of a cast, and its address" "$out" "4242"

d -qn 'BEGIN { trace(`counter); exit(0); }' -c "$TARGETS/types-nodebug"
ends 1 "a symbol without type as a value"
like "says so" "$err" "*no type is known for symbol \`counter of module types-nodebug*"

need objcopy
cp "$TARGETS/types" "$TMP/split"
objcopy --only-keep-debug "$TMP/split" "$TMP/split.debug"
objcopy --strip-all --add-gnu-debuglink="$TMP/split.debug" "$TMP/split"
d -qn 'pid$target:a.out:find:entry { printf("%d %d", args[0]->value, `counter); exit(0); }' -c "$TMP/split"
ends 0 "a separate debug file"
is "types from it" "$out" "1 42"

if command -v gcc >/dev/null 2>&1; then
	echo 'static int gone = 43; int main(int argc, char **argv) { return argc + gone == 0; }' >"$TMP/o.c"
	gcc -g -O2 -o "$TMP/o" "$TMP/o.c"
	d -qn 'pid$target:a.out:main:entry { trace(`gone); }' -c "$TMP/o"
	ends 1 "a variable without a place"
	like "a variable without a place" "$err" "*failed to resolve \`gone: the compiler has optimized it away"
fi

sleep 30 &
pid=$!
until grep -q libc.so "/proc/$pid/maps"; do :; done # it has executed, and its libraries are there
d -qn 'BEGIN { trace(&pid'$pid'`libc`environ == &libc.so.6`environ); exit(0); }' -p $pid
kill $pid
ends 0 "a process by its number: $err"
is "the same symbol" "$out" 1
finish
