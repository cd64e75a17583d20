# -C: scripts go through cpp; -D -U -I -H -X and their -x names are its arguments.
. tests/lib/lib.sh
need cpp

printf '#define NINE 9\n' >"$TMP/f.h"
cat >"$TMP/t.d" <<'END'
#!/usr/sbin/dtrace -s
#include "f.h"
#ifdef X
BEGIN { printf("%d %d %x", NINE, X, __SUNW_D_VERSION); exit(0); }
#endif
#if defined(__linux) && defined(__unix) && defined(__SVR4) && defined(__SUNW_D) && defined(__Linux)
BEGIN { printf(" os"); }
#endif
#ifdef __GNUC__
BEGIN { printf("never"); }
#endif
END { printf("."); }
END
d -qC "-I$TMP" -D X=3 -s "$TMP/t.d"
ends 0 "-C"
is "-C" "$out" "9 3 2000000."
is "stderr" "$err" ""
d -q -s "$TMP/t.d" -I "$TMP" -x cpp -x define=X=4
is "options behind -s" "$out" "9 4 2000000."
d -q -C -x incdir="$TMP" -x cppargs="-DX=5 -DY" -s "$TMP/t.d"
is "cppargs" "$out" "9 5 2000000."
d -q -C -I "$TMP" -DX=1 -UX -x zdefs -n 'BEGIN { exit(0); }' -s "$TMP/t.d"
is "-D and -U in order" "$out" "."
d -qCH -I "$TMP" -DX=1 -s "$TMP/t.d"
like "-H" "$err" ". $TMP/f.h*"

d -C -D X=1 -s "$TMP/t.d"
ends 1 "without -I"
like "cpp's own words" "$err" "/dev/stdin:2:*f.h*"
like "and ours" "$err" "*
dtrace: failed to compile script $TMP/t.d: Preprocessor failed to process input program"
# it is run by the last part of its name
if command -v cc >/dev/null; then
	echo 'int puts(const char *); int main(int n, char **v) { puts("BEGIN { exit(0); }"); return n < 1 || v[0][0] != 0x6d; }' >"$TMP/c.c"
	cc -o "$TMP/mycpp" "$TMP/c.c" || fail "cc"
	d -qC -x cpppath="$TMP/mycpp" -s "$TMP/t.d"
	ends 0 "its argv[0]"
fi
d -C -x cpppath="$TMP/nosuch" -s "$TMP/t.d"
ends 1 "no cpp"
is "no cpp" "$err" "dtrace: failed to compile script $TMP/t.d: Preprocessor not found"
printf 'BEGIN\n{\n\ttrace(nosuch);\n}\n' >"$TMP/bad.d"
for mode in a c s t; do
	d -C -X $mode -s "$TMP/bad.d"
	is "line of an error, -X $mode" "$err" "dtrace: failed to compile script $TMP/bad.d: line 3: failed to resolve nosuch: Unknown variable name"
done
d -X Q -n BEGIN
ends 1 "-X Q"
is "-X Q" "$err" "dtrace: failed to set -X Q: Invalid value for specified option: 'Q'; allowed: a, c, s, t"
d -x stdc=s -qn 'BEGIN { exit(0); }'
ends 0 "stdc"
# -n texts are not preprocessed
d -C -DNINE=9 -n 'BEGIN { trace(NINE); }'
ends 1 "-n"
like "-n" "$err" "*failed to resolve NINE: Unknown variable name"
# no option of cpp may be set in a program
for o in cpphdrs cpppath=x define=X undef=X incdir=x stdc=a; do
	name=${o%=*}
	d -n "#pragma D option $o
BEGIN { exit(0); }"
	like "pragma $name" "$err" "*failed to set option '$name'*: Option cannot be used from within a D program"
done
finish
