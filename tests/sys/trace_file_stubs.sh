# Samples in the stubs through which a program calls a library have the names that perf script has for them. perf 6.1 takes the first
# of them for _init: where they are says objdump.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf gcc objdump python3

cat >"$TMP/p.c" <<'C'
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	long n = 0;
	while (clock() < CLOCKS_PER_SEC / 2) /* of its own time, whatever else runs */
		for (int i = 0; i < 100000; i++)
			n += labs(i) + llabs(i);
	return n == argc && argv[1];
}
C
gcc -O1 -fno-builtin -no-pie -fno-pie -o "$TMP/p" "$TMP/p.c" || fail "no program"
perf record -q -F 5000 -e cpu-clock:u -o "$TMP/p.data" -- "$TMP/p" >/dev/null 2>&1 || skip "perf record does not work here"
objdump -d "$TMP/p" | sed -n 's/^\([0-9a-f]*\) <\(.*@plt\)>:/\1 \2/p' >"$TMP/stubs"
perf script -i "$TMP/p.data" -F ip 2>/dev/null >"$TMP/ips"
python3 - "$TMP/stubs" "$TMP/ips" >"$TMP/want" <<'END'
import sys
from collections import Counter
stubs = {int(at, 16): name for at, name in map(str.split, open(sys.argv[1]))}
n = Counter(stubs.get(int(ip, 16) & ~15) for ip in open(sys.argv[2]).read().split())
for name in sorted(name for name in n if name):
    print(name, n[name])
END
grep -q '^labs@plt [1-9]' "$TMP/want" && grep -q '^llabs@plt [1-9]' "$TMP/want" || fail "objdump: $(cat "$TMP/want")"
d -qE "$TMP/p.data" -n 'profile-97 /arg1/ { @[ufunc(arg1)] = count(); }'
ends 0 "a recording"
is "functions" "$(echo "$out" | sed -n 's/^ *p`\(.*@plt\)/\1/p' | awk '{ print $1, $2 }' | sort)" "$(cat "$TMP/want")"
perf script -i "$TMP/p.data" -F sym 2>/dev/null | awk '/@plt$/ { n[$1]++ } END { for (f in n) print f, n[f] }' | sort >"$TMP/perf"
[ -s "$TMP/perf" ] && comm -23 "$TMP/perf" "$TMP/want" >"$TMP/others"
is "as perf script has them" "$(cat "$TMP/others")" ""
d -qE "$TMP/p.data" -n 'profile-97 /arg1/ { @[ustack(1)] = count(); }'
is "stacks" "$(echo "$out" | awk '/p`labs@plt/ { getline n; all += n } END { print all }')" "$(awk '/^labs@plt/ { print $2 }' "$TMP/want")"
finish
