# -lv says how a function would be hooked, or why it would be a breakpoint.
# needs: user
. tests/lib/lib.sh

verdict() { # verdict PROBE COMMAND EXPECTED [OPTIONS...]
	probe=$1 command=$2 want=$3
	shift 3
	d "$@" -lvn "$probe" -c "$command"
	ends 0 "$probe"
	is "$probe $*" "$(echo "$out" | awk '/^\tHook$/ { found = 1; next } found && !NF { found = 0 } found { sub(/^\t\t/, ""); print }')" "$want"
}
verdict 'fpid$target:a.out:leaf:entry' "$TARGETS/t 1" "hook by jump"
verdict 'fpid$target:a.out:leaf:return' "$TARGETS/t 1" "hook at 1 return site"
verdict 'fpid$target:a.out:cramped:return' "$TARGETS/cramped 1" "breakpoint: a return has no room for a jump"
verdict 'fpid$target:a.out:cramped:return' "$TARGETS/cramped 1" "refused: a return has no room for a jump" -x fpidfallback=none
verdict 'pid$target:a.out:leaf:entry' "$TARGETS/t 1" ""
finish
