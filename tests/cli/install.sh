# make install copies the command and its manual; the installed command runs from anywhere.
. tests/lib/lib.sh

[ -z "$SAN" ] || skip "once is enough"
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s install DESTDIR="$TMP/root" PREFIX=/opt/dtrace >"$TMP/log" 2>&1 || fail "$(cat "$TMP/log")"
[ -f "$TMP/root/opt/dtrace/share/man/man1/dtrace.1" ] || fail "no manual page"
[ -f "$TMP/root/opt/dtrace/share/man/man7/dtrace-pid.7" ] || fail "no manual page of the pid provider"
[ -f "$TMP/root/opt/dtrace/share/man/man8/dtrace-funccount.8" ] || fail "no manual page of a tool"
got=$(cd / && "$TMP/root/opt/dtrace/bin/dtrace" --tool syscount -- true 2>&1)
like "an installed tool" "$got" "*openat *"
[ -x "$TMP/root/opt/dtrace/lib/libdtrace-script.so" ] || fail "no library for scripts"
echo '#include <dtrace/probe.h>
int main(void) { DTRACE_PROBE(a, b); return 0; }' | cc -I "$TMP/root/opt/dtrace/include" -o "$TMP/p" -x c - || fail "the header of probes"
got=$(cd / && "$TMP/root/opt/dtrace/bin/dtrace" -qn 'BEGIN { printf("runs"); exit(0); }')
is "the installed command" "$got" runs
got=$(cd / && "$TMP/root/opt/dtrace/bin/dtrace" -qn 'BEGIN { printf("%s %d", curpsinfo->pr_fname, ENOENT); exit(0); }')
is "its libraries" "$got" "dtrace 2"
make help | grep -q '^make check ' || fail "make help does not list itself: $(make help)"
finish
