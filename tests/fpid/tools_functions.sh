# Tools about functions of a program, against what the program has counted and measured itself.
# needs: user
. tests/lib/lib.sh

# tool NAME ARGS...: what it prints is in $out and $TMP/out, what its program (behind --) prints is there as well
tool() {
	d --tool "$@"
	ends 0 "$*"
	is "$*: errors" "$err" ""
}

# said WORD: the number behind it in the program's own output
said() {
	awk -v word="$1" '$1 == word && NF == 2 { print $2; exit }' "$TMP/truth"
}

# between WHAT LEAST VALUE MOST
between() {
	[ "$2" -le "$3" ] && [ "$3" -le "$4" ] || fail "$1: $3 is not between $2 and $4"
}

"$TARGETS/t" 300 2 >"$TMP/truth"
leaf=$(said leaf) recurse=$(said recurse) branchy=$(said branchy)

# line NAME: the fields behind the name in the line that begins with it
line() {
	awk -v name="$1" '$1 == name { $1 = ""; sub(/^ /, ""); print; exit }' "$TMP/out"
}
tool funccount 'a.out:r*' leaf branchy -- "$TARGETS/t" 300 2 quiet
is "funccount" "$(line leaf) $(line recurse) $(line branchy)" "$leaf $recurse $branchy"
tool funccount -m -t 2 'a.out:r*' leaf branchy -- "$TARGETS/t" 300 2 quiet
is "funccount -m -t" "$(grep -c . "$TMP/out") $(line t)" "2 branchy $branchy"

tool funclatency leaf branchy -- "$TARGETS/t" 300 2 quiet
is "funclatency: calls" "$(awk '/^FUNCTION/ { t = 1 } t && $1 == "leaf" { print $2 }' "$TMP/out")" "$leaf"
is "funclatency: rows" "$(awk '/^FUNCTION/ { exit } NF > 2 && $2 ~ /^[|]/ { n += $NF } END { print n }' "$TMP/out")" $((leaf + branchy))
tool funclatency -R a.out:recurse -- "$TARGETS/t" 300 2 quiet
is "funclatency -R" "$(awk '/^FUNCTION/ { t = 1 } t && $1 == "recurse" { print $2 }' "$TMP/out")" "$recurse"
tool funclatency -u nap -- "$TARGETS/toolwork" sleeps 5 20000
cp "$TMP/out" "$TMP/truth"
between "funclatency: total" 100000 "$(awk '/^FUNCTION/ { t = 1 } t && $1 == "nap" { print $4 }' "$TMP/out")" "$(said slept)"
between "funclatency: average" 20000 "$(awk '/^FUNCTION/ { t = 1 } t && $1 == "nap" { print $3 }' "$TMP/out")" $(($(said slept) / 5))

tool funcslower -m 19.5 nap -- "$TARGETS/toolwork" sleeps 5 20000
is "funcslower" "$(grep -c ' nap(0x4e20, ' "$TMP/out")" 5
tool funcslower -u 10000000 nap -- "$TARGETS/toolwork" sleeps 2 1000
is "funcslower: none" "$(grep -c ' nap(' "$TMP/out")" 0
tool funcslower -U -m 19 nap -- "$TARGETS/toolwork" sleeps 1 20000
like "funcslower -U" "$out" "*nap(*toolwork\`sleeps+*toolwork\`main+*"

tool argdist -C a.out:recurse arg0 -- "$TARGETS/t" 100 1 quiet
is "argdist -C" "$(awk 'NF == 2 { s += $2; if ($2 == 1) n++ } END { print s, n }' "$TMP/out")" "10 10"
tool argdist a.out:recurse arg0 -- "$TARGETS/t" 100 1 quiet
is "argdist" "$(awk '$2 ~ /^[|]/ && $NF { print $1 "=" $NF }' "$TMP/out" | tr '\n' ' ')" "0=1 1=1 2=2 4=4 8=2 "
tool argdist -R -C -f 'arg1 > 20' a.out:recurse arg1 -- "$TARGETS/t" 100 1 quiet
is "argdist -R -f" "$(awk 'NF == 2 { print $1 }' "$TMP/out" | tr '\n' ' ')" "21 28 36 45 "
tool argdist -k 'arg0 % 2' a.out:recurse 1 -- "$TARGETS/t" 100 1 quiet
is "argdist -k" "$(awk '$1 == 1 && $2 ~ /^[|]/ { print $NF }' "$TMP/out" | tr '\n' ' ')" "5 5 "

tool stackcount -s 3 a.out:branchy -- "$TARGETS/t" 300 2 quiet
is "stackcount" "$(awk 'NF == 1 && $1 ~ /^[0-9]+$/ { n += $1 } END { print n }' "$TMP/out")" "$branchy"
like "stackcount" "$out" "*t\`branchy*t\`work+*"
tool stackcount -r "$TMP/s.folded" -t 1 a.out:leaf a.out:branchy -- "$TARGETS/t" 300 2 quiet
is "its report" "$(awk '{ n += $NF } END { print n }' "$TMP/s.folded")" $((leaf + branchy))

tool trace a.out:recurse 'depth %d' arg0 -- "$TARGETS/t" 300 2 quiet
is "trace" "$(grep -c 'recurse  *depth [0-9]' "$TMP/out")" "$recurse"
tool trace -R -n 4 a.out:recurse -- "$TARGETS/t" 300 2 quiet
is "trace -n" "$(grep -c 'recurse  *= ' "$TMP/out")" 4
tool trace -f 'arg0 == 3' -U a.out:recurse -- "$TARGETS/t" 100 1 quiet
is "trace -f" "$(grep -c 'recurse  *0x3 ' "$TMP/out")" 1
like "trace -U" "$out" "*recurse  *0x3 *t\`recurse
*t\`recurse+*"

tool locks -u 19000 -s 2 -- "$TARGETS/toolwork" locks 4 20000
cp "$TMP/out" "$TMP/truth"
like "locks" "$out" "*lock 0x*pthread_mutex_lock+*
toolwork\`wait_for_lock+*microseconds in 4 waits*"
between "locks" 80000 "$(awk '$2 == "microseconds" { print $1 }' "$TMP/out")" "$(said waited)"
# What is kept: 10 blocks of 100 bytes by one stack, and nothing by those who give back.
tool memleak -- "$TARGETS/toolwork" leaks 10 100
like "memleak" "$out" "*1000 bytes in 10 blocks of
*malloc
toolwork\`leaky+*
toolwork\`leaks+*"
[ "$(grep -c 'tidy' "$TMP/out")" = 0 ] || fail "memleak: what was given back is told: $out"
tool memleak -t 1 -- "$TARGETS/toolwork" leaks 20000 100
like "memleak of many" "$out" "*2000000 bytes in 20000 blocks of*leaky+*"
tool threadsnoop -- "$TARGETS/t" 10 3 quiet
is "threadsnoop" "$(grep -c 't`thread_main$' "$TMP/out")" 3
# What the resolver is asked, and what comes of it: 0, or -1 where a pointer was returned that is none.
tool gethostlatency -- getent hosts localhost
is "gethostlatency" "$(awk '$6 == "getent" && $9 == "localhost" { print $8 }' "$TMP/out" | sort -u | tail -1)" 0
tool gethostlatency -- getent hosts nosuch.invalid
is "gethostlatency of none" "$(awk '$6 == "getent" && $9 == "nosuch.invalid" { print $8 }' "$TMP/out" | sort -u)" -1
finish
