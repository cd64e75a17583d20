# Functions that leave a hook no register and no flag to spare, made at random and built in many ways: what
# they compute is what it was, and each hand-written one is counted. PRESSURE_SEEDS ("1 2 3") says which.
# needs: user
# timeout: 600
. tests/lib/lib.sh
need python3

# ways N: how the program of seed N is built
ways() {
	case $(($1 % 6)) in
	0) echo "-O0" ;;
	1) echo "-O2" ;;
	2) echo "-O3 -fomit-frame-pointer -no-pie" ;;
	3) echo "-Os -fno-omit-frame-pointer -fcf-protection=full" ;;
	4) echo "-O2 -flto -flto-partition=one" ;;
	5) echo "-O1 -s" ;;
	esac
}

under_pressure() { # under_pressure WHAT PROBES OPTIONS CLAUSE
	rm -f "$TMP/agg"
	# shellcheck disable=SC2086
	d $3 -n "fpid\$target:a.out::$2 { $4 }" -o "$TMP/agg" -c "$TMP/p 30"
	ends 0 "$1:$2"
	like "$1:$2" "$err" "*fpid: *[1-9]* hooked, *"
	cmp -s "$TMP/want" "$TMP/out" || fail "$1:$2: $4: $(diff "$TMP/want" "$TMP/out" | head -4)"
	# a stripped program's functions have other names
	case $1 in *" -s") return ;; esac
	for name in ${2:-entry return}; do
		awk -v name=$name '$1 == name && $2 ~ /^leaf_/ && NF == 3 { print $2, $3 }' "$TMP/agg" | sort >"$TMP/ours"
		cmp -s "$TMP/own" "$TMP/ours" || fail "$1:$2: $name: (< the program's, > ours) $(diff "$TMP/own" "$TMP/ours" | head -5)"
	done
}

made=0
for seed in ${PRESSURE_SEEDS-1 2 3}; do
	python3 tests/tools/pressure.py "$seed" >"$TMP/p.c" || fail "no program of seed $seed"
	for cc in gcc clang; do
		# shellcheck disable=SC2046
		command -v $cc >/dev/null 2>&1 && $cc $(ways "$seed") -w -o "$TMP/p" "$TMP/p.c" 2>"$TMP/cc" || continue
		made=1
		what="seed $seed, $cc $(ways "$seed")"
		"$TMP/p" 30 >"$TMP/want"
		counts "$TMP/want" | grep leaf_ >"$TMP/own"
		for probes in entry return ''; do
			under_pressure "$what" "$probes" '' '@[probename, probefunc] = count();'
			under_pressure "$what" "$probes" '' '@[probename, probefunc] = count(); @q = quantize(arg0); @m[arg1 & 3] = max(arg0);'
			under_pressure "$what" "$probes" '-x claim=off -x fpidfull=wait' '@[probename, probefunc] = count(); @s[ustack(5)] = count();'
		done
	done
done
[ $made = 1 ] || skip "no compiler"
finish
