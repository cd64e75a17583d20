# Ten threads hit without a pause, alone and among a thousand: each gets its turn, and all are counted.
# needs: user
. tests/lib/lib.sh

# The longest time between two hits of a thread is also the kernel's doing, where others want the CPUs: the
# best of a few runs says what is ours.
for n in 10 1000; do
	THREADS=$n
	export THREADS
	run=0 gap=1000
	while [ $run -lt 6 ] && [ "$gap" -ge 100 ]; do
		run=$((run + 1))
		d -qn 'pid$target:a.out:touch:entry { @["touch"] = count(); }' -o "$TMP/agg$n.$run" -c "$TARGETS/hostile fair 700"
		ends 0 "$n threads"
		is "$n threads: hits" "$(counts "$TMP/agg$n.$run")" "$(grep touch "$TMP/out")"
		gap=$(awk '$1 == "least" { least = $2 } $1 == "most" { most = $2 } $1 == "gap" { gap = $2 }
			END { print most <= 40 * least ? gap : 1000 }' "$TMP/out")
	done
	[ "$gap" -lt 100 ] || fail "$n threads: a thread waits longer than 100 ms: $out"
done
finish
