# diag: what comes, what no clause takes, and stacks that cannot be told, each counted against what must be there.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

d -ln 'diag:::'
is "list" "$(awk '$2 == "diag" { print $3 }' "$TMP/out" | sort | tr '\n' ' ')" "events fpid ignored lostevent missed-dnet-stack missed-stack missed-ustack "

# each hit is an event, and one that no predicate takes is ignored; frames in code without a name are told for each stack
cat >"$TMP/diag.d" <<'END'
int n;
pid$target:jit:leaf:entry /n++ % 4 == 0/ { x = ustackdepth; }
diag:::events /args[1] != 0/ { @["events", strtok(args[0], "0123456789")] = count(); }
diag:::ignored /args[0] != "perf"/ { @["ignored", strtok(args[0], "0123456789")] = count(); }
diag:::ignored /args[0] == "perf" && arg1 == 4 && pid == $target/ { @["ends", "perf"] = count(); }
diag:::missed-dnet-stack { @["nameless", execname] = count(); }
diag:::missed-ustack { @["no stack", execname] = count(); }
END
d -qs "$TMP/diag.d" -c "$TARGETS/jit 100"
ends 0 "events"
is "events" "$(grep -E '(events|ignored) *pid |nameless|no stack|ends' "$TMP/out" | awk '{ print $1, $2, $3 }' | sort)" "ends perf 1
events pid 100
ignored pid 75
nameless jit 25"

# a process that has given its memory back leaves its CPU once more, or oftener, without a user stack; threads of the kernel never had one
d -qn 'linux-sched:::sched_switch /pid == $target || execname == "ksoftirqd/0" || execname == "rcu_preempt"/ { @[ustack()] = count(); }
	diag:::missed-ustack { printf("%s %d\n", execname, arg0 >> 32 == tid); }' -c true
is "no stack" "$(grep ' [01]$' "$TMP/out" | grep -v '^ ' | uniq)" "true 1"
d -qn 'syscall::getppid:entry /pid == $target/ { trace(ustackdepth > 0); @[stack()] = count(); }
	diag:::missed-ustack, diag:::missed-stack /pid == $target/ { printf("missed"); }' -c "$TARGETS/counters 1"
like "nothing is missed" "$(grep -c missed "$TMP/out")" 0

# what is told of the thread that comes to a CPU has no stack of it: each time it is missed
d -qn 'sched::pmc:on-cpu-cs /pid == $target/ { @came["came"] = count(); @[stack()] = count(); }
	diag:::missed-stack /pid == $target/ { @missed["missed", arg0 == timestamp] = count(); }' -c "$TARGETS/counters 1"
ends 0 "no kernel stack"
came=$(awk '$1 == "came" { print $2 }' "$TMP/out")
[ "${came:-0}" -gt 0 ] || fail "it never came to a CPU"
is "no kernel stack" "$(awk '$1 == "missed" { print $2, $3 }' "$TMP/out")" "1 $came"

# hooks: 0 entry, 1 return, the address, arguments, result
cat >"$TMP/fpid.d" <<'END'
pid$target:counters:touch:entry { printf("at %x\n", uregs[R_RIP]); }
fpid$target:counters:touch:entry, fpid$target:counters:touch:return { x = arg1; }
diag:::fpid { printf("%d %x", arg0, arg1); }
diag:::fpid /arg0 == 0/ { printf(" %d\n", arg3); }
diag:::fpid /arg0 == 1/ { printf("\n"); }
END
d -qs "$TMP/fpid.d" -c "$TARGETS/counters 7"
ends 0 "fpid"
at=$(awk '$1 == "at" { print $2 }' "$TMP/out")
is "fpid" "$(grep '^[01] ' "$TMP/out" | sort)" "0 $at 7
1 $at"
finish
