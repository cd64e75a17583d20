# dtrace -h: a header whose macros are the probes: programs that include it need no link step.
# needs: user
. tests/lib/lib.sh
need gcc

case $DTRACE in /*) ;; *) DTRACE=$PWD/$DTRACE ;; esac
cd "$TMP" || exit 1
cat >shop.d <<'END'
provider my_shop {
	probe start__it(int, char *);
	probe none();
	probe sizes(char, unsigned char, short, uint16_t, long, uint64_t, void *, int8_t);
	probe text(string s, uint_t n);
	probe price(double, int);
};
provider other { probe go(struct item *p, long long x); };
END
d -h -s shop.d
ends 0 "-h"
is "it says nothing" "$out$err" ""
grep -v '_DTRACE\|^	[" ]\|^{\|^}\|^	__asm__\|^	return\|^$' shop.h >"$TMP/lines"
for line in '#ifndef	_SHOP_H' '#define	_SHOP_H' '#include <unistd.h>' '#include <inttypes.h>' \
	'extern "C" {' '#pragma GCC system_header' '#define	MY_SHOP_START_IT(arg0, arg1) \' \
	'	__dtrace_my_shop___start__it(arg0, arg1)' '#define	MY_SHOP_START_IT_ENABLED() \' \
	'	__dtraceenabled_my_shop___start__it()' '#define	MY_SHOP_NONE() \' \
	'#define	MY_SHOP_START_IT(arg0, arg1)' '#define	MY_SHOP_START_IT_ENABLED() (0)' \
	'#define	OTHER_GO(arg0, arg1) \' '#define	OTHER_GO(arg0, arg1)' '#if _DTRACE_VERSION' \
	'#define _DTRACE_VERSION 1'; do
	grep -qxF -- "$line" shop.h || fail "the header has no line: $line"
done

cat >prog.c <<'END'
struct item { int a; };
#include "shop.h"
#include "shop.h"
#include <stdio.h>
int main(int argc, char **argv)
{
	struct item it = {argc + 41};
	for (int i = 0; i < 2; i++) {
		if (MY_SHOP_START_IT_ENABLED())
			printf("enabled\n");
		MY_SHOP_START_IT(i, argv[0]);
		MY_SHOP_NONE();
		MY_SHOP_SIZES(-1, 255, -2, 65535, -3, 4, &it, -5);
		MY_SHOP_TEXT("literal", 7);
		MY_SHOP_PRICE(1.5, 9);
		OTHER_GO(&it, 1LL << 40);
	}
	return 0;
}
END
program='my_shop$target:::start-it { printf("%d %s\n", args[0], basename(copyinstr(arg1))); }
	my_shop$target:::none { printf("none\n"); }
	my_shop$target:::sizes { printf("%d %d %d %d %d %d %d\n", args[0], args[1], args[2], args[3],
		args[4], args[5], args[7]); }
	my_shop$target:::text { printf("%s %d\n", copyinstr(arg0), args[1]); }
	my_shop$target:::price { printf("%d\n", args[1]); }
	other$target:::go { printf("%d %x\n", *(int *)copyin(arg0, 4), args[1]); }'
want='-1 255 -2 65535 -3 4 -5
literal 7
9
42 10000000000'
n=0
for how in "gcc -O0" "gcc -O2" "gcc -O2 -no-pie -fno-pie" "gcc -O2 -flto" "gcc -Os -static" "gcc -O2 -ansi -pedantic -std=c99" \
	"gcc -O2 -ffunction-sections -Wl,--gc-sections" "g++ -O1 -x c++" "clang -O2"; do
	command -v "${how%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	$how -Wall -Wextra -Werror -o prog prog.c || fail "$how: does not compile"
	is "$how: untraced" "$(./prog)" ""
	n=$((n + 1))
	d -qn "$program" -c ./prog -o traced.$n
	ends 0 "$how"
	is "$how" "$(grep . traced.$n)" "0 prog
none
$want
1 prog
none
$want"
	is "$how: is-enabled" "$out" "enabled
enabled"
done
# Another translation unit, inline functions of C++, and a library: one semaphore each.
if command -v g++ >/dev/null; then
	printf 'struct item; \n#include "shop.h"\ninline void f(int i) { MY_SHOP_START_IT(i, (char *)"f"); }\nvoid g(void);\nint main() { f(1); g(); return 0; }\n' >one.cc
	printf 'struct item; \n#include "shop.h"\ninline void f(int i) { MY_SHOP_START_IT(i, (char *)"f"); }\nvoid g(void) { f(2); if (MY_SHOP_START_IT_ENABLED()) MY_SHOP_NONE(); }\n' >two.cc
	g++ -O0 -o both one.cc two.cc || fail "two units do not link"
	d -qn 'my_shop$target:::start-it { printf("%d\n", args[0]); } my_shop$target:::none { printf("none\n"); }' -c ./both
	is "two units" "$(echo "$out" | grep .)" "1
2
none"
fi

# Declared types are those of args[], and -lv shows them.
gcc -O2 -o prog prog.c
d -lvn 'my_shop$target:::sizes,my_shop$target:::text,other$target:::go' -c ./prog
is "types" "$(echo "$out" | sed -n 's/^.*args\[[0-9]\]: //p' | tr '\n' ',')" "char,unsigned char,short,uint16_t,long,uint64_t,userland void *,int8_t,userland const char *,unsigned int,unsigned long,long long,"

printf '#define _DTRACE_VERSION 0\nstruct item;\n#include "shop.h"\nint main(void) { MY_SHOP_NONE(); OTHER_GO(0, 1); return MY_SHOP_NONE_ENABLED(); }\n' >off.c
gcc -Wall -Werror -o off off.c || fail "switched off: does not compile"
! readelf -SW off | grep -q stapsdt || fail "switched off: there are notes"

# Names of files, and what is missing.
d -h -s shop.d -o x-y.h
ends 0 "-o"
grep -qx '#ifndef	_X_Y_H' x-y.h || fail "the guard of x-y.h: $(grep ifndef x-y.h | head -1)"
d -h
ends 2 "no script"
is "no script" "$(head -1 "$TMP/err")" "dtrace: -h requires one or more scripts or enabling options"
like "-h alone was perhaps for help" "$err" "*Usage: dtrace *--help*"
d -h -s shop.d -s shop.d
ends 2 "two scripts"
is "two scripts" "$err" "dtrace: -h requires an output file if multiple scripts are specified"
d -h -n 'provider p { probe a(); };'
ends 2 "a text"
is "a text" "$err" "dtrace: -h requires an output file if no scripts are specified"
d -h -n 'provider p { probe a(); };' -o p.h
ends 0 "a text with -o"
d -h -s shop.d -o /nosuch/dir.h
ends 1 "no such directory"
is "no such directory" "$err" "dtrace: failed to open output file '/nosuch/dir.h': No such file or directory"
printf 'struct s { int a; };\nprovider p { probe a(struct s v); };\n' >bad.d
d -h -s bad.d
ends 1 "a structure"
is "a structure" "$err" "dtrace: failed to create header file bad.h: argument #1 of probe a of provider p has type struct s, which no probe can pass"
finish

# With the declaration at hand an argument is of the declared type: a string is the text it leads to,
# also where the declaration gives the arguments out in another order (docs/spec/d-language.md §16.4).
cat >order.d <<'EOF'
provider my_shop { probe text(string s, uint_t n) : (uint_t n, string s); };
my_shop$target:::text /args[1] == "literal"/ { printf("%d %s %s %d\n", args[0], args[1], substr(args[1], 4), strlen(args[1])); }
EOF
d -qs order.d -o order.out -c ./prog
is "a string argument" "$(cat order.out)" "7 literal ral 7
7 literal ral 7"
is "a string argument: messages" "$err" ""
finish
