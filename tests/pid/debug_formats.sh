# Types, arguments and variables are the same from whatever form a compiler writes them in: DWARF 2
# to 5, in the program or beside it, in type units, compressed, of 64 bits.
# needs: user
. tests/lib.sh

cat >"$TMP/p.c" <<'END'
#if defined(__clang__)
#define KEEP __attribute__((noinline, optnone))
#else
#define KEEP __attribute__((noipa))
#endif
enum color { RED, GREEN = 5 };
struct inner { short s; char name[6]; };
struct bits { unsigned a : 3; int b : 5; };
struct node {
	int x;
	struct node *next;
	struct inner in[2];
	struct { int anon; union { long deep; char shallow; }; };
	enum color col;
};
struct pair { long a, b; };
struct mix { double d; int i; };
struct node nodes[2] = {{1, &nodes[1], {{1, "one"}, {2, "two"}}, {3, {4}}, GREEN}, {2}}, *head = nodes;
int counter = 42;
__thread int own = 44;
char text[8] = "hello";
KEEP int pass(struct pair p, struct mix m, struct bits b, struct node *n, unsigned char c)
{
	static int calls = 99;

	calls++;
	return p.b + m.i + b.b + n->x + c + own;
}
int main(void)
{
	struct pair p = {1, 2};
	struct mix m = {2.5, 7};
	struct bits b = {5, -3};

	return pass(p, m, b, nodes, 200) != 2 + 7 - 3 + 1 + 200 + 44;
}
END
cat >"$TMP/p.d" <<'END'
pid$target:a.out:pass:entry
{
	printf("%d %d %g %d %d %d %d;", args[0].a, args[0].b, args[1].d, args[1].i, args[2].a, args[2].b,
	    args[4]);
	printf("%d %d %s %d %d %d;", args[3]->x, args[3]->next->x, args[3]->in[1].name, args[3]->anon,
	    args[3]->deep, args[3]->col == GREEN);
	printf("%d %d %s %d %d %d", `counter, `own, `text, `calls, ((struct node *)`head)->in[0].s,
	    sizeof(struct node));
}
END

works() { # works COMPILER FLAGS...
	rm -rf "$TMP/b" && mkdir "$TMP/b"
	(cd "$TMP/b" && "$@" -w -o p ../p.c) >/dev/null 2>&1 || return
	d -qs "$TMP/p.d" -c "$TMP/b/p"
	ends 0 "$*"
	is "$*" "$out" "1 2 2.5 7 5 -3 200;1 2 two 3 4 1;42 44 hello 99 1 56"
}
for cc in gcc clang; do
	command -v $cc >/dev/null 2>&1 || continue
	for flags in "-g -O1" "-gdwarf-2 -gstrict-dwarf" "-gdwarf-3" "-gdwarf-4" "-gdwarf-5 -gz" "-g3" \
		"-gdwarf-4 -fdebug-types-section" "-gdwarf-5 -fdebug-types-section" \
		"-gdwarf-4 -gsplit-dwarf" "-gdwarf-5 -gsplit-dwarf" "-gdwarf-5 -gsplit-dwarf -gz" \
		"-g -gdwarf64" "-g -static" "-g -no-pie" "-g -gz=zlib-gnu"; do
		# shellcheck disable=SC2086
		works $cc $flags
	done
done
[ -n "$status" ] || skip "no compiler that makes debug information"
finish
