# The quick conformance examples of the command's manual.
. tests/lib/lib.sh
unset _DTRACE_TESTING

d -qn 'BEGIN { printf("%d\n", 6 * 7); exit(3); }'
ends 3 "42"
is "42" "$(cat "$TMP/out"; echo .)" "42

."
d -qn 'BEGIN { @["a"] = count(); exit(0); }'
is "aggregation" "$(cat "$TMP/out")" "
$(printf '  %-50s %16d' a 1)"
d -l -n 'nosuch:::'
ends 0 "list nothing"
is "list nothing" "$err" "dtrace: failed to match nosuch:::: No probe matches description"
is "its header" "$out" "   ID   PROVIDER            MODULE                          FUNCTION NAME"
d -n 'nosuch:::'
ends 1 "no match"
is "no match" "$err" "dtrace: invalid probe specifier nosuch:::: probe description nosuch::: does not match any probes"
d -V
ends 0 -V
is "-V" "$out" "dtrace: Oracle D 2.0"
d -x nosuch
ends 1 "-x nosuch"
is "-x nosuch" "$err" "dtrace: failed to set -x nosuch: Invalid option name"
d -b 1 -n 'BEGIN{exit(0)}'
ends 1 "-b 1"
is "-b 1" "$err" "dtrace: description 'BEGIN' matched 1 probe
dtrace: could not enable tracing: Enabling exceeds size of buffer"
d -f nofunc
ends 1 "-f nofunc"
is "-f nofunc" "$err" "dtrace: invalid probe specifier nofunc: probe description ::nofunc: does not match any probes"
d -i '1{trace(3);exit(0)}'
ends 0 "-i 1"
is "-i 1" "$err" "dtrace: description '1' matched 1 probe"
d -n 'BEGIN{exit(-1)}'
ends 255 "exit(-1)"
d -n 'BEGIN{trace(nosuch)}'
ends 1 "nosuch"
is "nosuch" "$err" "dtrace: invalid probe specifier BEGIN{trace(nosuch)}: in action list: failed to resolve nosuch: Unknown variable name"
d -n 'BEGIN{exit(0)}' extra
ends 1 "extra"
is "extra" "$err" "dtrace: invalid probe specifier BEGIN{exit(0)}: extraneous argument 'extra' (\$1 is not referenced)"
d -wn 'BEGIN{system("echo hi");exit(0)}'
is "-w" "$err" "dtrace: description 'BEGIN' matched 1 probe
dtrace: allowing destructive actions"
is "system" "$(sed 's/^ *[0-9]* *1 *:BEGIN /PREFIX /' "$TMP/out"; echo .)" "CPU     ID                    FUNCTION:NAME
PREFIX hi


."
d -x errtags -qn 'BEGIN{trace(1/0)}'
is "errtags" "$err" "dtrace: invalid probe specifier BEGIN{trace(1/0)}: [D_DIV_ZERO] expression contains division by zero"
finish
