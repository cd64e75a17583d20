# Tools by name: the list, what each takes, the D it comes down to in each of its ways; wrong command lines start nothing; a file of one's own.
# needs: user
. tests/lib/lib.sh

d --tools
ends 0 --tools
like --tools "$out" "*funccount  *how often functions are called
*"
all=$(echo "$out" | cut -d' ' -f1)
[ "$(echo "$all" | wc -l)" -ge 20 ] || fail "only these tools: $all"
d --tools LATENCY
is "--tools word" "$(echo "$out" | cut -d' ' -f1 | tr '\n' ' ')" "biolatency funclatency gethostlatency "
d --tools xyzzy
ends 1 "--tools of nothing"
like "--tools of nothing" "$err" "dtrace: no tool has 'xyzzy'*"

# operands TOOL: what it needs, on $@
operands() {
	case $1 in
	argdist) echo 'malloc arg0' ;;
	funccount | funclatency | funcslower | stackcount | trace) echo malloc ;;
	esac
}

# value KIND
value() {
	case $1 in
	NAME | FORMAT) echo it ;;
	EXPRESSION) echo arg0 ;;
	*) echo 7 ;;
	esac
}

# Each compiles without options, with each of them, and with all. (What the kernel's own probes need is asked when they are enabled.)
compiles() { # compiles TOOL ARGS...
	tool=$1
	shift
	# shellcheck disable=SC2046
	"$DTRACE" --tool "$tool" --show "$@" $(operands "$tool") -c true >"$TMP/a.d" 2>"$TMP/err" ||
		fail "$tool $* --show: $(cat "$TMP/err")"
	head -1 "$TMP/a.d" | grep -q '^#!/usr/bin/env -S dtrace -s$' || fail "$tool: no script"
	d -es "$TMP/a.d" -c true
	[ "$status" = 0 ] || fail "$tool $*: $err"
}
for tool in $all; do
	d --tool "$tool" -h
	ends 0 "$tool -h"
	like "$tool -h" "$out" "usage: dtrace --tool $tool *-p PID*
*-d SECONDS *--show *"
	sed -n '3,/-p PID/s/^    \(-[A-Za-z]\) \([A-Z]*\) .*/\1 \2/p' "$TMP/out" | grep -v '^-p' >"$TMP/options"
	compiles "$tool"
	everything=
	while read -r letter kind; do
		# shellcheck disable=SC2046
		compiles "$tool" "$letter" $([ -z "$kind" ] || value "$kind")
		everything="$everything $letter $([ -z "$kind" ] || value "$kind")"
	done <"$TMP/options"
	# shellcheck disable=SC2086
	compiles "$tool" $everything
done

# wrong WHAT PATTERN ARGS...: status 2, one line, and nothing was started
wrong() {
	what=$1 pattern=$2
	shift 2
	d --tool "$@"
	ends 2 "$what"
	# shellcheck disable=SC2254
	case $err in
	$pattern) ;;
	*) fail "$what: $err" ;;
	esac
	is "$what: lines" "$(wc -l <"$TMP/err")" 1
	[ ! -e "$TMP/ran" ] || fail "$what: the program was started"
}
run="touch $TMP/ran"
wrong "an option that is not there" "funccount: there is no option -z; dtrace --tool funccount -h *" funccount -z malloc -c "$run"
wrong "a long one" "funccount: there is no option --zz; *" funccount --zz malloc -c "$run"
wrong "a value that lacks" "funccount: -i lacks its value; *" funccount malloc -c "$run" -i
wrong "no number" "funccount: -i takes a number of seconds, not 0, not 'x'; *" funccount -i x malloc -c "$run"
wrong "no seconds" "funccount: -i takes *not '0'; *" funccount -i 0 malloc -c "$run"
wrong "too many" "funccount: -t takes a number, not '99999999999999999999'; *" funccount -t 99999999999999999999 malloc -c "$run"
wrong "a duration" "funccount: -d takes a number of seconds, not '1x'; *" funccount -d 1x malloc -c "$run"
wrong "milliseconds" "funcslower: -m takes milliseconds, not '1.x'; *" funcslower -m 1.x malloc -c "$run"
wrong "no operand" "funccount: FUNCTION... is missing; *" funccount -c "$run"
wrong "no second operand" "argdist: EXPRESSION is missing; *" argdist malloc -c "$run"
wrong "one operand too many" "opensnoop: what is 'more'?; *" opensnoop more -c "$run"
wrong "no function" "funccount: 'a:b:c:d' is not FUNCTION, *" funccount a:b:c:d -c "$run"
wrong "the end of a clause" "funccount: 'f{}' is not FUNCTION, *" funccount 'f{}' -c "$run"
wrong "two programs" "funccount: one program is traced: *" funccount malloc -p 1 -c "$run"
wrong "two programs" "funccount: one program is traced: *" funccount malloc -c "$run" -- touch "$TMP/ran"
wrong "no program" "funccount: of which program? *" funccount malloc
wrong "nothing behind --" "funccount: no command behind --; *" funccount malloc --
d --tool nosuch -c "$run"
ends 1 "no such tool"
is "no such tool" "$err" "dtrace: there is no tool nosuch; dtrace --tools lists them"
d --tool funcount -c "$run"
is "a misspelled one" "$err" "dtrace: there is no tool funcount: did you mean funccount? dtrace --tools lists them"
d --tool offcpu -c "$run"
is "the beginning of one" "$err" "dtrace: there is no tool offcpu: did you mean offcputime? dtrace --tools lists them"
d --tool hello.d -c "$run"
ends 1 "a script"
like "a script" "$err" "dtrace: */hello.d is a script, not a tool, *"
[ ! -e "$TMP/ran" ] || fail "it was started"

