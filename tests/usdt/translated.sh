# Arguments of a declared provider: as they are declared, or translated (docs/spec/d-language.md §4.6, §16.3, §16.4).
# needs: user
. tests/lib/lib.sh

cat >"$TMP/shop.d" <<'END'
typedef struct sale {
	long number;
	string what;
	int half;
} sale_t;
struct goods {
	char name[6];
};
translator sale_t < long n > {
	number = n;
	what = "number";
	half = n / 2;
};
translator sale_t < struct goods *g > {
	number = -1;
	what = stringof(g->name);
};

provider shop {
	probe sell__it(long n, struct goods *g) : (sale_t *n, sale_t *g, long n);
	probe constants(int a, char b);
};

shop$target:::sell-it
{
	printf("%d %s %d, ", args[0]->number, args[0]->what, args[0]->half);
	printf("%d %s, %d\n", args[1]->number, args[1]->what, args[2]);
}

shop$target:::constants
{
	printf("%d %d\n", args[0], args[1]);
}
END
d -qs "$TMP/shop.d" -o "$TMP/traced" -c "$TARGETS/usdt 2"
ends 0 "translated arguments"
is "translated arguments" "$(cat "$TMP/traced")" "7 -7
0 number 0, -1 apple, 0
7 -7
1 number 0, -1 pear, 1"
is "messages" "$err" ""

d -lvs "$TMP/shop.d" -c "$TARGETS/usdt"
is "-lv shows what a program sees" "$(echo "$out" | sed -n 's/^.*args/args/p' | tr '\n' ' ')" \
	"args[0]: sale_t * args[1]: sale_t * args[2]: long args[0]: int args[1]: char "

refused() { # refused WHAT CLAUSE MESSAGE: the same declarations, another clause
	sed '/^shop/,$d' "$TMP/shop.d" >"$TMP/wrong.d"
	echo "$2" >>"$TMP/wrong.d"
	d -x errtags -qs "$TMP/wrong.d" -c "$TARGETS/usdt"
	ends 1 "$1"
	like "$1" "$err" "$3"
}
refused "no such argument" 'shop$target:::sell-it { trace(args[3]->number); }' \
	'*D_ARGS_IDX\] line 24: index 3 is out of range for shop*:::sell-it args\[ \]'
refused "no conversion" 'shop$target:::sell-it { trace(args[1]->half); }' \
	'*D_XLATE_NOCONV\] line 24: translator does not define conversion for member: half'
refused "no value of its own" 'shop$target:::sell-it { trace(args[0]); }' '*D_TRACE_DYN\] line 24:*'
refused "several probes" 'shop$target::: { trace(args[0]); }' '*D_ARGS_MULTI\] line 24:*'

# Declared stable, a description may mean several probes; the report follows the declaration.
{
	for part in provider module function name args; do
		echo "#pragma D attributes Evolving/Evolving/Common provider shop $part"
	done
	sed '/^shop/,$d' "$TMP/shop.d"
	echo 'shop$target:::sell-it { trace(args[2]); }'
} >"$TMP/stable.d"
d -evs "$TMP/stable.d" -c "$TARGETS/usdt"
ends 0 "declared stable"
like "declared stable" "$out" '*Minimum Probe Description Attributes
		Identifier Names: Evolving
		Data Semantics:   Evolving
		Dependency Class: Common
*'
finish
