# What shells ask while a command line is typed: probes, options and processes, from the command itself; as any user, and at once.
# needs: user
. tests/lib/lib.sh

asked() { # asked WHAT PREFIX WANT: the lines, joined; a pattern
	d --complete "$1" "$2"
	ends 0 "$1 '$2'"
	is "$1 '$2': errors" "$err" ""
	like "$1 '$2'" "$(echo "$out" | tr '\n' ' ')" "$3"
}
asked probe BEG 'BEGIN '
asked probe '' '*diag: *dtrace: *fpid$target: *pid$target: *profile: *syscall: *BEGIN END ERROR '
asked probe tick-1 'tick-1 tick-10 tick-100 tick-1000 '
asked probe sysc 'syscall: '
asked probe syscall::rea 'syscall::read: *syscall::readv: '
asked probe syscall::read: 'syscall::read:entry syscall::read:return '
asked probe syscall:::e 'syscall:::entry '
asked probe sched: 'sched:vmlinux: '
asked probe sched:vmlinux:: '*sched:vmlinux::off-cpu *sched:vmlinux::on-cpu *'
asked probe sched::: '*sched:::off-cpu *sched:::on-cpu *'
asked probe sched:::on 'sched:::on-cpu '
asked probe proc:::exec-s 'proc:::exec-success '
asked probe nosuch ' '
asked probe nosuch:::x ' '
asked probe 'a:b:c:d:e' ' '
if "$DTRACE" --doctor | grep -q '^tracepoints  *works'; then
	asked probe linux-sche 'linux-sched: '
	asked probe linux-sched:::sched_switc 'linux-sched:::sched_switch '
	asked probe rawtp:sched::sched_switc 'rawtp:sched::sched_switch '
fi
asked option bufs 'bufsize '
asked option bufpolicy= 'bufpolicy=fill bufpolicy=ring bufpolicy=switch '
asked option evaltime=p 'evaltime=postinit evaltime=preinit '
asked option bufsize= ' '
asked option nosuch= ' '
asked tool funcl 'funclatency '
asked tool nosuch ' '
cp "$TARGETS/waits" "$TMP/family$$"
. tests/lib/attach.sh
start_ready "$TMP/family$$" 1
asked process "family$$" "family$$ "
odd=$(printf 'odd%s\033[31m' $$)
cp "$TARGETS/waits" "$TMP/$odd"
mkfifo "$TMP/odd"
"$TMP/$odd" 1 <"$TMP/odd" >"$TMP/oddsaid" 2>&1 &
pid=$!
exec 4>"$TMP/odd"
waits_for "$TMP/oddsaid" ready "the odd one"
asked process "odd$$" " "
exec 4>&-
wait $pid
end_waits
d --complete nonsense x
ends 1 "no such thing"

need bash
completes() { # completes WORD...: what the last word may become; words as bash cuts them
	bash -c '. dscripts/completion/dtrace.bash
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dtrace; printf "%s\n" "${COMPREPLY[@]}"' bash "$DTRACE" "$@" |
		tr '\n' ' '
}
is "an option" "$(completes -x bufp)" "bufpolicy "
is "a tool" "$(completes --tool funcc)" "funccount "
is "its value, quoted" "$(completes -x bufpolicy=r)" "bufpolicy=ring "
is "its value, cut" "$(completes -x bufpolicy = r)" "ring "
like "its value, nothing of it" "$(completes -x bufpolicy =)" "fill ring switch "
is "a system call" "$(completes -n syscall::readlinka)" "syscall::readlinkat: "
is "cut at colons" "$(completes -n syscall :: readlinka)" "readlinkat: "
is "a name" "$(completes -n syscall :: read : en)" "entry "
is "quoted" "$(completes -n "'syscall::read:r")" "syscall::read:return "
is "a program's" "$(completes -c "$TARGETS/t" -n 'pid$target:a.out:lea')" 'pid$target:a.out:leaf: '
finish
