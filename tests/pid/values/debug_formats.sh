# Types, arguments and variables are the same from whatever form a compiler writes them in: DWARF 2
# to 5, in the program, beside it or in a package, in type units, compressed, of 64 bits.
# needs: user
. tests/lib/lib.sh

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
		"-gdwarf-4 -gsplit-dwarf -fdebug-types-section" \
		"-gdwarf-5 -gsplit-dwarf -fdebug-types-section" "-g -gdwarf64" "-g -static" "-g -no-pie" "-g -gz=zlib-gnu"; do
		# shellcheck disable=SC2086
		works $cc $flags
	done
done

# packed afterwards, and what several files have in common in a file of its own (dwz)
again() { # again WHAT PROGRAM: the answer is the same
	d -qs "$TMP/p.d" -c "$2"
	is "$1" "$out" "1 2 2.5 7 5 -3 200;1 2 two 3 4 1;42 44 hello 99 1 56"
}
if command -v gcc >/dev/null 2>&1; then
	rm -rf "$TMP/b" && mkdir "$TMP/b"
	gcc -g "$TMP/p.c" -o "$TMP/b/p"
	if objcopy --compress-debug-sections=zstd "$TMP/b/p" "$TMP/b/z" 2>/dev/null &&
		ls /lib/*/libzstd.so.1 /usr/lib/*/libzstd.so.1 >/dev/null 2>&1; then
		again "zstd" "$TMP/b/z"
	fi
	if command -v dwz >/dev/null 2>&1; then
		for version in 4 5; do
			gcc -g -gdwarf-$version "$TMP/p.c" -o "$TMP/b/p"
			cp "$TMP/b/p" "$TMP/b/q"
			(cd "$TMP/b" && dwz -m common.debug p q) || fail "dwz of version $version"
			[ -s "$TMP/b/common.debug" ] || fail "dwz has made nothing"
			again "dwz, version $version" "$TMP/b/p"
			mv "$TMP/b/common.debug" "$TMP/b/away"
			mkfifo "$TMP/b/common.debug"
			d -qs "$TMP/p.d" -c "$TMP/b/p"
			like "a FIFO for what dwz made" "$err" "*common.debug is not read: it is not a regular file*"
			rm "$TMP/b/common.debug" "$TMP/b/away"
		done
	fi
fi

# packages of split units, whose type units are those of whichever file came first
cat >"$TMP/two.c" <<'END'
#if !defined(__clang__)
__attribute__((noipa))
#endif
int two(struct common *c, int n) { return c->a + n + only.z; }
END
cat >"$TMP/h.h" <<'END'
struct common { int a; long b; struct { char c; } inner; };
struct only { int z; };
END
cat >"$TMP/one.c" <<'END'
#include "h.h"
struct common c1 = {1, 2, {'x'}};
int two(struct common *, int);
int main(void) { return two(&c1, 6) == 99; }
END
sed -i '1i #include "h.h"\nstruct only only = {9};' "$TMP/two.c"
packed() { # packed TOOL COMPILER FLAGS...
	tool=$1
	shift
	rm -rf "$TMP/b" && mkdir "$TMP/b"
	(cd "$TMP/b" && "$@" -w -o p ../one.c ../two.c && $tool -e p -o p.dwp && rm ./*.dwo) >/dev/null 2>&1 || return
	d -qn 'pid$target:a.out:two:entry { printf("%d %d %c %d %d %d", args[0]->a, args[0]->b,
		args[0]->inner.c, args[1], `only.z, sizeof(struct common)); }' -c "$TMP/b/p"
	is "$tool, $*" "$out" "1 2 x 6 9 24"
}
for cc in gcc clang; do
	for version in 4 5; do
		for tool in dwp llvm-dwp; do
			for flag in -O0 -fdebug-types-section; do
				packed $tool $cc -gdwarf-$version -gsplit-dwarf $flag
			done
		done
	done
done
if [ -s "$TMP/b/p.dwp" ]; then # cut off anywhere it says nothing, and does no harm
	cp "$TMP/b/p.dwp" "$TMP/whole"
	for size in 20 100 500 1000 1500; do
		head -c $size "$TMP/whole" >"$TMP/b/p.dwp"
		d -qn 'pid$target:a.out:two:entry { trace(args[1]); }' -c "$TMP/b/p"
		ends 1 "a package of $size bytes"
	done
fi
# a .dwo file that was made anew is not that of the program
if command -v gcc >/dev/null 2>&1; then
	rm -rf "$TMP/b" && mkdir "$TMP/b"
	cd "$TMP/b" && gcc -g -gsplit-dwarf -fdebug-types-section -c ../one.c ../two.c && gcc -o p one.o two.o
	sed -i 's/int a; long b;/long b; int a;/' ../h.h
	gcc -g -gsplit-dwarf -fdebug-types-section -c ../two.c
	cd - >/dev/null || exit 1
	d -qn 'pid$target:a.out:two:entry { trace(args[0]->a); }' -c "$TMP/b/p"
	ends 1 "a .dwo file of another build"
fi
[ -n "$status" ] || skip "no compiler that makes debug information"
finish
