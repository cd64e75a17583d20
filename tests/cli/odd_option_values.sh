# Every option of options.def with odd values, by -x, in a program and by setopt(): it is taken, or refused by
# one sentence that names the option, the value and what is allowed. What is taken goes by the parser that
# the table names, so that a new option is tried as well.
# timeout: 300
. tests/lib/lib.sh

TABLE=$PWD/dlang/options.def
cd "$TMP" || exit 1 # options that write files
touch values rows
set -f

# In a shell a value with blanks is one word; NONE: no value at all.
cat >values <<'END'
NONE

0
1
-1
0x10
010
0XG
1.5
2147483647
2147483648
9223372036854775807
99999999999999999999
1k
1K
1kb
16777216t
10hz
1Sec
5MS
yes
No
nosuch
 1
1 
a,b
=x
%s%n
END

# taken PARSER VALUE: is it?
taken() {
	case $2 in # a number, to those that have one
	0 | 1 | 010 | 0x10) small=1 whole=1 ;;
	2147483647) small=0 whole=1 ;;
	2147483648 | 9223372036854775807) small=0 whole=1 ;;
	*) small=0 whole=0 ;;
	esac
	case $1:$2 in
	EXPLAIN:NONE | ONESHOT:NONE) return 0 ;;
	LIVE:*) taken BOOL "$2"; return ;;
	FLAG:NONE | SWITCH:* | BOOL:NONE | BOOL: | BOOL:yes | BOOL:No) return 0 ;;
	BOOL:*) [ $whole = 1 ] ;;
	NUM:2147483647 | TREGS:2147483647 | TREE:2147483647) return 0 ;;
	NUM:* | NSPEC:* | INDENT:*) [ $small = 1 ] ;;
	IREGS:010) return 0 ;;
	TREGS:0 | TREE:0) return 1 ;;
	TREGS:* | TREE:*) [ $small = 1 ] ;;
	PGMAX:NONE | PGMAX:-*) return 1 ;;
	PGMAX:*) return 0 ;;
	SIZE:NONE | SIZE:1k | SIZE:1K | LOCKMEM:1k | LOCKMEM:1K) return 0 ;;
	STRSIZE:1k | STRSIZE:1K) return 0 ;;
	STRSIZE:0 | STRSIZE:1 | STRSIZE:9223372036854775807) return 1 ;;
	SIZE:* | STRSIZE:* | LOCKMEM:*) [ $whole = 1 ] ;;
	RATE:10hz | RATE:1Sec | RATE:5MS) return 0 ;;
	RATE:*) [ $whole = 1 ] ;;
	TIME:0 | TIME:1Sec | TIME:5MS) return 0 ;;
	VERSION:1.5) return 0 ;;
	TEXT:NONE | TEXT: | LIST:NONE | LIST: | ENVIRON:NONE | ENVIRON: | ENVIRON:=*) return 1 ;;
	TEXT:* | LIST:* | ENVIRON:*) return 0 ;;
	*) return 1 ;; # words, versions, attributes: none of these
	esac
}

sed -n 's/^OPT([A-Z]*, *"\([a-z]*\)", *\([A-Z]*\), *\([A-Z]*\),.*/\1 \2 \3/p' "$TABLE" >rows
[ "$(wc -l <rows)" = "$(grep -c '^OPT(' "$TABLE")" ] || fail "rows of the table that are not understood"

# refused HOW START: by one line that begins so
refused() {
	[ "$status" = 1 ] || fail "$1: status $status, expected 1"
	line='' more=''
	{ IFS= read -r line; IFS= read -r more; } <err
	[ -z "$more" ] || fail "$1: not one line: $(cat err)"
	case $line in
	"$2"*"; allowed: "*) ;;
	*) fail "$1: $line" ;;
	esac
}

while read -r name phase parser; do
	[ "$name" = addmap ] && continue # of recordings that are written anew alone: tests/*/rewrite.sh
	: >want
	echo 'BEGIN {' >setopts.d
	while IFS= read -r value; do
		if [ "$value" = NONE ]; then
			given=$name told="'$name'" set=1
			echo "setopt(\"$name\");"
		else
			given=$name=$value told="'$name' to '$value'" set=$value
			printf 'setopt("%s", "%s");\n' "$name" "$value"
		fi >>setopts.d
		"$DTRACE" -x "$given" -e -qn 'BEGIN { exit(0); }' >out 2>err </dev/null
		status=$?
		if taken "$parser" "$value"; then
			[ $status = 0 ] || fail "-x $given: $(cat err)"
		else
			refused "-x $given" "dtrace: failed to set -x $name: "
		fi
		taken "$parser" "$set" || echo "$told" >>want # without a value it is 1
		case $value in NONE | 1 | -1 | 1k | yes | nosuch) ;; *) continue ;; esac

		printf '#pragma D option %s\nBEGIN { exit(0); }\n' "$given" >p.d
		"$DTRACE" -e -qs p.d >out 2>err </dev/null
		status=$?
		if [ "$phase" = OUTSIDE ]; then
			is "pragma $given" "$(cat err)" "dtrace: failed to compile script p.d: line 1: failed to set option $told: Option cannot be used from within a D program"
		elif taken "$parser" "$value"; then
			[ $status = 0 ] || fail "pragma $given: $(cat err)"
		else
			refused "pragma $given" "dtrace: failed to compile script p.d: line 1: failed to set option $told: "
		fi
	done <values
	echo 'exit(0); }' >>setopts.d

	"$DTRACE" -qs setopts.d >out 2>err </dev/null
	status=$?
	[ $status = 0 ] || fail "setopt $name: status $status: $(cat err)"
	told=$(grep -c "couldn't set option \"$name\"" err)
	if [ "$phase" = DYN ]; then
		is "setopt $name: refused" "$told" "$(wc -l <want)"
		is "setopt $name: what is allowed" "$(grep -c '; allowed: ' err)" "$told"
	else
		is "setopt $name: all refused" "$told" "$(wc -l <values)"
		is "setopt $name: why" "$(grep -c "Operation illegal when tracing is active\|Option cannot be used from within" err)" "$told"
	fi
	is "setopt $name: nothing else" "$(grep -v '^$' err | grep -cv "couldn't set option")" 0
done <rows

# the last one counts, and a program before the command line
d -x strsize=3 -x strsize=6 -qn 'BEGIN { trace("abcdefgh"); exit(0); }'
is "twice by -x" "$out" abcdef
d -x strsize=3 -qn '#pragma D option strsize=6
#pragma D option strsize=4
BEGIN { trace("abcdefgh"); exit(0); }'
is "twice in a program, and by -x" "$out" abcd
d -qn 'BEGIN { setopt("stackindent", "3"); setopt("stackindent", "1"); setopt("quiet", "no"); setopt("quiet"); exit(0); }'
is "twice by setopt()" "$out$err" ""
for bad in nosuch no-such '' ' ' 'quiet ' QUIET quietx '=1' '-'; do
	d -x "$bad" -qn 'BEGIN { exit(0); }'
	ends 1 "-x '$bad'"
	[ "$(grep -cv '^dtrace: did you mean ' "$TMP/err")" = 1 ] || fail "-x '$bad': $err"
	like "-x '$bad'" "$err" "dtrace: failed to set -x*: Invalid option name*"
done
finish
