# Every call and return of every function of real programs and their libraries: counted in the program,
# recorded there, and counted by breakpoints are the same, function by function.
# needs: user
# timeout: 240
. tests/lib/lib.sh
export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0

# hits PROV OPTIONS COMMAND: into $TMP/PROV
hits() {
	rm -f "$TMP/agg"
	# shellcheck disable=SC2086
	d $2 -n "$1"'$target:::entry, '"$1"'$target:::return { @[probemod, probefunc, probename] = count(); }' -o "$TMP/agg" -c "$3"
	ends 0 "$1 $2: $3"
	cp "$TMP/out" "$TMP/said.$1"
	awk 'NF == 4' "$TMP/agg" | sort >"$TMP/$1"
}

# same OPTIONS COMMAND: breakpoints and hooks agree
same() {
	hits pid '' "$2"
	[ "$(wc -l <"$TMP/pid")" -gt 50 ] || fail "$2: $(cat "$TMP/pid" "$TMP/err")"
	hits fpid "$1" "$2"
	like "$2" "$err" "*fpid: *[1-9]* hooked, *"
	is "$1: $2: output" "$(cat "$TMP/said.fpid")" "$(cat "$TMP/said.pid")"
	diff "$TMP/pid" "$TMP/fpid" >"$TMP/diff"
}

# equal COMMAND: where a program does not do the same each time (addresses, clocks) it is asked again
equal() {
	for options in '-x fpidfull=drop' '-x claim=off -x fpidfull=wait'; do
		same "$options" "$1" || same "$options" "$1" || same "$options" "$1" ||
			fail "$options: $1: (< breakpoints, > hooks)
$(head -10 "$TMP/diff")"
	done
}

ran=0
have() {
	command -v "$1" >/dev/null 2>&1 && ran=1
}
have bash && equal "bash --norc --noprofile -c 'for ((i = 0; i < 100; i++)); do ((s += i)); x=\${s#1}; done; echo \$s \$x'"
have sqlite3 && equal "sqlite3 :memory: 'create table t(a, b); with recursive c(x) as (select 1 union all select x+1 from c where x < 100)
	insert into t select x, x*7%31 from c; select sum(a), group_concat(distinct b) from t'"
have perl && equal "perl -e 'my %h; \$h{\$_%10}.=\$_ for 1..100; print length(join(q(),map{\$h{\$_}} sort keys %h)),qq(\n)'"
have openssl && equal "openssl dgst -sha256 tests/lib/lib.sh"
[ $ran = 1 ] || skip "none of the programs is here"
finish
