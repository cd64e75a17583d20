# A function goes by the name under which programs are linked to it, not by one that only old ones call it
# by: free, not cfree@GLIBC_2.2.5. The old name still finds it.
# needs: user
. tests/lib/lib.sh

need cc
cat >"$TMP/lib.c" <<'EOF'
int release_it(int x) { return x + 1; }
extern int afree(int) __attribute__((alias("release_it")));
asm(".symver afree, afree@V1");
EOF
cat >"$TMP/prog.c" <<'EOF'
int release_it(int);
int main(void) { return release_it(1) != 2; }
EOF
echo 'V1 { }; V2 { global: release_it; local: *; } V1;' >"$TMP/map"
(
	cd "$TMP" || exit
	cc -O1 -shared -fPIC -o libold.so lib.c -Wl,--version-script=map &&
		cc -o prog prog.c -L. -lold "-Wl,-rpath,$TMP"
) || skip "no versions of symbols here"
for what in symtab stripped; do
	[ $what = symtab ] || strip "$TMP/libold.so"
	for name in release_it afree 'rel*'; do
		d -qn "pid\$target:libold.so:$name:entry { printf(\"%s\n\", probefunc); }" -c "$TMP/prog"
		is "$what: $name" "$out" release_it
	done
done
finish
