# The scripts of dscripts/demo that need no more than a program, or nothing.
. tests/lib/lib.sh

# demo SCRIPT ARGS...: $out is what the script prints, $said what the command does
demo() {
	script=$1
	shift
	rm -f "$TMP/told"
	"$DTRACE" -o "$TMP/told" -s "dscripts/demo/$script.d" "$@" >"$TMP/said" 2>"$TMP/err" </dev/null ||
		fail "$script.d: status $?: $(cat "$TMP/err")"
	out=$(cat "$TMP/told")
}

# functions FIELD: the functions that count, as the program counts them
functions() {
	echo "$out" | awk -v field="$1" 'NF >= field && $field ~ /^[0-9]+$/ { print $1, $field }' | grep -v '^_start\|^thread_main' | sort
}

demo startend
like "startend.d" "$out" "*begins*ends after *ms*"
demo strings
is "strings.d" "$(echo "$out" | grep . | sed 's/^[^ ]* *//')" "21
share
5
14
doc/dtrace
doc/dtrace
dtrace
/usr/share/doc
/usr/share/doc/dtrace/demo
DTRACE
usr share
31
11111
< >   0 1 0"
demo test
is "test.d" "$(echo "$out" | sed '/^ *$/,$d')" "a structure      3 -4, 8 bytes
enumerators      0 5 6
arithmetic       3 1 -4 0xf -56
arrays           9 0 13
self and this    2 deep
formats             42|42   |00042|2a|z|text|
aggregations     n even  2
aggregations     n odd   2
sum avg min max  10 2 1 4"
demo tick
is "tick.d" "$(echo "$out" | grep -c 'tick-200ms') $(echo "$out" | grep -c 'tick-500ms')" "5 2"

for provider in pid fpid; do
	demo ${provider}_funccount -c "$TARGETS/t 9"
	is "${provider}_funccount.d" "$(functions 2)" "$(counts "$TMP/said")"
	demo ${provider}_functime -c "$TARGETS/t 9"
	is "${provider}_functime.d" "$(functions 2)" "$(counts "$TMP/said" | grep -v ' 0$')"
	echo "$out" | awk '$1 == "main" { all = $3 } $1 == "work" { work = $3 } END { exit !(all >= work && work > 0) }' ||
		fail "${provider}_functime.d: work takes longer than main: $out"
	demo ${provider}_args -c "$TARGETS/t 2"
	like "${provider}_args.d" "$out" "*main *(2, *leaf *(0, *leaf *= 1*recurse *(9,*recurse *(8,*recurse *= 0*"
	demo ${provider}_ustack -c "$TARGETS/t 9" hidden
	like "${provider}_ustack.d" "$out" "*t\`hidden*t\`branchy+*t\`work+* 3*"
done
demo pid_flowindent -c "$TARGETS/t 2"
like "pid_flowindent.d" "$out" "* -> branchy *   -> hidden *   <- hidden * <- branchy *"
demo pid_userctf -c "$TARGETS/types" find
like "pid_userctf.d" "$out" "find at 0x*struct node {*int value = 0x1*char \\[8\\] name = \\[ \"one\" \\]*enum color color = GREEN*short y = 0x4*"
demo diag_fpid -c "$TARGETS/t 9"
is "diag_fpid.d" "$(echo "$out" | sed -n 's/^sent of entry: //p')" "$(echo "$out" | awk '$2 == "entry" { n += $3 } END { print n }')"
finish
