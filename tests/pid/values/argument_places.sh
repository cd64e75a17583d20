# args[] of entry and return probes holds what the program itself prints: random functions of
# integers, floats, bit-fields, arrays, unions and nested structures, as several compilers call them.
# needs: user
# timeout: 120
. tests/lib/lib.sh
need python3 gcc

same() { # same SEED LANGUAGE COMPILER FLAGS...
	seed=$1 language=$2
	shift 2
	command -v "$1" >/dev/null 2>&1 || return
	source=$TMP/p$seed.$(echo "$language" | tr + p)
	python3 tests/tools/signatures.py "$seed" "$language" "$source" "$TMP/p.d"
	(cd "$TMP" && "$@" -w -g -x "$language" "$source" -o p) 2>"$TMP/cc" || {
		fail "$*: $(cat "$TMP/cc")"
		return
	}
	"$TMP/p" | sort >"$TMP/want"
	[ "$(wc -l <"$TMP/want")" = 80 ] || fail "$*: the program printed $(wc -l <"$TMP/want") lines"
	d -qs "$TMP/p.d" -o "$TMP/all" -c "$TMP/p" -x bufsize=16m
	ends 0 "$seed $*"
	grep . "$TMP/all" | sort >"$TMP/got"
	rm -f "$TMP/all"
	cmp -s "$TMP/want" "$TMP/got" || fail "$seed $*: $(diff "$TMP/want" "$TMP/got" | head -4)"
}

same 1 c gcc -O0
same 2 c gcc -O2
same 3 c gcc -O2 -gdwarf-4
same 4 c clang -O2
same 5 c clang -O0
same 6 c++ g++ -O2
same 7 c++ clang++ -O1
same 8 c gcc -O2 -flto
same 9 c gcc -O2 -gsplit-dwarf
same 10 c++ clang++ -O1 -gsplit-dwarf -gdwarf-4
same 11 c gcc -O2 -fdebug-types-section
finish
