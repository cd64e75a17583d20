# Code with several names (a symbol, indirect functions that chose it) is meant once by a pattern, by the preferred
# name that matches; by a name that is written out under that name; each clause fires once a call.
# needs: user
. tests/lib/lib.sh

need cc
cat >"$TMP/prog.c" <<'EOF'
#include <stdlib.h>
static __attribute__((noinline)) int one_impl(int x)
{
	return x > 100 ? x : 2 * x;
}
static void *choose(void)
{
	return (void *)one_impl;
}
static void *select_it(void)
{
	return (void *)one_impl;
}
int one_b(int x) __attribute__((ifunc("choose")));
int one_a(int x) __attribute__((ifunc("select_it")));
int _one(int x) __attribute__((ifunc("select_it")));
int main(int argc, char **argv)
{
	int n = atoi(argv[argc - 1]), sum = 0;

	for (int i = 0; i < n; i++)
		sum += one_a(i) + one_b(i) + one_b(i);
	return sum == 1;
}
EOF
cc -O1 -o "$TMP/prog" "$TMP/prog.c" 2>/dev/null || skip "no indirect functions"

for prov in pid fpid; do
	p="$prov\$target:a.out"
	for name in entry return; do
		d -qn "$p:*one*:$name { @[probefunc] = count(); }" -c "$TMP/prog 100"
		is "$prov: a pattern, $name" "$(counts "$TMP/out")" "one_a 300"
		d -qn "$p:*one_b*:$name { @b[probefunc] = count(); } $p:one*:$name { @a[probefunc] = count(); }
			$p:one_impl:$name { @impl[probefunc] = count(); } $p:*_impl:$name { @i[\"impl\"] = count(); }" -c "$TMP/prog 100"
		is "$prov: each clause once, $name" "$(counts "$TMP/out")" "impl 300
one_a 300
one_b 300
one_impl 300"
		d -x aliases=all -qn "$p:*one*:$name { @[probefunc] = count(); }" -c "$TMP/prog 100"
		is "$prov: all, $name" "$(counts "$TMP/out")" "$(printf '%s\n' 'one_a 300' 'one_b 300' 'one_impl 300')"
	done
	d -ln "$p:*one*:entry" -c "$TMP/prog 1"
	is "$prov: list" "$(echo "$out" | awk 'NR > 1 { print $4 }' | tr '\n' ' ')" "one_a "
	d -qn "$p:one_b:entry, $p:one_a:entry { @[probefunc] = count(); }" -c "$TMP/prog 100"
	is "$prov: by name" "$(counts "$TMP/out")" "$(printf '%s\n' 'one_a 300' 'one_b 300')"
	d -qn "$p::entry /probefunc != \"main\"/ { @[probemod] = count(); }" -c "$TMP/prog 100"
	n=$(counts "$TMP/out" | sed -n 's/^prog //p')
	[ "${n:-0}" -ge 300 ] && [ "$n" -lt 320 ] || fail "$prov: $n calls of 300"
done

# offsets are those of the code: an instruction is one probe, by one name
d -qn 'pid$target:a.out:*one*: { @[probefunc, probename] = count(); }' -c "$TMP/prog 10"
ends 0 offsets
is "offsets: functions" "$(awk 'NF == 3 { print $1 }' "$TMP/out" | sort -u)" one_a
is "offset 0" "$(awk '$2 == "0" { print $3 }' "$TMP/out")" 30

# what was chosen only while tracing: the probe that is there already keeps it
cat >"$TMP/lazy.c" <<'EOF'
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	void *lib = dlopen(argv[1], RTLD_LAZY);
	int (*a)(int) = (int (*)(int))dlsym(lib, "one_a"), (*b)(int), sum = 0, n = atoi(argv[2]);

	for (int i = 0; i < n; i++)
		sum += a(i);
	b = (int (*)(int))dlsym(lib, "one_b");
	for (int i = 0; i < n; i++)
		sum += b(i);
	return argc == 9 ? sum : 0;
}
EOF
sed 's/^int main(.*/int not_main(int argc, char **argv)/' "$TMP/prog.c" >"$TMP/lib.c"
cc -shared -fPIC -O1 -o "$TMP/liblazy.so" "$TMP/lib.c" && cc -o "$TMP/lazy" "$TMP/lazy.c" -ldl
d -Zqn 'pid$target:liblazy.so:one*:entry { @[probefunc] = count(); }' -c "$TMP/lazy $TMP/liblazy.so 50"
ends 0 lazy
is lazy "$(awk 'NF == 2 { n += $2 } END { print n }' "$TMP/out")" 100
finish
