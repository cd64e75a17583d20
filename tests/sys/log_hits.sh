# Hits of our own probes go to a new file (-E), and fire again when it is read: pid, fpid, static probes, system calls whose
# memory is read, emit(), scripts. perf reads them as tracepoints.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need gcc perf python3

twice() { # twice WHAT COMMAND PROGRAM...: what is printed live is printed from the file
	what=$1
	command=$2
	shift 2
	rm -f "$TMP/new.data"
	d -qgE "$TMP/new.data" -o "$TMP/live" "$@" -c "$command"
	ends 0 "$what, live"
	[ -s "$TMP/live" ] || fail "$what: nothing is printed"
	case $err in *drop*) fail "$what: $err" ;; esac
	d -qE "$TMP/new.data" -o "$TMP/again" "$@"
	ends 0 "$what, from the file"
	sort "$TMP/live" >"$TMP/sorted"
	sort "$TMP/again" | diff "$TMP/sorted" - >"$TMP/differs" || fail "$what differs: $(head -20 "$TMP/differs") $err"
	rm -f "$TMP/live" "$TMP/again"
}

cat >"$TMP/us.c" <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct in { const char *name; int n; };
struct out { struct in *in; long v; };
__attribute__((noinline)) int work(struct out *o, int a, char c, const char *s, double d, unsigned short u)
{
	__asm__ volatile("");
	return o->in->n + a + c + (int)strlen(s) + (int)d + u;
}
int main(int argc, char **argv)
{
	struct in i = {"inner", 7};
	struct out o = {&i, 5};
	int n = argc > 1 ? atoi(argv[1]) : 20, t = 0;
	for (int k = 0; k < n; k++) {
		i.n = k;
		t += work(&o, -k, 'x', k % 2 ? "odd" : "even", 1.5, (unsigned short)k);
	}
	printf("%d\n", t);
	return 0;
}
END_C
gcc -g -O1 -o "$TMP/us" "$TMP/us.c" || fail "no compiler"

# ---- functions: arguments with their types, results, memory, stacks, registers ----
for prov in pid fpid; do
	twice "$prov, typed arguments" "$TMP/us" -n "$prov"'$target:a.out:work:entry { @[args[1], args[2], arg1, args[5], copyinstr(arg3)] = count(); this->in = *(uintptr_t *)copyin(arg0, 8); @i[stringof(copyinstr(*(uintptr_t *)copyin(this->in, 8)))] = count(); }
		'"$prov"'$target:a.out:work:return { @r[arg0, args[1], arg1] = count(); }'
	twice "$prov, stacks and registers" "$TMP/us" -n "$prov"'$target:a.out:work:entry { @[ustack()] = count(); @s[ustackdepth, uregs[R_RDI] == arg0, uregs[R_RIP] == ucaller] = count(); @u[ufunc(ucaller)] = count(); }'
	twice "$prov, pairs" "$TMP/us" -n "$prov"'$target:a.out:work:entry { self->t = timestamp; self->n = arg1; } '"$prov"'$target:a.out:work:return /self->t/ { @[execname, pid == $target, tid == $target, (int)self->n] = sum(timestamp - self->t); self->t = 0; }'
	if [ -x /usr/bin/python3 ]; then
		twice "$prov, python3" "/usr/bin/python3 -c pass" -n "$prov"'$target:libc.so.6:open64:entry, '"$prov"'$target:libc:fopen*:entry { @[probemod, probefunc, copyinstr(arg0)] = count(); } '"$prov"'$target:libc:malloc:entry { @m[arg0] = count(); } '"$prov"'$target:libc:malloc:return { @z[arg1 == 0] = count(); }'
	fi
done
twice "an address that leads nowhere" "$TMP/us" -n 'pid$target:a.out:work:entry { @ = count(); trace(copyinstr(arg1)); } ERROR { @e[arg4] = count(); }'

