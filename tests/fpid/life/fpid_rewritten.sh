# -x follow: a program that is written anew, in the same file, between two runs is hooked as it is by then.
# needs: user
. tests/lib/lib.sh

need gcc
make() { # make CALLS MORE: f is called so many times; MORE stands before it
	cat >"$TMP/p.c" <<-END
		static volatile long n;
		$2
		__attribute__((noinline)) long f(long x) { n += x; return n * 3; }
		int main(void) { for (int i = 0; i < $1; i++) f(i); return 0; }
	END
	gcc -O1 -o "$3" "$TMP/p.c" || fail "gcc"
}

make 3 '' "$TMP/p"
make 5 '__attribute__((noinline)) long g(long x) { for (long i = 0; i < x; i++) n -= i % 7; return n; } long g2(long x) { return g(x) + g(x + 1); }' \
	"$TMP/q"
cat >"$TMP/run.sh" <<-END
	$TMP/p
	cat $TMP/q >$TMP/p
	$TMP/p
END
d -Z -x follow -x fpidfallback=none -qn 'fpid$target:p:f:entry, fpid$target:p:f:return { @[probename] = count(); }' -c "sh $TMP/run.sh"
is "calls before and after" "$(echo $(sort "$TMP/out"))" "entry 8 return 8"
finish
