# What cannot be had here is refused with one sentence that says why.
. tests/lib/lib.sh

d -a -n 'BEGIN { exit(0); }'
ends 1 "-a"
like "-a" "$err" "dtrace: failed to enable -a: No anonymous tracing state*"
d -A -n BEGIN
ends 1 "-A"
like "-A" "$err" "dtrace: -A is not supported: *"
d -x grabanon -n 'BEGIN { exit(0); }'
ends 1 grabanon
is grabanon "$(tail -1 "$TMP/err")" "dtrace: could not enable tracing: No anonymous tracing state"
d -3x -n BEGIN
ends 2 "-3x"
like "-3x" "$err" "dtrace: illegal option -- 3x
Usage: *"
d -64 -qn 'BEGIN { exit(4); }'
ends 4 "-64"
d -g -n BEGIN
ends 2 "-g without -E"
like "-g without -E" "$err" "dtrace: -g may only be used with -E
Usage: *"
d -x cpu=4096 -n 'BEGIN { exit(0); }'
ends 1 "a CPU that is not there"
is "a CPU that is not there" "$(tail -1 "$TMP/err")" "dtrace: could not enable tracing: CPU 4096 does not exist"
for id in 0 99999; do
	for flags in "" -l -Z; do
		# shellcheck disable=SC2086
		d $flags -i $id
		ends 1 "$flags -i $id"
		is "$flags -i $id" "$err" "dtrace: invalid probe specifier $id: invalid probe identifier $id: Unknown probe identifier"
	done
done
finish
