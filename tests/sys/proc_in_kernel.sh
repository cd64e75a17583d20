# Clauses on processes that begin, execute, get signals and end run whole in the kernel, as far as they compute and aggregate: the same results as of records.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need dash

# names that nobody else's programs have: 20 programs that end by themselves, one by a signal, one that is not there
cp "$(command -v dash)" "$TMP/pk$$"
cp /bin/true "$TMP/pt$$"
cat >"$TMP/work" <<END
exec 2>/dev/null
i=0
while [ \$i -lt 20 ]; do
	$TMP/pt$$
	i=\$((i + 1))
done
$TMP/nothing
trap : USR1
kill -USR1 \$\$
(exit 3)
(kill -KILL \$(exec $TMP/pk$$ -c 'echo \$PPID'))
exit 7
END
mine='(execname == "pk'$$'" || execname == "pt'$$'")'

# both WHAT CLAUSES SCRIPT: so many run in the kernel, without records, and come to what records come to
both() {
	"$DTRACE" -q -x claim=off -o "$TMP/plain" -n "$3" -c "$TMP/pk$$ $TMP/work" >/dev/null 2>"$TMP/err" || fail "$1, of records: $(cat "$TMP/err")"
	"$DTRACE" -v -o "$TMP/told" -n "$3" -c "$TMP/pk$$ $TMP/work" >/dev/null 2>"$TMP/err"
	like "$1: in the kernel" "$(cat "$TMP/err")" "*run in the kernel: $2 clause* of proc*records read: * of perf events, 0 of BPF programs*"
	"$DTRACE" -q -o "$TMP/kept" -n "$3" -c "$TMP/pk$$ $TMP/work" >/dev/null 2>"$TMP/err"
	is "$1: nothing is said" "$(cat "$TMP/err")" ""
	is "$1" "$(cat "$TMP/kept")" "$(cat "$TMP/plain")"
	grep -q '[0-9]' "$TMP/plain" || fail "$1: nothing was counted"
}

both "exec, and how long it takes" 2 "proc:::exec /$mine/ { self->t = timestamp; }
	proc:::exec-success /self->t/ { @[execname, timestamp > self->t] = count(); self->t = 0; }"
[ "$(awk '$1 == "pt'$$'" { print $3 }' "$TMP/kept")" -eq 20 ] || fail "exec: $(cat "$TMP/kept")"
both "exec that fails" 1 "proc:::exec-failure /$mine/ { @[execname, arg0] = count(); }"
like "exec that fails: ENOENT" "$(cat "$TMP/kept")" "*pk$$ *2 *1"
both "ends" 1 "proc:::exit /$mine/ { @[execname, arg0, arg1] = count(); n++; } END { printf(\"%d\", n); }"
[ "$(awk '$1 == "pt'$$'" && $3 == 0 { print $4 }' "$TMP/kept")" -eq 20 ] || fail "ends: $(cat "$TMP/kept")"
both "ends, the code first" 1 "#pragma D option procexit=code
proc:::exit /$mine/ { @[execname, arg0, args[0]] = count(); }"
both "threads" 1 "proc:::lwp-exit /$mine/ { @[execname, pid == tid] = count(); }"
both "signals" 2 "proc:::signal-send /$mine && args[1]->pr_pid == pid && args[2] != SIGCHLD/ { @[args[2], args[0]->pr_lwpid == args[1]->pr_pid] = count(); }
	proc:::signal-handle /$mine && arg0 != SIGCHLD/ { @h[execname, arg0] = count(); }"

# a child has the name of its parent until it executes something
"$DTRACE" -qo "$TMP/out" -x explain -n "proc:::start { n++; @[execname] = count(); }" -c "$TMP/pk$$ $TMP/work" >/dev/null 2>"$TMP/err"
like "names" "$(cat "$TMP/err")" "*proc:::start at line 1: is kept in the kernel*"
is "names" "$(awk '$1 == "pk'$$'" { n += $2 } $1 == "pt'$$'" { m += $2 } END { print (n > 20) + 0, m + 0 }' "$TMP/out")" "1 0"

# how long processes live: from the start, in the name of the child, to the end
"$DTRACE" -qo "$TMP/out" -x explain -n "proc:::start { at[pid] = timestamp; } proc:::exit /at[pid] && $mine/ { @[execname, timestamp > at[pid]] = count(); at[pid] = 0; }" \
	-c "$TMP/pk$$ $TMP/work" >/dev/null 2>"$TMP/err"
like "lives" "$(cat "$TMP/err")" "*proc:::start at line 1: is kept in the kernel*proc:::exit at line 1: is kept in the kernel*"
[ "$(awk '$1 == "pt'$$'" && $2 == 1 { print $3 }' "$TMP/out")" -eq 20 ] || fail "lives: $(cat "$TMP/out")"

# who makes whom, known before the child begins; and what its CPU refuses
d -qn 'int by[int]; proc:::create /pid == $target/ { by[args[0]->pr_pid] = pid; self->n++; @c[execname] = max(self->n); }
	proc:::lwp-create /pid == $target/ { @l["threads", args[1]->pr_pid == pid, args[0]->pr_lwpid > pid] = count(); }
	proc:::start /by[pid]/ { @s["started by it", by[pid] == $target] = count(); }
	proc:::fault /pid == $target/ { self->f++; @f["refused", arg0] = max(self->f); }' -x explain -c "$TARGETS/faults $TMP/data"
ends 0 "parents"
is "parents: in the kernel" "$(echo "$err" | grep -c 'is kept in the kernel')" 4
is "parents" "$(echo "$out" | awk '$1 == "faults" { print $2 }')" "1"
is "children" "$(echo "$out" | awk '$1 == "started" { print $4, $5 }')" "1 1"
is "refused" "$(echo "$out" | awk '$1 == "refused" { if ($3 > n) n = $3 } END { print n }')" "$(echo "$out" | awk '$1 == "violation" { print $2 }')"
d -qn 'proc:::lwp-create /pid == $target/ { self->n++; last[tid] = args[0]->pr_lwpid; @["threads", args[1]->pr_pid == pid, last[tid] > pid] = max(self->n); }' -c "$TARGETS/crowded 4 100"
ends 0 "threads of a parent"
is "threads of a parent" "$(echo "$out" | awk '$1 == "threads" { print $2, $3, $4 }')" "1 1 4"

# what is read of a descriptor of signals has a record, as the end has where images are told of
d -x explain -n 'proc:::signal-clear { n++; } BEGIN { exit(0); }'
like "signals that are fetched" "$err" "*makes records: it has probes whose programs keep nothing*"
d -x explain -n 'proc:::exit { n++; } proc:::module-unload { trace(1); } BEGIN { exit(0); }'
like "exit with images" "$err" "*proc:::exit at line 1: makes records: it has probes whose programs keep nothing*"
finish
