# printa() and clear() in clauses of their own at one tick, while aggregations are read all the time: what all
# prints show is what has happened, be it counted here, in the program or in the kernel.
# timeout: 300
. tests/lib/lib.sh

# sum CLAUSE WANT COMMAND
sum() {
	for i in 1 2 3 4; do
		d -x aggrate=200us -x switchrate=200us -x fpidfull=wait -qn "$1
			tick-1ms { printa(\"%@d\\n\", @); } tick-1ms { printf(\"x\\n\"); } tick-1ms { clear(@b); clear(@); }
			END { printa(\"%@d\\n\", @); }" -c "$3"
		ends 0 "$1"
		like "$1" "$err" ""
		got=$(awk 'NF == 1 && $1 != "x" { s += $1 } END { printf "%d", s }' "$TMP/out")
		is "run $i: $1" "$got" "$2"
	done
}

leaf=$("$TARGETS/t" 200000 2 | awk '$1 == "leaf" { print $2 }')
t="$TARGETS/t 200000 2 quiet"
sum 'fpid$target:a.out:leaf:entry { @ = count(); } BEGIN { @b = count(); }' "$leaf" "$t"
sum 'fpid$target:a.out:leaf:entry /arg0 >= 0/ { @ = sum(1); } BEGIN { @b = count(); }' "$leaf" "$t"
leaf=$("$TARGETS/t" 5000 2 | awk '$1 == "leaf" { print $2 }')
sum 'pid$target:a.out:leaf:entry { @ = count(); } BEGIN { @b = count(); }' "$leaf" "$TARGETS/t 5000 2 quiet"
if [ "$(id -u)" = 0 ]; then
	sum 'syscall::write:entry /pid == $target && arg0 == 1/ { @ = count(); } BEGIN { @b = count(); }' 300000 \
		'dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none'
fi
finish
