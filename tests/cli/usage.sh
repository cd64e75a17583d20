# Wrong use of the command: usage on stderr, status 2.
. tests/lib/lib.sh

first="Usage: dtrace [-32|-64] [-CeFGhHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]]"
d
ends 2 "no argument"
is "no argument" "$(head -1 "$TMP/err")" "$first"
is "stdout" "$out" ""
d -k
ends 2 "-k"
is "-k" "$(head -2 "$TMP/err")" "dtrace: invalid option -- 'k'
$first"
d -n
ends 2 "-n alone"
is "-n alone" "$(head -1 "$TMP/err")" "dtrace: option requires an argument -- 'n'"
d -l -V
ends 2 "two modes"
is "two modes" "$err" "dtrace: only one of the [-GhlV] options can be specified at a time"
d -q
ends 1 "-q alone"
is "-q alone" "$err" "dtrace: no probes specified"
d -e
ends 0 "-e alone"
is "-e alone" "$out$err" ""
finish
