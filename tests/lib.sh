# lib.sh: what the shell tests share. A test runs in the top folder with DTRACE (the command),
# TARGETS (programs to be traced), TMP (its own scratch folder) and _DTRACE_TESTING set.
# shellcheck shell=sh

failed=0

skip() { # skip REASON
	echo "$*"
	exit 77
}

need() { # need PROGRAM...: skip without it
	for program; do
		command -v "$program" >/dev/null 2>&1 || skip "no $program"
	done
}

fail() { # fail TEXT...
	echo "$*"
	failed=1
}

# is WHAT GOT WANT: equal texts
is() {
	[ "$2" = "$3" ] || fail "$1:
  expected: $3
  got:      $2"
}

# like WHAT GOT PATTERN: a shell pattern
like() {
	# shellcheck disable=SC2254
	case $2 in
	$3) ;;
	*) fail "$1:
  expected like: $3
  got:           $2" ;;
	esac
}

# d ARGS...: runs the command; its streams are in $out and $err, its status in $status
d() {
	"$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}

# ends STATUS WHAT: the last d ended so
ends() {
	[ "$status" = "$1" ] || fail "$2: status $status, expected $1
$err"
}

# counts FILE: "NAME N" lines of a default aggregation print or of a self-counting program, sorted
counts() {
	awk 'NF == 2 && $2 ~ /^[0-9]+$/ && $2 > 0 { print $1, $2 }' "$1" | sort
}

finish() {
	exit $failed
}
