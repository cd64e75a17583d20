#!/bin/sh
# tables.sh: every row of a table that a user can name is tried by a test and told by the manual.
cd "$(dirname "$0")/.." || exit 1
status=0
complain() {
	echo "$*"
	status=1
}

# rows FILE MACRO COLUMN: the names of the rows that have a function behind them
rows() {
	[ -e "dlang/$1" ] || return
	sed -n "s/^$2(\(.*\))\$/\1/p" "dlang/$1" | grep -v ', *NULL$' | awk -F, -v c="$3" '{ gsub(/[" ]/, "", $c); print $c }' |
		grep '^[a-z]' | sort -u
}

grep -rhoE '[A-Za-z_][A-Za-z0-9_]*' tests/d tests/cli tests/pid | sort -u >/tmp/dtrace-words.$$
tr -c 'A-Za-z0-9_' '\n' <docs/dtrace.1 | sort -u >/tmp/dtrace-manual.$$
while read -r file macro column what; do
	for name in $(rows "$file" "$macro" "$column"); do
		grep -qx "$name" /tmp/dtrace-words.$$ || complain "$what $name: no test"
		grep -qx "$name" /tmp/dtrace-manual.$$ || complain "$what $name: not in docs/dtrace.1"
	done
done <<END
builtins.def BUILTIN 2 variable
subrs.def SUBR 2 subroutine
actions.def ACTION 2 action
aggfuncs.def AGGFUNC 1 aggregating function
options.def OPT 2 option
END
rm -f /tmp/dtrace-words.$$ /tmp/dtrace-manual.$$
exit $status
