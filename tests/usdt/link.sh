# dtrace -G: the object of a provider, so that makefiles that compile, run dtrace -G and link work:
# programs with our header, and programs that only call the functions of the probes.
# needs: user
. tests/lib/lib.sh
need gcc

case $DTRACE in /*) ;; *) DTRACE=$PWD/$DTRACE ;; esac
cd "$TMP" || exit 1
printf 'provider shop { probe sell__it(int, char *); probe pay(long, uint16_t, int, int, int, int, short, char); };\n' >shop.d
cat >main.c <<'END'
#include <stdio.h>
extern void __dtrace_shop___sell__it(int, char *);
extern int __dtraceenabled_shop___sell__it(void);
extern void __dtrace_shop___pay(long, unsigned short, int, int, int, int, short, char);
int main(int argc, char **argv)
{
	if (__dtraceenabled_shop___sell__it())
		puts("enabled");
	__dtrace_shop___sell__it(-argc, argv[0]);
	__dtrace_shop___pay(-1L << 40, 65535, 3, 4, 5, 6, -7, 'c');
	return 0;
}
END
gcc -c main.c
before=$(cksum <main.o)
d -G -s shop.d main.o
ends 0 "-G"
is "it says nothing" "$out$err" ""
is "objects stay as they are" "$(cksum <main.o)" "$before"
cp shop.o first.o
d -G -s shop.d main.o
cmp -s shop.o first.o || fail "the second time the object is another one"
for flags in "" "-no-pie" "-static" "-Wl,--gc-sections"; do
	# shellcheck disable=SC2086
	gcc $flags -Wl,--fatal-warnings -o main main.o shop.o || fail "$flags: does not link"
	is "$flags: untraced" "$(./main)" ""
	d -qn 'shop$target:::sell-it { printf("%d %s\n", args[0], basename(copyinstr(arg1))); }
		shop$target:::pay { printf("%d %d %d %d %d %d %d %c\n", args[0], args[1], args[2], args[3],
			args[4], args[5], args[6], args[7]); }' -c ./main -o "traced$flags"
	is "$flags" "$(grep . "traced$flags")" "-1 main
-1099511627776 65535 3 4 5 6 -7 c"
	is "$flags: is-enabled" "$out" enabled
done

# With the header there is nothing left to do; the object only adds the types once more.
d -h -s shop.d
printf '#include "shop.h"\nint main(void) { SHOP_SELL_IT(5, (char *)"x"); return 0; }\n' >with.c
gcc -c with.c
d -G -s shop.d with.o -o prov.o
ends 0 "-o"
gcc -o with with.o prov.o || fail "with the header: does not link"
d -qn 'shop$target:::sell-it { printf("%d %s %s\n", args[0], copyinstr(arg1), probefunc); }' -c ./with
is "with the header" "$(echo "$out" | grep .)" "5 x main"

# Names: several scripts, texts, and -o that joins them.
printf 'provider bank { probe open(int); };\n' >bank.d
d -G -s shop.d -s bank.d -n 'provider third { probe x(); };' main.o
ends 0 "several"
for file in shop.o bank.o d.out.2; do
	[ -s "$file" ] || fail "several programs: no $file"
done
d -G -n 'provider third { probe x(); };'
[ -s d.out ] || fail "a text: no d.out"
d -G -s shop.d -s bank.d main.o -o all.o
gcc -o main main.o all.o || fail "joined: does not link"
is "joined: types of both" "$(readelf -nW all.o 2>/dev/null | grep -c '^ *dtrace')" 3

d -G
ends 2 "no script"
is "no script" "$err" "dtrace: -G requires one or more scripts or enabling options"
d -G -s shop.d nofile.o
ends 1 "no such object"
is "no such object" "$err" "dtrace: failed to link script shop: failed to open nofile.o: No such file or directory"
d -G -s shop.d shop.d
ends 1 "no object"
is "no object" "$err" "dtrace: failed to link script shop: shop.d is not an object file"
printf 'int x;\n' >x.c
if gcc -m32 -c x.c -o x32.o 2>/dev/null; then
	d -G -s shop.d x32.o
	like "32 bits" "$err" "dtrace: failed to link script shop: can't mix 32-bit and 64-bit object files*"
fi
d -G -s shop.d
ends 0 "no objects at all"
d -G -x linktype=dof -s shop.d
ends 1 "dof"
like "dof" "$err" "dtrace: failed to link script shop: linktype dof is not supported*"
d -G -h -s shop.d
ends 2 "two modes"
finish
