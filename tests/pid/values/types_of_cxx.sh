# C++: `this`, references, bases, tags as names, enums over other types, pointers to members,
# variables of namespaces and classes.
# needs: user
. tests/lib/lib.sh

cat >"$TMP/p.cc" <<'END'
#if defined(__clang__)
#define KEEP __attribute__((noinline, optnone))
#else
#define KEEP __attribute__((noipa))
#endif
struct Base {
	int of_base = 5;
	virtual ~Base() {}
};
namespace shop {
enum class Kind : unsigned char { SMALL = 1, LARGE = 200 };
int in_stock = 11;
struct Empty {};
class Widget : public Base {
public:
	int id;
	double price;
	Kind kind = Kind::LARGE;
	static int total;
	Widget(int i, double p) : id(i), price(p) {}
	KEEP int sell(int n, double at) { return id + n + (int)at; }
	KEEP int compare(const Widget &other) const { return id - other.id; }
	KEEP Widget grown(Empty, int by) { return Widget(id + by, price); }
};
int Widget::total = 77;
KEEP int call(Widget *w, int (Widget::*f)(int, double), int Widget::*member)
{
	return (w->*f)(1, 2) + w->*member;
}
}
int main()
{
	shop::Widget a(3, 1.5), b(4, 2.5);

	return a.sell(10, 2.5) + a.compare(b) + a.grown({}, 6).id + shop::call(&a, &shop::Widget::sell, &shop::Widget::id) != 32;
}
END
cat >"$TMP/p.d" <<'END'
pid$target:a.out:shop::Widget::sell:entry
/!n++/
{
	printf("%d %d %d %g;", args[0]->id, args[0]->of_base, args[1], args[2]);
	printf("%d %d;", args[0]->kind, args[0]->kind == LARGE);
	printf("%g %d;", ((Widget *)arg0)->price, sizeof(Widget) == sizeof(struct Widget));
}
pid$target:a.out:shop::Widget::compare:entry { printf("%d %d;", args[0]->id, args[1]->id); }
pid$target:a.out:shop::Widget::grown:return { printf("%d %g;", args[1].id, args[1].price); }
pid$target:a.out:shop::call:entry
{
	printf("%d %d %d;", args[1].ptr != 0, args[1].adj, args[2] > 0);
	printf("%d %d %d", `in_stock, `total, `_ZN4shop6Widget5totalE);
}
END
for compiler in "g++ -O0" "g++ -O2" "clang++ -O0" "clang++ -O2 -gdwarf-4"; do
	command -v "${compiler%% *}" >/dev/null 2>&1 || continue
	# shellcheck disable=SC2086
	$compiler -g -w -o "$TMP/p" "$TMP/p.cc" || fail "$compiler"
	d -qs "$TMP/p.d" -c "$TMP/p"
	ends 0 "$compiler"
	is "$compiler" "$out" "3 5 10 2.5;200 1;1.5 1;3 4;9 1.5;1 0 1;11 77 77"
done
finish
