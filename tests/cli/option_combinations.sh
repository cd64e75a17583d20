# Option letters can be bundled; options and operands may be mixed in any order.
. tests/lib/lib.sh

d -qn 'BEGIN { trace($1); exit(0) }' -- -5
is "-- -5" "$out" "-5"
d 7 -qn 'BEGIN { trace($1); exit(0); }'
is "operand first" "$out" 7
d -qwn 'BEGIN { system("true"); exit(0); }'
ends 0 "-qwn"
d -x bufsize=1q -n BEGIN
ends 1 "bad value"
is "bad value" "$err" "dtrace: failed to set -x bufsize: Invalid value for specified option: '1q'; allowed: a size in bytes, with k, m, g or t if need be"
d -b xyz -n BEGIN
like "bad -b" "$err" "dtrace: failed to set -b xyz: Invalid value for specified option: 'xyz'; allowed: a size*"
d -x errtags=1 -n BEGIN
is "a switch takes no value" "$err" "dtrace: failed to set -x errtags: Invalid value for specified option: '1'; allowed: no value"
d -x nosuch -n 'also wrong'
is "options come before programs" "$err" "dtrace: failed to set -x nosuch: Invalid option name"
for bad in strsize=0 strsize=1 bufsize=-5 bufsize=1.5m bufsize=4kb bufpolicy=Switch switchrate=5x statusrate=abc quiet=maybe evaltime=late maxframes=x noresolve=x bpflogsize=-1; do
	d -x $bad -n BEGIN
	like "-x $bad" "$err" "dtrace: failed to set -x ${bad%%=*}: Invalid value for specified option: '${bad#*=}'; allowed: *"
done
for other in bpflog bpflogsize=1m ctfpath=/x debugassert=1 disasm=3 dofstashpath=/x linknommap modpath=/x noresolve pcapsize=1k \
	preallocate=1m procfspath=/x sysslice=1 useruid=0; do
	d -x $other -qn 'BEGIN { trace("as ever"); exit(0); }'
	is "-x $other, of other versions" "$out$err" "as ever"
done
d -e -qn 'BEGIN { trace(1); }'
ends 0 "-e"
is "-e runs nothing" "$out$err" ""
d -wn 'BEGIN { exit(0); }'
is "-w is said" "$err" "dtrace: description 'BEGIN ' matched 1 probe
dtrace: allowing destructive actions"
finish
