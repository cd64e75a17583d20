# args.NAME is the argument that the source calls so.
# needs: user
. tests/lib/lib.sh

cat >"$TMP/p.c" <<'END'
struct pair { int a, b; };
__attribute__((noinline)) int hit(struct pair p, struct pair *q, const char *text, double d, signed char c)
{
	__asm__ volatile("");
	return p.a + q->b + text[0] + (int)d + c;
}
int main(void)
{
	struct pair p = {1, 2}, q = {3, 4};

	return hit(p, &q, "text", 2.5, -7) == 0;
}
END
command -v gcc >/dev/null 2>&1 || skip "no gcc"
gcc -g -O0 -o "$TMP/p" "$TMP/p.c" || fail "cannot build"
d -qn 'pid$target:a.out:hit:entry /args.c == -7 && args.q->b == 4/
{
	printf("%d %d %s %g %d;", args.p.b, args.q->a, stringof(args.text), args.d, args.c == args[4]);
	@[args.c] = sum(args.p.a);
}' -c "$TMP/p"
ends 0 "by name"
is "by name" "$(echo $out)" "2 3 text 2.5 1; 249 1"
d -qn 'pid$target:a.out:hit:entry { trace(args.nothing); }' -c "$TMP/p"
ends 1 "no such argument"
like "no such argument" "$err" "*in action list: pid*:a.out:hit:entry has no argument named nothing"
d -x errtags -qn 'pid$target:a.out:hit:return { trace(args.p); }' -c "$TMP/p"
like "not at a return" "$err" "*\[D_TYPE_MEMBER\]*:hit:return has no argument named p"
d -x errtags -qn 'inline int f = args.x; BEGIN { exit(0); }'
like "outside of a clause" "$err" "*\[D_ARGS_NONE\] args\[ \] may not be referenced outside of a probe clause"
gcc -O0 -o "$TMP/p" "$TMP/p.c"
d -qn 'pid$target:a.out:hit:entry { trace(args.p); }' -c "$TMP/p"
like "without debug information" "$err" "*has no argument named p: hit of p has no debug information"
finish
