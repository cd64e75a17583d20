# Where hits are lost, what a clause kept for one call is never taken for another's, and what was aggregated of the
# rest is marked where it is printed.
# needs: user
. tests/lib/lib.sh

f='fpid$target:a.out:f'
small='-x fpidbuf=16k -x switchrate=1hz'

# pairs CLAUSES: of 2,000,000 calls most are lost; each call returns one more than its argument
pairs() {
	# shellcheck disable=SC2086
	d -qn "$1" $small $2 -o "$TMP/pairs" -c "$TARGETS/hot 2000000"
	ends 0 "$1"
	same=$(awk '$1 == "same" { print $2 }' "$TMP/pairs")
	[ "${same:-0}" -gt 0 ] || fail "$1: no pair at all: $(cat "$TMP/pairs")"
	grep -q '^ *other' "$TMP/pairs" && fail "$1: $(cat "$TMP/pairs")"
	case $2 in *off*) like "$1: lost" "$err" '*drops on CPU*@ is incomplete: *hits, most of fpid*:hot:f:* were dropped' ;; esac
	rm -f "$TMP/pairs"
}

for claim in off on; do
	pairs "$f:entry { self->a = arg0 + 1; }
		$f:return /self->a/ { @[self->a == arg1 ? \"same\" : \"other\"] = count(); self->a = 0; }" "-x claim=$claim"
	pairs "$f:entry { self->k[arg0 & 1] = arg0 + 1; self->s = \"x\"; }
		$f:return /self->s != NULL && self->k[(arg1 - 1) & 1]/
		{ @[self->k[(arg1 - 1) & 1] == arg1 ? \"same\" : \"other\"] = count(); self->k[0] = self->k[1] = 0; self->s = 0; }" \
		"-x claim=$claim"
	pairs "$f:entry { self->a = arg0 + 1; }
		$f:return /self->a/ { @[self->a == arg1 ? \"same\" : \"other\"] = count(); @s[ustack(1)] = count(); }
		END { trunc(@s); }" "-x claim=$claim"
done
# a form that stays exact: nothing is recorded, so nothing is lost
d -qn "$f:entry { self->a = arg0 + 1; } $f:return { @[self->a == arg1] = count(); }" $small \
	-c "$TARGETS/hot 2000000"
ends 0 exact
like exact "$out" '*1 *2000000'
is "exact: nothing is lost" "$err" ""
# nor where the program waits
d -qn "$f:entry { @[ustack(1)] = count(); }" $small -x fpidfull=wait -x switchrate=100hz -c "$TARGETS/hot 20000"
ends 0 waits
like waits "$out" '*hot`f* 20000*'
is "waits: nothing is lost" "$err" ""

# each aggregation that lacks input is marked, and no other: what its clauses read comes from others
d -qn "$f:entry { @lost[ustack(1)] = count(); x++; } $f:return /x > 3/ { @too[ustack(1)] = count(); } $f:entry { @here = count(); }
	BEGIN { @whole = count(); } END { printa(@lost); printa(@whole); }" $small -o "$TMP/text" -c "$TARGETS/hot 200000"
ends 0 marks
for a in lost too; do
	like "marks: @$a" "$err" "*@$a is incomplete: *of fpid*:hot:f:*"
done
case $err in *@whole*) fail "marks: $err" ;; esac
grep -q incomplete "$TMP/text" && fail "a line among the data: $(cat "$TMP/text")"

# an aggregation that was cleared since is whole
d -qn "$f:entry { @a[ustack(1)] = count(); } END { clear(@a); printa(@a); }" $small -o "$TMP/text" -c "$TARGETS/hot 200000"
ends 0 cleared
case $err in *incomplete*) fail "cleared: $err" ;; esac

# documents hold it as a number
for format in json xml html; do
	# shellcheck disable=SC2086
	d -qn "$f:entry { @x[ustack(1)] = count(); }" $small -x oformat=$format -o "$TMP/doc" -c "$TARGETS/hot 200000"
	ends 0 $format
	case $format in
	json) n=$(sed -n 's/.*"aggregation-name":"x","incomplete":\([0-9]*\)}.*/\1/p' "$TMP/doc") ;;
	xml) n=$(sed -n 's/.*<incomplete>\([0-9]*\)<.*/\1/p' "$TMP/doc") ;;
	html) n=$(tr -d '\n' <"$TMP/doc" | sed -n 's/.*incomplete[^0-9]*\([0-9]*\).*/\1/p') ;;
	esac
	[ "${n:-0}" -gt 100000 ] || fail "$format: $(cat "$TMP/doc")"
	rm -f "$TMP/doc"
done

# dynamic variables and aggregations without room
d -qn "BEGIN { a[0] = 1; i = 0; } tick-1ms /i < 1000/ { a[i] = i + 1; i++; @v = sum(a[i - 1]); } tick-1ms { @i = count(); } tick-1ms /i >= 1000/ { exit(0); }" \
	-x dynvarsize=4k
ends 0 variables
like variables "$err" "*@v is incomplete: * dynamic variables were dropped*"
case $err in *'@i is'*) fail "variables: $err" ;; esac
d -qn "BEGIN { i = 0; } tick-1ms { @k[i++] = count(); @n = count(); } tick-1ms /i > 1000/ { exit(0); }" -x aggsize=16k -x aggrate=10s
ends 0 values
like values "$err" "*@k is incomplete: * hits*of profile:::tick-1ms were dropped*"
finish