# what a person sees of it with perf; names, types and texts as the program has them
rm -f "$TMP/new.data"
d -qE "$TMP/new.data" -n 'pid$target:a.out:work:entry { @[args[1], copyinstr(arg3)] = count(); }' -c "$TMP/us"
perf script -i "$TMP/new.data" -F event,trace 2>"$TMP/perf.err" >"$TMP/perf.out"
like "perf script" "$(grep -c 'dtrace:pid[0-9]*_work_entry: *pid[0-9]*:us:work:entry .* a=-19 c=120 .* s_text="odd"' "$TMP/perf.out")" "1"
is "of each" "$(grep -c 'work_entry' "$TMP/perf.out")" 20
perf script -i "$TMP/new.data" -F ip,sym -G >"$TMP/perf.out" 2>&1
perf evlist -i "$TMP/new.data" | grep -q '^dtrace:pid[0-9]*_work_entry$' || fail "perf evlist: $(perf evlist -i "$TMP/new.data" 2>&1)"
# without -g no clause runs: the questions come later, and may be others
is "no clause" "$out" "$("$TMP/us")"
d -qE "$TMP/new.data" -n 'pid*:::entry { @[probefunc, arg2, arg4] = count(); } pid$target::work:return { @r = count(); } END { @e = count(); }'
ends 0 "another question"
like "no hits" "$err" "*pid[0-9]*::work:return: no hits of it are in $TMP/new.data*"
like "another question" "$out" "*work*120*1*"
d -lE "$TMP/new.data" -P 'pid$target'
like "listed" "$out" "*20*pid[0-9]*us*work*entry*"

# structures behind pointers: as the program that reads declares them
rm -f "$TMP/new.data"
d -qE "$TMP/new.data" -n 'pid$target:a.out:work:entry { @[args[0]->v] = count(); }' -c "$TMP/us"
d -qE "$TMP/new.data" -n 'struct in; struct out { struct in *in; long v; }; pid*::work:entry { @[args[0]->v] = count(); }'
ends 0 "a member: $err"
like "a member" "$out" "* 5 * 20*"
d -qE "$TMP/new.data" -n 'pid*::work:entry { @[args[0]->v] = count(); }'
ends 1 "a member of what is not declared"
like "a member of what is not declared" "$err" "*struct out*"

# ---- what the clauses of a log would have read elsewhere is told ----
rm -f "$TMP/new.data"
d -qE "$TMP/new.data" -n 'pid$target:a.out:work:entry { self->s = arg3; } pid$target:a.out:work:return { @[copyinstr(self->s)] = count(); }' -c "$TMP/us"
like "unclear memory" "$err" "*work:return: not all that its clauses read of memory will be in $TMP/new.data*(-g)*"
twice "the same with -g" "$TMP/us" -n 'pid$target:a.out:work:entry { self->s = arg3; } pid$target:a.out:work:return { @[copyinstr(self->s)] = count(); }'

# ---- system calls: names of files, and stacks ----
twice "names of files" "$TMP/us" -n 'syscall::openat:entry /pid == $target/ { self->p = copyinstr(arg1); } syscall::openat:return /self->p != NULL/ { @[self->p, errno, arg0 > 2] = count(); self->p = 0; } syscall::write:entry /pid == $target/ { @w[arg0, stringof(copyin(arg1, 3))] = count(); }'
twice "stacks of calls" "$TMP/us" -n 'syscall::write:entry /pid == $target/ { @[ustack()] = count(); } syscall::exit_group:entry /pid == $target/ { @x[arg0] = count(); }'

