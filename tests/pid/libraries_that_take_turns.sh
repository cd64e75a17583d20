# Libraries that are loaded and unloaded in turn, each at the address where the other one was: probes of
# one are never taken for those of the other.
# needs: user
. tests/lib/lib.sh

need cc
cat >"$TMP/lib.c" <<'EOF'
__attribute__((noinline)) int NAME(int x)
{
#if FIRST
	return x * 3 + 1;
#else
	return (x ^ 5) - 7;
#endif
}
EOF
cat >"$TMP/prog.c" <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0, same = 0;
	void *last = 0;

	for (long i = 0; i < n; i++) {
		void *lib = dlopen(i % 2 ? argv[3] : argv[2], RTLD_NOW);
		void *fn = lib ? dlsym(lib, i % 2 ? "second" : "first") : 0;

		if (!fn)
			return 2;
		for (int k = 0; k <= i % 2; k++)
			sum += ((int (*)(int))fn)((int)i);
		same += fn == last;
		last = fn;
		dlclose(lib);
	}
	printf("%ld %s\n", sum, same == n - 1 ? "same" : "different");
	return 0;
}
EOF
cc -O1 -shared -fPIC -DNAME=first -DFIRST=1 -o "$TMP/libfirst.so" "$TMP/lib.c"
cc -O1 -shared -fPIC -DNAME=second -DFIRST=0 -o "$TMP/libsecond.so" "$TMP/lib.c"
cc -O1 -o "$TMP/turns" "$TMP/prog.c"
"$TMP/turns" 100 "$TMP/libfirst.so" "$TMP/libsecond.so" >"$TMP/plain" || fail "untraced: $?"
grep -q same "$TMP/plain" || skip "this loader puts them at different addresses"

for names in entry return '' entry,return; do
	case $names in
	entry,return)
		descs='pid$target:libfirst.so:first:entry,pid$target:libfirst.so:first:return,pid$target:libsecond.so:second:entry,pid$target:libsecond.so:second:return'
		;;
	*) descs="pid\$target:libfirst.so:first:$names,pid\$target:libsecond.so:second:$names" ;;
	esac
	rm -f "$TMP/agg"
	d -Zqn "$descs { @[probefunc, probename] = count(); } END { printa(\"%s %s %@d\n\", @); }" -o "$TMP/agg" \
		-c "$TMP/turns 100 $TMP/libfirst.so $TMP/libsecond.so"
	is "output ($names)" "$out" "$(cat "$TMP/plain")"
	is "notices ($names)" "$err" ""
	awk '$1 == "first" && $3 != 50 || $1 == "second" && $3 != 100' "$TMP/agg" >"$TMP/wrong"
	is "counts ($names)" "$(cat "$TMP/wrong")" ""
	[ "$(grep -c first "$TMP/agg")" -ge 1 ] && [ "$(grep -c second "$TMP/agg")" -ge 1 ] ||
		fail "nothing counted ($names): $(cat "$TMP/agg")"
done

# the same while it runs: nothing is written to the one that was found in the place of the other
"$TMP/turns" 1000000000 "$TMP/libfirst.so" "$TMP/libsecond.so" >/dev/null &
target=$!
round=0
while [ $round -lt 20 ] && [ $failed = 0 ]; do
	round=$((round + 1))
	d -Zqn 'pid$target:libfirst.so::,pid$target:libsecond.so:: { @ = count(); } tick-10ms { exit(0); }' -p $target
	ends 0 "round $round of -p"
	is "notices of round $round" "$err" ""
	kill -0 $target || fail "round $round: the program has ended"
done
kill -9 $target
finish
