# An address of a stub through which a program calls a library (.plt, .plt.sec) is named as perf and gdb name it: what it calls,
# with @plt behind.
# needs: user
. tests/lib/lib.sh
need gcc

cat >"$TMP/p.c" <<'C'
#include <stdlib.h>
#include <string.h>
__attribute__((noipa)) void shows(void *at) { __asm__ volatile("" : : "r"(at)); }
int main(void)
{
	shows((void *)strtol); /* of a program that is not moved: its own stub */
	shows((char *)strtol + 5);
	shows((void *)strlen);
	return 0;
}
C
for flags in '' '-Wl,-z,now' '-fcf-protection -Wl,-z,ibtplt' '-rdynamic -s'; do
	# shellcheck disable=SC2086
	gcc -O1 -no-pie -fno-pie -fno-builtin $flags -o "$TMP/p" "$TMP/p.c" || fail "no program: $flags"
	d -qn 'pid$target:p:shows:entry { ufunc(arg0); usym(arg0); }' -c "$TMP/p"
	ends 0 "$flags"
	is "$flags" "$(echo $out)" 'p`strtol@plt p`strtol@plt p`strtol@plt p`strtol@plt p`strlen@plt p`strlen@plt'
done
finish
