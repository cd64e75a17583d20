# Programs that are hard to hook as compilers make them: with and without optimisation, landing pads of
# branches, positions, link-time optimisation, frame pointers and symbols.
# needs: user
# timeout: 300
. tests/lib/lib.sh
. tests/lib/adversaries.sh

made=0
for cc in gcc clang; do
	for flags in -O0 '-O3 -fcf-protection=full' '-Os -no-pie' '-O2 -flto -fno-omit-frame-pointer' '-O1 -s'; do
		# shellcheck disable=SC2086
		builds p $cc $flags -pthread -w tests/targets/adverse.c -lm 2>/dev/null || continue
		made=1
		for mode in values asm; do
			d -n 'fpid$target:a.out::entry,fpid$target:a.out::return { @[probename] = count(); }' -o "$TMP/agg" -c "$TMP/p $mode 50"
			ends 0 "$cc $flags $mode"
			is "$cc $flags $mode" "$(tail -1 "$TMP/out")" right
			like "$cc $flags $mode" "$err" "*fpid: *[1-9]* hooked, *"
			rm -f "$TMP/agg"
		done
	done
done
[ $made = 1 ] || skip "no compiler"
finish
