# The matched message counts enablings over all clauses; its text is cut at the first { / or ;.
. tests/lib/lib.sh

d -n 'BEGIN{exit(0)} END{}' -n END
ends 0 matched
is matched "$err" "dtrace: description 'BEGIN' matched 2 probes
dtrace: description 'END' matched 1 probe"
d -n 'BEGIN /1/ { exit(0); }'
is "a blank before stays" "$err" "dtrace: description 'BEGIN ' matched 1 probe"
d -Zn 'nosuch:::' -n 'BEGIN { exit(0); }'
is "-Z" "$err" "dtrace: description 'nosuch:::' matched 0 probes
dtrace: description 'BEGIN ' matched 1 probe"
d -qn 'BEGIN { exit(0); }'
is "quiet" "$err" ""
printf 'BEGIN { exit(0); }\nEND { }\nERROR { }\n' >"$TMP/s.d"
d -s "$TMP/s.d"
is "script" "$err" "dtrace: script '$TMP/s.d' matched 3 probes"
d -s "$TMP/s.d" -s "$TMP/s.d"
is "the same script twice is two programs" "$err" "dtrace: script '$TMP/s.d' matched 3 probes
dtrace: script '$TMP/s.d' matched 3 probes"
d -n 'BEGIN, nosuch::: { exit(0); }'
ends 1 "one unmatched description fails the program"
finish