# ---- events of programs and scripts ----
twice "emit()" "$TMP/us" -n 'syscall::openat:return /pid == $target/ { emit("opened", probefunc, errno, arg0 > 2, execname); } emit:::opened { @[args[0], args[1], arg1, args[3]] = count(); }'
rm -f "$TMP/new.data"
d -qgE "$TMP/new.data" -n 'pid$target:a.out:work:entry /arg1 == 0/ { emit("first", copyinstr(arg3), (long)arg4 - 1, (char)arg2, 4, 5, 6, 7, 8, 9, 10, 11, "last"); }' -c "$TMP/us"
is "perf script of an emitted event" "$(perf script -i "$TMP/new.data" -F event,trace 2>/dev/null | grep -c 'dtrace:emit_first: emit:::first arg0="even" arg1=-1 arg2=120 .* arg11="last"')" 1
d -qE "$TMP/new.data" -n 'emit:::first { printf("%s %d %d %d %s %d\n", args[0], args[1], args[2], args[10], args[11], arg1); }'
is "an emitted event, for those who do not emit it" "$out" "even -1 120 11 last -1"
d -qE "$TMP/new.data" -n 'emit:::none { }'
like "one that is not there" "$err" "*emit:::none does not match any probes*the recording has no such events*"
cat >"$TMP/job.sh" <<END_SH
$DTRACE --emit phase 'one % two'
$DTRACE --emit \$\$ text
END_SH
twice "scripts" "sh $TMP/job.sh" -n 'script:::phase { @[args[0], pid == $target] = count(); } script:::event { @e[args[0], execname] = count(); } script:::none { @n = count(); } END { @z = count(); }'

# ---- static probes, more arguments than registers ----
if [ -e /usr/include/sys/sdt.h ] || [ -e /usr/include/x86_64-linux-gnu/sys/sdt.h ]; then
	cat >"$TMP/sd.c" <<'END_C'
#include <sys/sdt.h>
int main(void)
{
	for (int i = 0; i < 10; i++) {
		const char *s = i % 2 ? "a" : "bb";
		DTRACE_PROBE3(myprov, req__start, i, s, (long)i * 1000000 - 5000000);
		DTRACE_PROBE12(myprov, many, i, 1, 2, 3, 4, 5, 6, 7, 8, 9, i * 10, 11);
	}
	return 0;
}
END_C
	gcc -O1 -o "$TMP/sd" "$TMP/sd.c" || fail "no sdt"
	twice "static probes" "$TMP/sd" -n 'myprov$target:::req-start { @[arg0, copyinstr(arg1), args[2], probemod, probefunc] = count(); } myprov$target:::many { @m[arg9, args[10], args[11]] = count(); }'
fi

# ---- full rings: what is lost is counted, in the file as well ----
rm -f "$TMP/new.data"
d -E "$TMP/new.data" -x fpidbuf=64k -n 'fpid$target:a.out:work:entry { }' -c "$TMP/us 300000"
written=$(echo "$err" | sed -n 's/.*dtrace: \([0-9]*\) events are in .*/\1/p')
told=$(echo "$err" | sed -n 's/.*dtrace: \([0-9]*\) drops on CPU.*/\1/p' | awk '{ s += $1 } END { print s + 0 }')
lost=$(perf script -i "$TMP/new.data" --show-lost-events 2>/dev/null | grep 'PERF_RECORD_LOST' | awk '{ s += $NF } END { print s + 0 }')
d -qE "$TMP/new.data" -n 'fpid$target:a.out:work:entry { @ = count(); }'
read_again=$(echo "$out" | awk 'NF { print $1 }')
is "all of them are there, or told" "$((read_again + told))" 300000
is "those that are lost are told by the file" "$lost" "$told"
[ "$written" -ge "$read_again" ] || fail "$written events written, $read_again read"

# ---- size limits ----
rm -f "$TMP/new.data"
d -qE "$TMP/new.data" -x logmax=1m -n 'fpid$target:a.out:work:entry { }' -c "$TMP/us 100000"
like "logmax" "$err" "*is as large as option logmax lets it be*"
d -qE "$TMP/new.data" -n 'fpid$target:a.out:work:entry { @ = count(); }'
ends 0 "a file of limited size"

finish
