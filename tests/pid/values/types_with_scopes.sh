# C++: types and variables by their names with scopes, in casts, sizeof, offsetof and declarations;
# templates; the same name in two namespaces is two types.
# needs: user
. tests/lib/lib.sh

cat >"$TMP/p.cc" <<'END'
#include <cstddef>
#if defined(__clang__)
#define KEEP __attribute__((noinline, optnone))
#else
#define KEEP __attribute__((noipa))
#endif
namespace one { struct Node; struct Holder { Node *node; int n; }; struct Node { int a; int value; }; }
namespace two { struct Node { long a, b; long value; }; Node node = {1, 2, 22}; int count = 5; }
namespace one { Node node = {1, 11}; Holder holder = {&node, 3}; }
struct Outer {
	struct Part { short x; short y; } part;
	enum Mode { OFF, ON = 3 } mode;
	static int made;
};
int Outer::made = 8;
namespace deep { inline namespace v1 { template <class T, class U> struct Pair { T t; U u; enum Kind { K0, K1 = 7 } kind;
	KEEP int sum(int n) const { return (int)t + (int)u + n; } }; } 
	namespace { struct Hidden { int h; }; __attribute__((used)) Hidden hidden = {66}; }
}
deep::Pair<int, long> pair = {1, 2, deep::Pair<int, long>::K1};
Outer outer = {{1, 2}, Outer::ON};
deep::Pair<Outer::Part, unsigned long> nested = {{5, 98}, 4};
template <class T> struct Gone { KEEP ~Gone() { __asm__ volatile(""); } T t; };
KEEP int hit(void *one, void *two, void *pair, void *outer, void *nested, void *holder, std::nullptr_t none)
{
	return (one != two) + (pair != outer) + (nested != holder);
}
int main()
{
	Gone<int> gone;

	return hit(&one::node, &two::node, &pair, &outer, &nested, &one::holder, nullptr) + pair.sum(1) + deep::hidden.h == 0;
}
END
cat >"$TMP/p.d" <<'END'
struct one::Node *kept;
pid$target:a.out:hit:entry
{
	kept = (struct one::Node *)arg0;
	printf("%d %d;", kept->value, ((struct two::Node *)arg1)->value);
	printf("%d %d;", ((one::Node *)arg0)->value, ((struct a.out`two::Node *)arg1)->value);
	printf("%d;", ((struct one::Holder *)arg5)->node->value);
	printf("%d %d;", ((struct Outer::Part *)arg3)->y, sizeof(Outer::Part));
	printf("%d %d;", ((struct deep::Pair<int,long> *)arg2)->t, ((struct Pair<int, long> *)arg2)->u);
	printf("%d;", ((struct deep::v1::Pair<Outer::Part,unsigned long> *)arg4)->t.y);
	printf("%d %d;", sizeof(enum Outer::Mode), offsetof(struct deep::Pair<int, long>, u));
	printf("%d %d %d %d;", `one::node.value, `two::node.value, `two::count, a.out`Outer::made);
	printf("%d %d;", ((Hidden *)&`hidden)->h, args[6] == NULL);
	print(((struct deep::Pair<int, long> *)arg2)->kind);
	print(*(enum Outer::Mode *)(arg3 + 4));
}
pid$target:a.out:deep::v1::Pair<int*long>::sum:entry { printf("%d;", args[0]->u); }
pid$target:a.out:Gone<int>::~Gone:entry { printf("gone"); }
END
for compiler in "g++ -O0" "g++ -O1" "clang++ -O0" "clang++ -O0 -gdwarf-4"; do
	command -v "${compiler%% *}" >/dev/null 2>&1 || continue
	# shellcheck disable=SC2086
	$compiler -g -w -o "$TMP/p" "$TMP/p.cc" || fail "$compiler"
	d -qs "$TMP/p.d" -c "$TMP/p"
	ends 0 "$compiler"
	is "$compiler" "$out" "11 22;11 22;11;2 4;1 2;98;4 8;11 22 5 8;66 1;enum Kind K1
enum Mode ON
2;gone"
done
[ -n "$status" ] || skip "no compiler of C++"
for what in "((struct one::Nothing *)arg0)->x|no struct one::Nothing definition is available" \
	"((struct two::Part *)arg0)->x|no struct two::Part definition is available" \
	"\`one::count|failed to resolve \`one::count: Unknown symbol name"; do
	d -qn 'pid$target:a.out:hit:entry { trace('"${what%%|*}"'); }' -c "$TMP/p"
	ends 1 "${what%%|*}"
	like "${what%%|*}" "$err" "*${what#*|}*"
done
finish
