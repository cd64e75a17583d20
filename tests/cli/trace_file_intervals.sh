# Tables of a tick of a recording hold what the file has until that time, however fast it is read; counts that make no records do, too.
. tests/lib/lib.sh
need python3

cat >"$TMP/make.py" <<'END'
import sys
sys.path.insert(0, "tests/tools")
import perfdata
# 1000 + 100 i messages in the i-th 10 ms, a round after each 500
records = [r for r in perfdata.RECORDS if r != perfdata.ROUND]
n = 0
for i in range(8):
    for j in range(1000 + 100 * i):
        records.append(perfdata.message(perfdata.at(30 + 10 * i + 10 * j / (1000 + 100 * i)), 0, 100, j % 5, "x"))
        n += 1
        if n % 500 == 0:
            records.append(perfdata.ROUND)
records.append(perfdata.ROUND)
open(sys.argv[1], "wb").write(perfdata.a_file(records))
END
python3 "$TMP/make.py" "$TMP/i.data" || fail "no recording"
expected="2 0 0
1000 1000 1000
1100 1100 1100
1200 1200 1200
1300 1300 1300
1400 1400 1400
1500 1500 1500
1600 1600 1600"
for claim in on off; do
	d -x claim=$claim -qn 'linux-demo:::message { @ = count(); m++; @k[args[0]->number % 5] = count(); }
		tick-10ms { printf("%d ", m); printa("%@d ", @); n++; clear(@); m = 0; printf("\n"); trunc(@k); }' -E "$TMP/i.data"
	ends 0 "claim=$claim"
	is "claim=$claim" "$(printf '%s\n' "$out" | awk 'NF == 2 && $1 > 10 { print $1, $2 }')" "$(printf '%s\n' "$expected" | awk '$1 > 2 { print $1, $2 }')"
	# what does nothing but count
	d -x claim=$claim -qn 'linux-demo:::message { @ = count(); } tick-10ms { printa("%@d\n", @); clear(@); }' -E "$TMP/i.data"
	ends 0 "claim=$claim, counted"
	is "claim=$claim, counted" "$(printf '%s\n' "$out" | awk '$1 > 2')" "$(printf '%s\n' "$expected" | awk '$1 > 2 { print $1 }')"
	# exit() ends what is counted
	d -x claim=$claim -qn 'linux-demo:::message { @ = count(); } tick-10ms /++n == 5/ { exit(0); }' -E "$TMP/i.data"
	is "claim=$claim, exit" "$(echo $out)" 2102
done
finish
