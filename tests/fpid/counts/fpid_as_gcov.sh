# What the instructions of a program count is what gcov says of the lines that they belong to; with -x oneshot those fire that were executed.
# needs: user
. tests/lib/lib.sh
need gcc gcov objdump python3

cat >"$TMP/g.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long sum;

__attribute__((noinline)) static int classify(unsigned x)
{
	switch (x % 7) {
	case 0:
		return 3;
	case 1:
		sum += x;
		break;
	case 2:
		sum ^= x << 3;
		break;
	case 5:
		if (x & 8)
			return -1;
		sum++;
		break;
	default:
		sum -= 2;
	}
	return (int)(x & 3);
}

__attribute__((noinline)) static unsigned collatz(unsigned long n)
{
	unsigned steps = 0;

	while (n != 1) {
		if (n % 2)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	return steps;
}

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a;
	int y = *(const int *)b;

	if (x < y)
		return -1;
	return x > y;
}

int main(void)
{
	int v[500];
	unsigned long total = 0;
	unsigned i = 0;

	while (i < 500) {
		v[i] = (int)(i * 7919 % 503);
		total += (unsigned long)classify(i);
		total += collatz(i + 1);
		i++;
	}
	qsort(v, 500, sizeof(v[0]), by_value);
	printf("%lu %lu %d\n", total, sum, v[250]);
	return 0;
}
C
cat >"$TMP/compare.py" <<'PY'
import re, sys

counted, lines, listing, once = sys.argv[1:]
count = {}
for line in open(counted):
    words = line.split()
    if len(words) == 3:
        count[words[0], words[1]] = int(words[2])
functions = {function for function, _ in count}
ours = {}
function = number = None
for line in open(listing):
    if head := re.match(r"([0-9a-f]+) <(.*)>:$", line):
        start, function = int(head[1], 16), head[2]
    elif place := re.match(r"\S*\.c:(\d+)", line):
        number = int(place[1])
    elif (insn := re.match(r" +([0-9a-f]+):", line)) and function in functions:
        ours.setdefault(number, set()).add(count.get((function, "%x" % (int(insn[1], 16) - start)), 0))
same = 0
for line in open(lines):
    said = re.match(r" *(\d+|#####)\*?: *(\d+):\t", line)  # not those that functions begin with
    if said and int(said[2]) in ours:
        want = 0 if said[1] == "#####" else int(said[1])
        got = ours[int(said[2])]
        right = max(got) == min(want, 1) if once else want in got
        same += right
        if not right:
            print("line", said[2], want, "by gcov, here", sorted(got))
print("same", same)
PY

(cd "$TMP" && gcc -g -O0 --coverage -c g.c -o g.o && gcc --coverage g.o -o g) >"$TMP/cc" 2>&1 || skip "no gcov: $(head -1 "$TMP/cc")"
"$TMP/g" >"$TMP/free"
objdump -dl --no-show-raw-insn "$TMP/g" >"$TMP/listing"
for prov in pid fpid 'pid -x oneshot' 'fpid -x oneshot'; do
	options=${prov#*pid}
	rm -f "$TMP"/*.gcda "$TMP/counts"
	# shellcheck disable=SC2086
	d $options -n "$(printf ",${prov%% *}\$target:g:%s:" main classify collatz by_value | cut -c2-) { @[probefunc, probename] = count(); }" \
		-o "$TMP/counts" -c "$TMP/g"
	ends 0 "$prov"
	is "$prov" "$out" "$(cat "$TMP/free")"
	(cd "$TMP" && gcov -t g.o >lines 2>gcov.err) || fail "gcov: $(cat "$TMP/gcov.err")"
	python3 "$TMP/compare.py" "$TMP/counts" "$TMP/lines" "$TMP/listing" "$options" >"$TMP/compared"
	is "$prov" "$(grep -v ^same "$TMP/compared")" ""
	[ "$(sed -n 's/^same //p' "$TMP/compared")" -ge 25 ] || fail "$prov: $(cat "$TMP/compared" "$TMP/counts")"
done
finish
