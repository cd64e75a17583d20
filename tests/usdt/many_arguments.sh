# A probe has up to 32 arguments of any kind: those from the 13th on are passed in memory; all are args[n].
# needs: user
. tests/lib/lib.sh
need cc

cat >"$TMP/mix.d" <<'END'
provider mix {
	probe wide(int, int, int, int, int, int, int, int, int, int, char, short, float, double, char *, long, char);
	probe all(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int);
};
END
cat >"$TMP/mix.c" <<'END'
#include "mix.h"
int main(void)
{
	for (int i = 0; i < 2; i++) {
		MIX_WIDE(1, 2, 3, 4, 5, 6, 7, 8, 9, 10 + i, -11, -12, 1.5f, 2.25, (char *)"text", -1L - i, 'y' + i);
		MIX_ALL(i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
		    26, 27, 28, 29, 30, 31 * (i + 1));
	}
	return 0;
}
END
d -h -s "$TMP/mix.d" -o "$TMP/mix.h"
ends 0 "-h"
for flags in -O0 '-O2 -fPIE -pie' '-O2 -x c++'; do
	# shellcheck disable=SC2086
	cc -Wall -Wextra -Werror $flags -I "$TMP" -o "$TMP/mix" "$TMP/mix.c" 2>"$TMP/cc" || {
		case $flags in *c++*) continue ;; esac # no compiler for it
		fail "cc $flags: $(cat "$TMP/cc")"
	}
	d -qn 'mix$target:::wide { printf("%d %d %d %.2f %.2f %s %d %c\n", arg9, args[10], args[11], args[12], args[13],
			copyinstr((uintptr_t)args[14]), args[15], args[16]); }
		mix$target:::all { printf("%d %d %d %d\n", args[0], args[9], args[10], args[31]); @ = sum(args[30]); }' -c "$TMP/mix"
	ends 0 "$flags"
	is "$flags" "$out" "10 -11 -12 1.50 2.25 text -1 y
0 9 10 31
11 -11 -12 1.50 2.25 text -2 z
1 9 10 62

               60"
done
cat "$TMP/mix.d" - >"$TMP/declared.d" <<'END'
mix$target:::all { printf("%d ", args[31]); }
END
d -qs "$TMP/declared.d" -c "$TMP/mix"
is "where the provider is declared" "$status $out" "0 31 62 "
finish
