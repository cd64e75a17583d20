# A name that is not known is told with what was perhaps meant, if there is something near: below the
# message, whose first line stays as it is.
# needs: any
. tests/lib/lib.sh

second() { # second WHAT WANT: the last d failed, and said this below its message
	[ "$status" != 0 ] || fail "$1: no error"
	is "$1" "$(grep -a '^dtrace: ' "$TMP/err" | sed -n 2p)" "${2:+dtrace: }$2"
}
meant() { # meant STATEMENT HINT
	d -n "BEGIN { $1; }"
	second "$1" "$2"
}
meant 'trace(execnam)' 'did you mean execname?'
meant 'trace(probfunc)' 'did you mean probefunc?'
meant 'trace(ExecName)' 'did you mean execname?'
meant 'mine = 1; trace(nime)' ''
meant 'numbers = 1; trace(nubmers)' 'did you mean numbers?'
meant 'self->start = 1; trace(self->strat)' 'did you mean start?'
meant 'printff("x")' 'did you mean printf?'
meant '@ = coutn()' 'did you mean count?'
meant '@ = qantize(1)' 'did you mean quantize?'
meant 'ustack' 'did you mean ustack()?'
meant 'max(1)' 'did you mean @ = max()?'
meant 'trace($traget)' 'did you mean $target?'
meant '$x = 1' 'a variable of a clause is this->x'
meant 'trace(curpsinfo->pr_fnam)' 'did you mean pr_fname?'
meant '@start[tid] = timestamp' 'a value that is read again is kept in start[...], of a thread in self->start'
# nothing near, nothing said
meant 'trace(x)' ''
meant 'trace(foo)' ''
meant 'nofunc()' ''
meant 'zz()' ''

probe() { # probe DESCRIPTION HINT [ARGS...]
	description=$1 hint=$2
	shift 2
	d -n "$description { exit(0); }" "$@"
	second "$description" "$hint"
}
probe BEGIM 'did you mean BEGIN?'
probe begin 'did you mean BEGIN?'
probe 'syscal::read:entry' 'did you mean syscall?'
probe 'syscall::raed:entry' 'did you mean read?'
probe 'syscall::read:enrty' 'did you mean entry?'
probe 'proc:::strat' 'did you mean start?'
probe 'sched:::on-cpuu' 'did you mean on-cpu?'
probe profil-99 'did you mean profile-99?'
probe 'nosuch:::' ''
probe 'syscall::nothing_like_it:entry' ''
probe 'pid$target:::entry' '$target is a process of -c or -p, and neither is given'
probe 'fpid$target:::entry' '$target is a process of -c or -p, and neither is given'
probe 'pid$target::laef:entry' 'did you mean leaf?' -c "$TARGETS/t 1"
probe 'pid$target:libcc.so.6:malloc:entry' 'did you mean libc.so.6?' -c "$TARGETS/t 1"
d -n 'shpo$target:::open { exit(0); }' -c "$TARGETS/usdt 1"
like "a provider of the program" "$err" "*dtrace: did you mean shop[0-9]*[?]"
probe 'shop$target:::opne' 'did you mean open?' -c "$TARGETS/usdt 1"
d -n 'pid$target:libnone.so:f:entry { exit(0); }' -c "$TARGETS/t 1"
like "a module that is loaded later" "$err" "*
dtrace: process [0-9]* has not loaded libnone.so; for a module that is loaded later: -Z, or -p when it is there"
if "$DTRACE" --doctor | grep -q '^tracepoints  *works'; then
	probe 'linux-sched:::sched_swich' 'did you mean sched_switch?'
	probe 'linux-shed:::sched_switch' 'did you mean linux-sched?'
	probe 'rawtp:::sched_swich' 'did you mean sched_switch?'
fi
d -ln 'syscall::raed:'
is "-l" "$(cat "$TMP/err")" 'dtrace: failed to match syscall::raed:: No probe matches description
dtrace: did you mean read?'

option() { # option ARGS HINT
	d -x "$1" -n BEGIN
	second "-x $1" "$2"
}
option agsize=1 'did you mean aggsize?'
option flowident 'did you mean flowindent?'
option bufpolicy=rnig 'did you mean ring?'
option evaltime=postinti 'did you mean postinit?'
option nosuch ''
option bufsize=1q ''
printf '#pragma D option quite\nBEGIN { exit(0); }\n' >"$TMP/p.d"
d -s "$TMP/p.d"
second "a pragma" 'did you mean quiet?'

# every word of bpftrace's language that the table has
rows() {
	sed -n "s/^$1(\"\\([^\"]*\\)\", *\"\\(.*\\)\")\$/\\1 \\2/p" dlang/parse/bpfwords.def | sed 's/\\"/"/g'
}
rows VARIABLE >"$TMP/rows"
while read -r word text; do meant "trace($word)" "in D: $text"; done <"$TMP/rows"
rows FUNCTION >"$TMP/rows"
while read -r word text; do meant "$word(\"x\")" "in D: $text"; done <"$TMP/rows"
[ "$(wc -l <"$TMP/rows")" -gt 15 ] || fail "the table is not read"
probe 'kprobe:vfs_read' 'in D: fbt::vfs_read:entry'
probe 'kretprobe:vfs_read' 'in D: fbt::vfs_read:return'
probe 'fentry:vfs_read' 'in D: fbt::vfs_read:entry'
probe 'fexit:vfs_read' 'in D: fbt::vfs_read:return'
probe 'kfunc:vfs_read' 'in D: fbt::vfs_read:entry'
probe 'kretfunc:vfs_read' 'in D: fbt::vfs_read:return'
probe 'tracepoint:sched:sched_switch' 'in D: linux-sched:::sched_switch'
probe 'tracepoint:syscalls:sys_enter_openat' 'in D: syscall::openat:entry'
probe 'tracepoint:syscalls:sys_exit_openat' 'in D: syscall::openat:return'
probe 'rawtracepoint:sched_switch' 'in D: rawtp:::sched_switch'
probe 'interval:s:1' 'in D: tick-1s'
probe 'profile:hz:99' 'in D: profile-99hz'
probe 'uprobe:/bin/ls:main' 'in D: pid$target:a.out:FUNCTION:entry, with -c or -p'
probe 'uretprobe:/bin/ls:main' 'in D: pid$target:a.out:FUNCTION:return, with -c or -p'
probe 'usdt:/bin/x:p:a' 'in D: PROVIDER$target:::PROBE, with -c or -p'
finish
