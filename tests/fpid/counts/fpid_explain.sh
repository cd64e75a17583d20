# -x explain: before the run how many probes are what, and why not better; after it by hits what came by
# breakpoints. As JSON, too. On a terminal a line appears unasked where breakpoints took most of the time.
# needs: user
. tests/lib/lib.sh

both='fpid$target:a.out:cramped:entry,fpid$target:a.out:cramped:return { @[probename] = count(); }'
d -q -x explain -n "$both" -c "$TARGETS/cramped 500"
ends 0 "explain"
like "hooks" "$err" "*explain: 1 probe of process *: counted in the target
*"
like "breakpoints, why, which" "$err" "*explain: 1 probe of process *: breakpoints, *: a return has no room for a jump (such as return of cramped\`cramped)*"
like "by hits" "$err" "*explain: hits: 500 counted in the target, 0 recorded, 500 by breakpoints (50.000%), for which it stood still for *"
like "the worst, and what to do" "$err" "*explain: return of cramped\`cramped: 500 hits by breakpoint, * s: a return has no room for a jump; instead: its entry alone*"

# a function that the engine listens to itself, once there are breakpoints
d -q -x explain -n "${both%% *},fpid\$target:libc.so.6:sigaction:entry { @[probename] = count(); }" -c "$TARGETS/cramped 5"
ends 0 "a breakpoint of ours"
like "a breakpoint of ours" "$err" "*explain: 1 probe of process *: breakpoints, *: a breakpoint stands there (such as entry of libc.so.6\`sigaction)*"

d -q -x explain -x claim=off -n 'fpid$target:a.out:cramped:entry { trace(arg0); }' -c "$TARGETS/cramped 7"
ends 0 "records"
like "records, why" "$err" "*explain: 1 probe of process *: recorded, and their clauses run here: *(such as entry of cramped\`cramped)*"
like "records, by hits" "$err" "*explain: hits: 0 counted in the target, 7 recorded, 0 by breakpoints (0.000%)*"

d -q -x explain -n 'fpid$target:a.out:leaf:entry { @ = sum(arg0); }' -c "$TARGETS/t 7"
ends 0 "code"
like "code" "$err" "*explain: 1 probe of process *: run in the target as code*"
like "code, by hits" "$err" "*explain: hits: 0 counted*those of clauses that ran in the target are not known*"

# a clause that reads memory leaves a record where it is not there, and runs in the target for all that
d -q -x explain -n 'fpid$target:a.out:take:entry { @[copyinstr(arg0)] = count(); }' -c "$TARGETS/texts 3 1"
ends 0 "memory"
like "memory" "$err" "*explain: 1 probe of process *: run in the target as code*the clause of *: runs in the target*"
d -q -x explain=json -n 'fpid$target:a.out:take:entry { @[copyinstr(arg0)] = count(); }' -c "$TARGETS/texts 3 1"
like "memory, JSON" "$err" '*"explain":"before","pid":*,"kind":"code","probes":1,"worst":\[\]}*'

# a line of JSON for each
d -q -x explain=json -n "$both" -c "$TARGETS/cramped 500"
ends 0 "JSON"
echo "$err" >"$TMP/json"
is "JSON" "$(python3 - "$TMP/json" <<'P'
import json, sys
v = [json.loads(line) for line in open(sys.argv[1]) if line.strip()]
before = sorted((x["kind"], x["probes"], x.get("why"), [w["function"] for w in x["worst"]]) for x in v if x["explain"] == "before")
after = [x for x in v if x["explain"] == "after"]
print(before, len(after), after[0]["counted"], after[0]["breakpoints"], after[0]["worst"][0]["hits"], after[0]["stopped_ns"] > 0)
P
)" "[('breakpoints', 1, 'a return has no room for a jump', ['cramped']), ('count', 1, None, [])] 1 500 500 500 True"

# breakpoints of pid are told of as well, and what would take less
pid='pid$target:a.out:cramped:entry { @ = count(); }'
d -q -x explain -n "$pid" -c "$TARGETS/cramped 500"
ends 0 "pid"
like "pid, by hits" "$err" "*explain: hits of pid: 500 by breakpoints, for which threads stood still for about * s in a run of * s; instead: -x pidhooks, or fpid*"
d -q -x explain=json -n "$pid" -c "$TARGETS/cramped 500"
like "pid, JSON" "$err" '*{"explain":"after","provider":"pid","breakpoints":500,"stopped_ns":*,"run_ns":*,"instead":"-x pidhooks*"}*'
d -q -x pidhooks -x explain -n "$pid" -c "$TARGETS/cramped 500"
case $err in *"hits of pid"*) fail "no breakpoint: $err" ;; esac

# what clauses in the target have taken is not known: not of one at a breakpoint
d -q -x explain -n 'fpid$target:a.out:cramped:return { @ = sum(arg1); }' -c "$TARGETS/cramped 7"
case $err in *"are not known"*) fail "no clause ran in the target: $err" ;; esac

d -x explain=xml -n BEGIN
ends 1 "no such form"
like "no such form" "$err" "*'xml'; allowed: off, on, json*"

# not asked for
d -q -n "$both" -c "$TARGETS/cramped 20000"
case $err in *"-x explain"*) fail "no terminal: $err" ;; esac
command -v script >/dev/null || skip "no script(1)"
# command, what it says; beside others most of the time may be theirs: then once more
on_a_terminal() {
	for _ in 1 2 3 4 5 6 7 8; do
		script -qec "$1" "$TMP/typescript" </dev/null >/dev/null 2>&1
		! grep -q "$2" "$TMP/typescript" || break
	done
}
on_a_terminal "$DTRACE -q -n '$both' -c '$TARGETS/cramped 20000'" 'breakpoints took'
like "on a terminal" "$(cat "$TMP/typescript")" "*fpid: 20000 breakpoints took *% of the run: -x explain says which, and why*"
on_a_terminal "$DTRACE -q -n '$pid' -c '$TARGETS/cramped 20000'" 'breakpoints took'
like "pid, on a terminal" "$(cat "$TMP/typescript")" "*dtrace: pid: 20000 breakpoints took about *% of the run: with -x pidhooks *"
finish
