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

# what is listed together is judged together: as many as are hooked then
for command in "t 1 1 quiet" "adverse jumps 1" "edges 1" "interpreter 5" "cramped 1"; do
	for functions in 'a.out::' 'a.out::[0-9a-f]*'; do
		d -lvn "fpid\$target:$functions" -c "$TARGETS/$command"
		ends 0 "$command, $functions"
		foreseen=$(echo "$out" | awk '
			/^\tHook$/ { getline; hooked[kind] += /^\t\thook /; all[kind]++ }
			NF == 5 && $2 ~ /^fpid/ { kind = $5 ~ /^(entry|return)$/ ? "function" : "instruction" }
			END { print "instructions", all["instruction"] + 0, hooked["instruction"] + 0 }')
		d -n "fpid\$target:$functions { @ = count(); }" -c "$TARGETS/$command"
		is "$command, $functions" "$foreseen" \
			"instructions $(echo "$err" | sed -n 's/.*fpid: \([0-9]*\) instructions*: \([0-9]*\) hooked.*/\1 \2/p' | grep . || echo 0 0)"
	done
done
finish
