# make static makes a tarball whose command needs no shared library and finds its own ones wherever it lies.
# timeout: 120
. tests/lib/lib.sh

[ -z "$SAN" ] || skip "once is enough"
need cc tar
echo 'int main(void) { return 0; }' >"$TMP/t.c"
cc -static -o "$TMP/t" "$TMP/t.c" -ldw -lelf -lz -llzma -lbz2 >"$TMP/log" 2>&1 ||
	skip "no static libraries: $(tail -1 "$TMP/log")"
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s static >"$TMP/log" 2>&1 || fail "$(cat "$TMP/log")"
tar -C "$TMP" -xzf build/dtrace-static.tar.gz
ldd "$TMP/dtrace/bin/dtrace" >"$TMP/ldd" 2>&1
like "no shared library" "$(cat "$TMP/ldd")" "*not a dynamic executable*"
DTRACE=$TMP/dtrace/bin/dtrace
d -qn 'BEGIN { printf("%s %d", curpsinfo->pr_fname, ENOENT); exit(0); }'
is "it runs, with its libraries" "$status $out" "0 dtrace 2"
d -qn 'pid$target:a.out:leaf:entry { @[args[0] >= 0, stringof(probefunc)] = count(); @s[ufunc(ucaller)] = count(); }' \
	-c "$TARGETS/t 3"
ends 0 "it traces"
like "types and symbols" "$out" "*1  leaf * 4*t\`work * 4*"
[ -f "$TMP/dtrace/share/man/man1/dtrace.1" ] || fail "no manual page"
finish
