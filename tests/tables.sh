#!/bin/sh
# tables.sh: every row of a table that a user can name is tried by a test and told by the manual.
cd "$(dirname "$0")/.." || exit 1
status=0
complain() {
	echo "$*"
	status=1
}

# rows FILE MACRO COLUMN ABSENT: the names of the rows but those that match ABSENT: not there yet
rows() {
	[ -e "dlang/$1" ] || complain "dlang/$1: not there" >&2
	sed -n "s/^$2(\([^/]*\)).*/\1/p" "dlang/$1" | grep -Ev "$4" | awk -F, -v c="$3" '{ gsub(/[" ]/, "", $c); print $c }' |
		grep '^[a-z]' | sort -u
}

grep -rhoE '[A-Za-z_][A-Za-z0-9_]*' tests/d tests/cli tests/pid tests/fpid tests/places tests/usdt tests/sys | sort -u >/tmp/dtrace-words.$$
tr -c 'A-Za-z0-9_' '\n' <docs/dtrace.1 | sort -u >/tmp/dtrace-manual.$$
tr -c 'A-Za-z0-9_' '\n' <docs/dtrace-D.7 | sort -u >/tmp/dtrace-language.$$
while read -r file macro column absent what; do
	for name in $(rows "$file" "$macro" "$column" "$absent"); do
		grep -qx "$name" /tmp/dtrace-words.$$ || complain "$what $name: no test"
		grep -qx "$name" /tmp/dtrace-manual.$$ || complain "$what $name: not in docs/dtrace.1"
		[ "$file" = options.def ] || grep -qx "$name" /tmp/dtrace-language.$$ ||
			complain "$what $name: not in docs/dtrace-D.7"
	done
done <<END
run/builtins.def BUILTIN 2 NULL$ variable
run/subrs.def SUBR 2 NULL$ subroutine
actions.def ACTION 2 ^$ action
run/aggfuncs.def AGGFUNC 1 ^$ aggregating function
options.def OPT 2 IGNORED option
END
for letter in $(sed -n "s/^\t{'\([A-Za-z]\)', .*\"-[A-Za-z].*/\1 &/p" command/cmdline.c | grep -v UNAVAILABLE | cut -c1); do
	grep -q '\\-'"$letter\\b" docs/dtrace.1 || complain "flag -$letter: not in docs/dtrace.1"
done
# Every tag of an error is raised somewhere, and some test sees it.
for tag in $(grep -oE '^TAG\([A-Z_]+' dlang/errtags.def | cut -c5-); do
	grep -rqw "D_$tag" dlang command providers --include='*.c' || complain "D_$tag: nobody raises it"
	find tests/d -name "err.D_$tag.*" | grep -q . || grep -rqw "D_$tag" tests/cli tests/pid tests/fpid tests/places tests/usdt tests/sys tests/unit ||
		complain "D_$tag: no test"
done
rm -f /tmp/dtrace-words.$$ /tmp/dtrace-manual.$$ /tmp/dtrace-language.$$
exit $status
