# -x aggpercpu: behind each value what came from each CPU; what is counted where it happens otherwise, too.
# needs: user
. tests/lib/lib.sh
need taskset

ncpus=$(getconf _NPROCESSORS_CONF)
first=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')

# lines FILE: how many lines name a CPU
lines() {
	grep -c '^    \[CPU [0-9]*\]' "$1"
}

# on CPU FILE: what its line says
on() {
	sed -n "s/^    \\[CPU $1\\] *//p" "$2"
}

# a program that stays on one CPU: all of it there, and what the others begin with
all=$(taskset -cp $$ | sed 's/.*: *//')
taskset -cp "$first" $$ >"$TMP/pinned"
for provider in pid fpid; do
	for row in 'count()|0' 'sum(arg0)|0' 'min(arg0 + 7)|9223372036854775807' \
		'max(arg0)|-9223372036854775808' 'avg(arg0)|0' 'stddev(arg0)|0'; do
		agg=${row%|*}
		d -qn "$provider\$target:a.out:leaf:entry { @ = $agg; }" -c "$TARGETS/t 1000 1 quiet"
		want=$((out))
		[ "$want" -gt 0 ] || fail "$provider $agg: $want"
		d -x aggpercpu -qn "$provider\$target:a.out:leaf:entry { @ = $agg; }" -c "$TARGETS/t 1000 1 quiet"
		ends 0 "$provider $agg"
		is "$provider $agg: all CPUs" "$(awk 'NF == 1 { print $1 }' "$TMP/out")" "$want"
		is "$provider $agg: one CPU" "$(on "$first" "$TMP/out")" "$want"
		is "$provider $agg: lines" "$(lines "$TMP/out")" "$ncpus"
		[ "$ncpus" = 1 ] || is "$provider $agg: the others" \
			"$(sed -n "/\[CPU $first\]/d; s/^    \[CPU [0-9]*\] *//p" "$TMP/out" | sort -u)" "${row#*|}"
	done
done
taskset -cp "$all" $$ >"$TMP/pinned"

# threads on all CPUs: the parts are the whole, key by key, by printa()
for provider in pid fpid; do
	d -x aggpercpu -qn "$provider"'$target:a.out:leaf:entry { @[arg0 & 1] = count(); }
	END { printa("%d %@d\n", @); }' -c "$TARGETS/t 500 4 quiet"
	ends 0 "$provider"
	awk '/CPU/ { sub(/.*\]/, ""); part += $0; next } NF == 2 { if (whole != part) bad = 1; whole = $2; part = 0; n++ }
		END { exit bad || whole != part || n != 2 }' "$TMP/out" || fail "$provider: parts: $out"
done

# histograms, clear(), trunc(), the structured form
d -x aggpercpu -qn 'BEGIN { @q = quantize(4); @t[1] = count(); @t[2] = count(); @c = max(9); clear(@c); trunc(@t, 1);
	printa(@c); exit(0); }'
is "rows of histograms" "$(grep -c Distribution "$TMP/out")" $((ncpus + 1))
is "one key is left" "$(grep -c '^ *[12]  *[0-9]' "$TMP/out")" 1
is "cleared" "$(grep -c -- '-9223372036854775808' "$TMP/out")" $((ncpus + 1))
d -x aggpercpu -x oformat=json -n 'BEGIN { @a = count(); exit(0); }'
like "structured" "$out" '*"count":1,"cpus":[[]{"cpu":0,"count":*'

# set in a program; not without being asked; nothing is said of it
d -qn '#pragma D option aggpercpu
	BEGIN { @ = count(); exit(0); }' -C
is "pragma" "$(lines "$TMP/out")" "$ncpus"
d -x aggpercpu -n 'BEGIN { exit(0); }'
like "accepted" "$err" "*matched 1 probe"
d -qn 'BEGIN { @ = count(); exit(0); }'
is "without" "$(lines "$TMP/out")" 0
finish
