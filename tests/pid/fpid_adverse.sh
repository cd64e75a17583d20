# Programs that are hard to hook, with every function hooked at its entry, its returns, and both: their
# output is what it was, and what they count themselves is what we count.
# needs: user
# timeout: 500
. tests/lib.sh

adverse() { # adverse MODE N PROGRAM...
	mode=$1 n=$2 only=
	shift 2
	# a stop at each return of a handler takes longer than it is to the next signal
	[ $mode = signals ] && only='-x fpidfallback=none'
	for probes in entry return ''; do
		# shellcheck disable=SC2086
		d $only -n 'fpid$target:::'$probes' { @[probename, probefunc] = count(); }' -o "$TMP/agg" -c "$* $mode $n"
		ends 0 "$mode:$probes"
		is "$mode:$probes" "$(tail -1 "$TMP/out")" right
		like "$mode:$probes" "$err" "*fpid: * hooked, *"
		case $err in *"pid "*exited* | *terminated*) fail "$mode:$probes: $err" ;; esac
		for name in ${probes:-entry return}; do
			# a jump out of a function is no return of it
			case $mode.$name in jumps.return | tails.return | contexts.return) continue ;; esac
			counts "$TMP/out" >"$TMP/own"
			awk -v name="$name" '$1 == name { print $2, $3 }' "$TMP/agg" | sort >"$TMP/all"
			awk 'NR == FNR { own[$1]; next } $1 in own' "$TMP/own" "$TMP/all" >"$TMP/ours"
			cmp -s "$TMP/own" "$TMP/ours" || fail "$mode:$probes: (< the program's, > ours)
$(diff "$TMP/own" "$TMP/ours")"
		done
		rm -f "$TMP/agg"
	done
}

for mode in jumps contexts tails signals blocked asm values sealed; do
	adverse $mode 100 "$TARGETS/adverse"
done
adverse stacks 20 "$TARGETS/adverse"
adverse libc 3 "$TARGETS/adverse"

if command -v gcc >/dev/null 2>&1; then
	cat >"$TMP/lib.c" <<'C'
static long base;
__attribute__((constructor)) static void begin(void) { base = 4711; }
__attribute__((noinline)) long in_library(long x) { return x + base; }
C
	gcc -O1 -shared -fPIC -o "$TMP/lib.so" "$TMP/lib.c" || fail "the library does not compile"
	export ADVERSE_LIBRARY="$TMP/lib.so"
	adverse reload 20 "$TARGETS/adverse"
fi

# as compilers make it
for cc in gcc clang; do
	command -v $cc >/dev/null 2>&1 || continue
	for flags in -O0 '-O3 -fcf-protection=full' '-Os -no-pie'; do
		# shellcheck disable=SC2086
		$cc $flags -pthread -w -o "$TMP/p" tests/targets/adverse.c -lm 2>"$TMP/cc" || continue
		for mode in values asm; do
			d -n 'fpid$target:a.out:: { @[probename] = count(); }' -o "$TMP/agg" -c "$TMP/p $mode 50"
			ends 0 "$cc $flags $mode"
			is "$cc $flags $mode" "$(tail -1 "$TMP/out")" right
			rm -f "$TMP/agg"
		done
	done
done
finish
