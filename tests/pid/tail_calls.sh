# A function that is left by a jump to another one returns there; -v names such functions.
# needs: user
. tests/lib/lib.sh
need cc

cat >"$TMP/tail.c" <<'END'
#include <stdio.h>
long outer(long), inner(long), plain(long);
__attribute__((noipa)) long inner(long n) { return n + 1; }
__attribute__((noipa)) long outer(long n) { return inner(n * 2); }
__attribute__((noipa)) long plain(long n) { return n - 1; }
int main(void)
{
	printf("%ld\n", outer(20) + plain(1));
	return 0;
}
END
cc -O2 -o "$TMP/tail" "$TMP/tail.c" || fail "cc"
for prov in pid fpid; do
	for option in '' -q; do
		probes=$(printf "$prov\$target:a.out:%s:return," outer inner plain | sed 's/,$//')
		d -v -x strsize=64 $option -n "$probes { @[probefunc] = count(); printf(\"%s\\n\", probefunc); }" -o "$TMP/out.$prov" -c "$TMP/tail"
		ends 0 "$prov"
		is "$prov: order" "$(grep -oE '(outer|inner|plain)$' "$TMP/out.$prov" | tr '\n' ' ')" "outer inner plain "
		case $option in
		-q) case $err in *"tail call"*) fail "$prov: -q: $err" ;; esac ;;
		*) like "$prov" "$err" '*1 function returns by a jump to another (a tail call), where arg1 is not the result yet: tail`outer*' ;;
		esac
		rm -f "$TMP/out.$prov"
	done
	d -n "$prov\$target:a.out:outer:return { @ = count(); }" -c "$TMP/tail"
	case $err in *"tail call"*) fail "$prov: said without -v: $err" ;; esac
done
# many: ten of them, and how many more
{
	echo '#include <stdio.h>'
	for i in $(seq 25); do
		printf '__attribute__((noipa)) long in%d(long n) { return n + 1; }\n' "$i"
		printf '__attribute__((noipa)) long out%d(long n) { return in%d(n * 2); }\n' "$i" "$i"
	done
	echo 'int main(void) { return 0; }'
} >"$TMP/many.c"
cc -O2 -o "$TMP/many" "$TMP/many.c" || fail "cc"
d -v -n 'fpid$target:a.out:out*:return { @ = count(); }' -c "$TMP/many"
like "many" "$err" '*25 functions return by a jump to another*: *many`out*, * and 15 more*'
exit $failed