# What is behind -- comes to the program as it is; what a text is stays one.
cat >"$TMP/says" <<'END'
#!/bin/sh
printf '<%s>' "$@" >"$0.out"
END
chmod +x "$TMP/says"
d --tool syscount -- "$TMP/says" "a b" "" "it's" '"q"' '\' '$x' -h
is "arguments" "$(cat "$TMP/says.out")" "<a b><><it's><\"q\"><\\><\$x><-h>"
d --tool trace --show -c true malloc 'a"b\c%d' arg0
grep -qF 'printf("a\"b\\c%d", arg0);' "$TMP/out" || fail "a text in D: $out"
d --tool funcslower --show -c true -m 1.5 -u 2.25 malloc
like "parts of numbers" "$out" '*>= 2250/*'
d --tool funccount --show -c true -t 010 'a::b(int)' kernel:vfs_read sdt:x:y:z
ends 2 "four names"
d --tool funccount --show -c true -t 010 'a::b(int)' kernel:vfs_read usdt:x:y
like "functions" "$out" '*fpid$target::"a::b(int)":entry,
fbt::vfs_read:entry,
usdt:x:y:entry
/pid == $target/*trunc(@calls, 10);*'
d --tool stackcount --show -c true sched:::off-cpu malloc
like "probes" "$out" '*
sched:::off-cpu,
fpid$target::malloc:entry
*'

# The options of the command; as a command of its own.
d --tool funccount -r "$TMP/r.csv" -o "$TMP/told" -x aggsortrev leaf -- "$TARGETS/t" 10 1 quiet
ends 0 "a report"
like "a report" "$(cat "$TMP/r.csv")" "aggregation,*leaf*"
like "-o" "$(cat "$TMP/told")" "*leaf * 11*"
PATH=$(dirname "$(realpath "$DTRACE")"):$PATH
out=$(dscripts/bin/funccount leaf -- "$TARGETS/t" 10 1 quiet 2>&1) || fail "as a command: $out"
like "as a command" "$out" "*leaf * 11*"

# A tool of one's own.
cat >"$TMP/own" <<'END'
#!/usr/bin/env -S dtrace --tool
/*
 * own: says what it is given
 *
 * [NAME...]  names    texts
 * -n N       n = 5    a number
 * -a         way = one | two  a flag with values
 * -b         way = one | three  another
 * -l         loud     a flag
 *
 * A note.
 */
BEGIN
{
	printf("$n $way %s $loud $1", $$names);
#if loud
#if !names
	printf(" quiet");
#else
	printf(" loud");
#endif
	printf("!");
#endif
	exit(0);
}
END
says() { # says WANT ARGS...
	want=$1
	shift
	d -q --tool "$TMP/own" "$@"
	is "own $*" "$(echo "$out$err" | tr -d '\n')" "$want"
}
sed -i 's/ \$1"/"/' "$TMP/own"
says "5 one  0"
says "6 two x 1 loud!" -n6 -a -l x
says "5 three  1 quiet!" -bl
d --tool "$TMP/own" -h
like "its notes" "$out" "*
    -n N             a number
*
A note."
# bad LINE TEXT NUMBER: a head that is wrong says so, with its line
bad() {
	sed "$1" "$TMP/own" >"$TMP/bad"
	d --tool "$TMP/bad"
	ends 1 "$2"
	# shellcheck disable=SC2254
	case $err in
	"dtrace: $TMP/bad"$2) ;;
	*) fail "$1: $err" ;;
	esac
}
bad '1s/.*/#!dtrace -s/' ' is a script, not a tool, *'
bad '2s/.*/BEGIN {}/' ': line 2: *'
bad '3s/own: //' ': line 3: the comment begins with NAME: *'
bad 's/ n = 5/ N = 5/' ": line 6: 'N' is no name of a macro*"
bad 's/ n = 5/ n = x/' ": line 6: -n N: 'x' is not a number"
bad 's/-n N/-p N/' ': line 6: -p is an option of all tools'
bad 's/ a number//' ': line 6: -n N has no help'
bad 's/^#else/#else\n#if none/' ': line 20: #if: there is no option or operand none'
bad '/^#endif/d' ': line *: an #if does not end'
bad '/^#if/d' ': line 17: no #if before #else'
bad 's/\$\$names/$names/' ': line 15: a text stands in quotes: $$names'
printf '#!dtrace --tool\n/*\n * x: y\n' >"$TMP/open"
d --tool "$TMP/open"
like "no end" "$err" "dtrace: $TMP/open: line 3: the first comment does not end"
mkfifo "$TMP/fifo"
for file in fifo . none; do
	d --tool "$TMP/$file"
	ends 1 "$file"
	is "$file: lines" "$(wc -l <"$TMP/err")" 1
done
head -c 2000000 /dev/zero >"$TMP/zero"
d --tool "$TMP/zero"
like "a file of zeros" "$err" "dtrace: $TMP/zero is longer *"
head -c 2000 /dev/zero >"$TMP/zero"
d --tool "$TMP/zero"
like "a file of zeros" "$err" "dtrace: $TMP/zero is no text"
finish
