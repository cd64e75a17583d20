# onhosts: the same command on several machines (here: an ssh that runs it on this one, and knows which host is meant), and what they
# counted added up; a host that fails is named, and the others are.
# needs: user
. tests/lib/lib.sh

cat >"$TMP/ssh" <<'END'
#!/bin/sh
# the host, and the command as the shell there gets it
case $1 in
down) echo "no route to $1" >&2; exit 255 ;;
slow) exec sleep 1000 ;;
esac
HOST=$1 PATH=$(dirname "$DTRACE"):$PATH sh -c "$2"
END
chmod +x "$TMP/ssh"
export DTRACE DTRACE_SSH="$TMP/ssh"
DTRACE=$(realpath "$DTRACE")
on() { # on ARGS...: as d
	dscripts/bin/onhosts "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}
program='BEGIN { @n["it'\''s \"here\"", $1] = count(); @sum = sum($1); @dist = quantize($1); exit(0); }'

on one two three -- dtrace -qn "$program" 7
ends 0 "three hosts"
is "three hosts: what is said" "$err" ""
like "counted" "$out" "*it's \"here\" * 7 * 3
*"
like "summed" "$out" "*
* 21
*"
printf '# these\none\n  two # and this\n\n' >"$TMP/hosts"
on -f "$TMP/hosts" -j 1 -x hosts -- dtrace -qn "$program" 7
ends 0 "-x hosts"
like "-x hosts" "$out" "* $(uname -n) *it's \"here\" * 7 * 2
*" # both are this machine
on -x report="$TMP/all.csv" one two -- dtrace -qn "$program" 7
is "a report" "$(grep -c '^sum,sum,,,,14,' "$TMP/all.csv")" 1

on one down two -- dtrace -qn "$program" 7
ends 1 "a host that is down"
like "a host that is down" "$out" "*
* 14
*"
is "a host that is down: what is said" "$err" "down: no route to down
onhosts: down has failed: status 255"
on -t 1 one slow -- dtrace -qn "$program" 7
ends 1 "one that is slow"
is "one that is slow" "$err" "onhosts: slow has failed: status 124"
on down -- dtrace -qn "$program" 7
ends 1 "none is up"
is "none is up" "$out" ""
on one -- dtrace -qn 'BEGIN { nonsense; }'
ends 1 "an error"
like "an error" "$err" "one: dtrace: *nonsense*
onhosts: one has failed: status 1"

wrong() { # wrong PATTERN ARGS...
	pattern=$1
	shift
	on "$@"
	ends 2 "$*"
	like "$*" "$err" "$pattern"
}
wrong "onhosts: of which hosts? *" -- dtrace -n BEGIN
wrong "onhosts: no -- and command *" one two
wrong "onhosts: no command behind -- *" one --
wrong "onhosts: -j takes a number, not 'x' *" -j x one -- dtrace
printf -- '-oProxyCommand=x\n' >"$TMP/hosts"
wrong "*onhosts: that is no name of a host *" -f "$TMP/hosts" -- dtrace
wrong "*onhosts: that is no name of a host *" 'a;b' -- dtrace
wrong "onhosts: there is no option -q *" -q one -- dtrace
finish
