# Random programs that aggregate: run in the target, from records, and at breakpoints they print the same.
# needs: user
# timeout: 150
. tests/lib/lib.sh

[ -x /usr/bin/python3 ] || skip "no python3"
# RANDOM_CLAUSES="FIRST LAST" tries others
set -- ${RANDOM_CLAUSES:-1 10}
seed=$1
while [ "$seed" -le "$2" ]; do
	/usr/bin/python3 tests/tools/random_clauses.py "$seed" >"$TMP/program"
	for how in 'pid -x claim=on' 'fpid -x claim=on' 'fpid -x claim=off'; do
		sed "s/PROV/${how%% *}/g" "$TMP/program" >"$TMP/p.d"
		# shellcheck disable=SC2086
		d ${how#* } -x fpidfull=wait -q -s "$TMP/p.d" -c "$TARGETS/t 60 2 quiet"
		ends 0 "program $seed, $how"
		like "program $seed, $how: nothing is said" "$err" ""
		sort "$TMP/out" >"$TMP/got"
		[ "${how%% *}" = fpid ] || cp "$TMP/got" "$TMP/want"
		cmp -s "$TMP/want" "$TMP/got" || fail "program $seed, $how:
$(cat "$TMP/p.d")
$(diff "$TMP/want" "$TMP/got")"
	done
	seed=$((seed + 1))
done
# about_memory KIND FIRST LAST: the same about what lies in memory, and faults where it is not there
about_memory() {
	seed=$2
	while [ "$seed" -le "$3" ]; do
		/usr/bin/python3 tests/tools/random_clauses.py "$seed" "$1" >"$TMP/program"
		for how in 'pid -x claim=on' 'fpid -x claim=on' 'fpid -x claim=off'; do
			sed "s/PROV/${how%% *}/g" "$TMP/program" >"$TMP/p.d"
			# shellcheck disable=SC2086
			d ${how#* } -x fpidfull=wait -q -s "$TMP/p.d" -c "$TARGETS/texts 40 2 $([ $((seed % 2)) = 0 ] && echo faults)"
			ends 0 "$1 $seed, $how"
			sort "$TMP/out" >"$TMP/got"
			echo "$err" | sed '/ is a breakpoint, which takes about /d; s/f*pid[0-9]*:/PROV:/; s/ID [0-9]*/ID/g' | sort >>"$TMP/got"
			[ "${how%% *}" = fpid ] || cp "$TMP/got" "$TMP/want"
			cmp -s "$TMP/want" "$TMP/got" || fail "$1 $seed, $how:
$(cat "$TMP/p.d")
$(diff "$TMP/want" "$TMP/got" | head -20)"
		done
		seed=$((seed + 1))
	done
}
# shellcheck disable=SC2086
about_memory texts ${RANDOM_TEXTS:-1 8}
# and of texts in variables
# shellcheck disable=SC2086
about_memory variables ${RANDOM_VARIABLES:-1 12}
finish
