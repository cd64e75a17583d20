# Globals are kept by the target: those that are only added to, a word for each thread, others one word for all; BEGIN,
# END and ticks read and assign them. The same with claim=off; without room for a single record nothing is lost.
# needs: user
# timeout: 120
. tests/lib/lib.sh

# counters PROGRAM WANTED [COMMAND]
counters() {
	for how in 'claim=on' 'claim=off' 'fpidbuf=4k'; do
		d -x "$how" -qn "$1" -c "${3:-$TARGETS/t 3000 4 quiet}"
		ends 0 "$how: $1"
		like "$how: $1" "$err" ""
		is "$how: $1" "$(echo $out)" "$2"
	done
}

leaf='fpid$target:a.out:leaf:entry'
leave='fpid$target:a.out:leaf:return'

counters "$leaf"' { n++; } END { printf("%d", n); }' 13200
counters 'int k; unsigned char c; short s; BEGIN { n = 100; k = -5; c = 7; }
	'"$leaf"' { n++; k++; ++k; n = 3 + n; n--; c -= 3; s += 1000; k -= 1; } END { printf("%d %d %d %d", n, k, c, s); }' \
	"39700 13195 87 $(((13200 * 1000 + 32768) % 65536 - 32768))"
counters "$leaf"' /probename == "entry"/ { n++; m++; } '"$leave"' { n += 2; } END { printf("%d %d", n, m); }' "39600 13200"
counters "long odd, low, all; $leaf"' { odd += arg0 & 1; low += arg0 < 50 ? 1 : 0; all += arg0; @ = sum(arg0); @o = sum(arg0 & 1); @l = sum(arg0 < 50); }
	END { printf("%d %d %d = ", all, odd, low); printa("%@d ", @); printa("%@d ", @o); printa("%@d", @l); }' \
	"$(d -x claim=off -qn "$leaf"' { @ = sum(arg0); @o = sum(arg0 & 1); @l = sum(arg0 < 50); }
	END { printa("%@d ", @); printa("%@d ", @o); printa("%@d", @l); }' -c "$TARGETS/t 3000 4 quiet"; echo "$out = $out")"

# what was loaded before it was added to is stored: that addition is gone
for program in 'n = n + (n++, 5);' 'n += (n++, 2) + (n += 7, 1);' 'n = (n++, n + 1);' 'n += arg0 & 1 ? (n++, 3) : 4;'; do
	for how in off on; do
		d -x claim=$how -qn "long n; $leaf { $program }"' END { printf("%d", n); }' -c "$TARGETS/t 3000 4 quiet"
		ends 0 "claim=$how: $program"
		[ "$how" = on ] || want=$out
	done
	[ "$want" -gt 13200 ] || fail "$program: $want"
	is "claim=on: $program" "$out" "$want"
done

# at breakpoints of the same provider, which add here
counters 'fpid$target:a.out:cramped:entry { n++; } fpid$target:a.out:cramped:return { n++; m++; } END { printf("%d %d", n, m); }' \
	"1800 900" "$TARGETS/cramped 300 3"

# what does more than add, in one thread
one="$TARGETS/t 3000 1 quiet"
counters 'unsigned char small; int wraps; long total; BEGIN { most = 5; small = 250; }
	'"$leaf"' { last = arg0; most = arg0 > most ? arg0 : most; small = small + 3; flag = !flag; seen = small; from = tid; n++; m = n; wraps += 2000000; }
	'"$leave"' /from == tid && m == n/ { back = m; copy = wraps < 0; total += back; @ = count(); } END { printf("%d %d %d %d %d %d %d %d ", last, most, small, seen == small, flag, n, back, total); }' \
	"$(d -x claim=off -x fpidfull=wait -qn "long most, last; $leaf"' { last = arg0; most = most < arg0 ? arg0 : most; } END { printf("%d %d", last, most); }' -c "$one"; echo $out) 166 1 0 3300 3300 5446650 3300" "$one"
# what threads add is all there, also where others look at it
for how in 'claim=on' 'fpidbuf=4k'; do
	d -x $how -qn "long k; $leaf"' { n++; m = n; k += arg0 & 1; @ = sum(arg0 & 1); @m = max(k); } END { printf("%d %d ", n, m <= n); printa("%@d ", @); printa("%@d", @m); }' \
		-c "$TARGETS/t 3000 4 quiet"
	ends 0 "words, $how"
	like "words, $how" "$err" ""
	# shellcheck disable=SC2086
	set -- $out
	is "words, $how" "$1 $2 $3" "13200 1 $4"
done
# ticks change it, and so do breakpoints
d -x fpidbuf=4k -qn "int n, limit; $leaf"' { n = n + (limit > n); @ = count(); } BEGIN { limit = 7; } tick-1ms { limit = 1000; } END { printf("%d", n <= limit); printa(" %@d", @); }' \
	-c "$TARGETS/t 3000 4 quiet"
is "ticks that assign" "$(echo $out)" "1 13200"
counters 'long same; fpid$target:a.out:cramped:entry { last = arg0; } fpid$target:a.out:cramped:return { same += last == arg1; last = 5; @ = count(); } END { printf("%d ", last); }' \
	"5 $(d -x claim=off -qn 'fpid$target:a.out:cramped:return { @ = count(); }' -c "$TARGETS/cramped 300 1"; echo $out)" "$TARGETS/cramped 300 1"

# where another provider uses it the engine has the variable, and all is right as far as records come
for how in 'claim=on' 'claim=off'; do
	d -x $how -x fpidfull=wait -qn "$leaf"' { m = n++; } '"$leave"' /n > 5/ { last = n; } END { printf("%d %d %d", n, m, last); }' \
		-c "$TARGETS/t 300 1 quiet"
	is "a value that is used, $how" "$(echo $out)" "330 329 330"
	d -x $how -x fpidfull=wait -qn "$leaf"' { n++; } pid$target:a.out:leaf:return { n += 1000; } END { printf("%d", n); }' \
		-c "$TARGETS/t 300 1 quiet"
	is "another provider adds, $how" "$(echo $out)" "330330"
done

# ticks see what is there by then, and what they assign stays
d -x fpidbuf=4k -qn "$leaf"' { n++; } tick-10ms { printf("%d\n", n); } END { printf("%d\n", n); }' -c "$TARGETS/t 12000000 2 quiet"
ends 0 "ticks"
like "ticks" "$err" ""
echo "$out" | awk 'NF { if ($1 < last) exit 1; if ($1 != last) kinds++; last = $1 } END { exit last != 26400000 || kinds < 3 }' ||
	fail "ticks: $out"
d -x fpidbuf=4k -qn "long n, total; $leaf"' { n++; } tick-10ms /n/ { total += n; n = 0; } END { printf("%d\n", total + n); }' -c "$TARGETS/t 12000000 2 quiet"
is "ticks that take it away" "$(echo $out)" 26400000
d -x fpidbuf=4k -qn "$leaf"' { n++; } tick-10ms /n > 1000/ { exit(3); } END { printf("%d\n", n > 1000); }' -c "$TARGETS/t 12000000 2 quiet"
ends 3 "exit() of a tick"
is "exit() of a tick" "$(echo $out)" 1

d -x fpidbuf=4k -qn 'int n; fpid$target:a.out:leaf:entry { n++; } END { printf("%d", n); }' -c "$TARGETS/t 1 4 quiet"
is "threads that end at once" "$(echo $out)" "$(d -qn 'fpid$target:a.out:leaf:entry { @ = count(); } END { printa("%@d", @); }' -c "$TARGETS/t 1 4 quiet"; echo $out)"
finish
