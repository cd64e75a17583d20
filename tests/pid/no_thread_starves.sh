# Ten threads hit without a pause, alone and among a thousand: each gets its turn, and all are counted.
# needs: user
. tests/lib.sh

for n in 10 1000; do
	THREADS=$n
	export THREADS
	d -qn 'pid$target:a.out:touch:entry { @["touch"] = count(); }' -o "$TMP/agg$n" -c "$TARGETS/hostile fair 1500"
	ends 0 "$n threads"
	is "$n threads: hits" "$(counts "$TMP/agg$n")" "$(grep touch "$TMP/out")"
	awk '$1 == "least" { least = $2 } $1 == "most" { most = $2 } $1 == "gap" { gap = $2 }
		END { exit !(most <= 40 * least && gap < 1500) }' "$TMP/out" || fail "$n threads: $out"
done
finish
