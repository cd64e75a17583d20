# The tree builds with clang without a warning, and every header compiles alone.
# timeout: 600
. tests/lib/lib.sh

need clang
[ -z "$SAN" ] || skip "once is enough"
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s CC=clang BUILD=build/clang objs build/clang/dtrace.o >"$TMP/log" 2>&1 || fail "$(tail -20 "$TMP/log")"
for header in $(find base symbols tracer inject dlang providers command -name '*.h' ! -path '*/bpf/*'); do
	clang -std=gnu11 -D_GNU_SOURCE -iquote . -fsyntax-only -x c "$header" -Wno-pragma-once-outside-header >"$TMP/log" 2>&1 ||
		fail "$header does not compile alone: $(head -3 "$TMP/log")"
done
finish
