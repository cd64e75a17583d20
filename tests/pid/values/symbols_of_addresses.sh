# usym, ufunc, umod and uaddr print user addresses as symbols.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:leaf:entry /!n++/ { usym(ucaller); ufunc(ucaller); umod(ucaller); uaddr(ucaller); }' -c "$TARGETS/t 1" -o "$TMP/agg"
ends 0 usym
like "as symbols" "$(tr -s ' ' <"$TMP/agg")" ' t`work t`work t t`work+0x*'

# An address of data is that of a variable: of zeroed memory too, in a library, static ones, those of C++.
command -v g++ >/dev/null || skip "no g++"
cat >"$TMP/lib.c" <<'END'
int exported[4] = {1};
extern int other __attribute__((alias("exported")));
int *of_library(void) { return &exported[2]; }
END
cat >"$TMP/data.cc" <<'END'
extern "C" int *of_library(void);
namespace ns {
int total = 3;
static int zeroed[5000];
}
static const char text[] = "constant";
extern "C" __attribute__((noipa)) void probe(const void *, const void *, const void *, const void *, const void *, const void *) { }
int main()
{
	static int inner = 4;

	probe(&ns::total, &ns::zeroed[4000], text, of_library(), ++inner ? &inner : nullptr, (void *)&main);
	return 0;
}
END
(cd "$TMP" && gcc -shared -fPIC -o lib.so lib.c && g++ -o data data.cc -L. -l:lib.so -Wl,-rpath,"$TMP") || fail "cannot build"
rm -f "$TMP/agg"
d -qn 'pid$target:a.out:probe:entry { usym(arg0); uaddr(arg1); usym(arg2); uaddr(arg3); usym(arg4); usym(arg5);
	umod(arg1); uaddr(arg5 - arg5 + 1); }' -c "$TMP/data" -o "$TMP/agg"
ends 0 data
is "data" "$(echo $(cat "$TMP/agg"))" 'data`ns::total data`ns::zeroed+0x3e80 data`text lib.so`exported+0x8 data`main::inner data`main data 0x1'
strip "$TMP/data"
rm -f "$TMP/agg"
d -qn 'pid$target:a.out:_start:entry { } pid$target:lib.so:of_library:return { uaddr(arg1); umod(arg1); }' -Z -c "$TMP/data" -o "$TMP/agg"
is "stripped" "$(echo $(cat "$TMP/agg"))" 'lib.so`exported+0x8 lib.so'
finish
