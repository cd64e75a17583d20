# Scripts without an end, and macros that grow without one, are refused within bounds.
# timeout: 200
. tests/lib/lib.sh

d -qs /dev/zero
ends 1 "a script without an end"
is "a script without an end" "$err" "dtrace: failed to compile script /dev/zero: it is longer than 16 MB, which no program may be"
head -c 17000000 /dev/zero | tr '\0' ' ' >"$TMP/long.d"
d -qs "$TMP/long.d"
ends 1 "a long script"
like "a long script" "$err" "*is longer than 16 MB*"
command -v cpp >/dev/null || finish
{
	echo '#define A(x) x + x + x + x + x + x + x + x + x + x'
	echo '#define B(x) A(A(A(x)))'
	echo 'BEGIN { trace(B(B(B(1)))); exit(0); }'
} >"$TMP/grows.d"
d -qCs "$TMP/grows.d"
ends 1 "macros that grow"
like "macros that grow" "$err" "*dtrace: failed to compile script $TMP/grows.d: *"
finish
