# -E FILE: a recording is read as it happened, by a user without privileges, whatever this machine has of its processes.
. tests/lib/lib.sh
need python3

python3 tests/tools/perfdata.py "$TMP/m.data" || fail "no recording"
python3 tests/tools/perfdata.py "$TMP/pipe.data" pipe

cat >"$TMP/all.d" <<'END'
BEGIN { printf("begin %d %Y\n", timestamp, walltimestamp); }
syscall:::entry { printf("%d cpu %d %s %d/%d %s(%d) of %d, user %d\n", timestamp, cpu, execname, pid, tid, probefunc, arg0, ppid, (int)uid); }
linux-demo:::message { printf("%d %s says %d %s\n", timestamp, execname, args[0]->number, stringof(args[0]->text)); }
sched:::off-cpu { printf("%d off %s -> %d %s\n", timestamp, execname, args[0]->pr_lwpid, args[1]->pr_fname); }
sched:::on-cpu { printf("%d on %s %d\n", timestamp, execname, pid); }
proc:::exec-success, proc:::start, proc:::exit { printf("%d %s %s %d\n", timestamp, probename, execname, pid); }
profile-97 { printf("%d sample %s %x", timestamp, execname, arg0); stack(); ustack(); }
tick-10ms { printf("%d tick\n", timestamp); }
END { printf("end %d\n", timestamp); }
END
cat >"$TMP/expected" <<'END'
begin 5000000000 2001 Sep  9 01:46:40
5000000000 cpu 0 alpha 100/100 read(3) of 1, user -1
5001000000 cpu 1 beta 200/200 read(5) of 0, user -1
5002000000 cpu 0 alpha 100/100 write(4) of 1, user -1
5003000000 beta says 7 seven
5004000000 sample alpha ffffffff81000010
              0xffffffff81000010

              alpha`0x401000
5004500000 sample beta 0

              jit`0x700010
5005000000 start alpha 300
5006000000 exec-success gamma 300
5006500000 off beta -> 0 [swapper/1]
5006500000 on swapper 0
5007000000 cpu 0 gamma 300/300 execve(0) of 100, user -1
5008000000 off gamma -> 100 alpha
5008000000 on alpha 100
5010000000 tick
5012000000 beta says -1 minus one
5014000000 exit gamma 300
5020000000 tick
5025000000 cpu 0 alpha 100/100 read(6) of 1, user -1
end 5025000000
END
TZ=UTC d -qs "$TMP/all.d" -E "$TMP/m.data"
ends 0 "a file"
is "a file" "$out" "$(cat "$TMP/expected")"
like "what was lost is told" "$err" "*3 drops on CPU 0*"
d -qE "$TMP/m.data" -n 'diag:::lostevent { printf("%d: %d on %d\n", timestamp, arg0, arg1); } linux-demo:::message { } diag:::events, diag:::ignored { @[probename, args[0]] = count(); }
	END { printa("%s %s %@d\n", @); }'
is "what was lost, at its time" "$(echo "$out" | grep on)" "5015000000: 3 on 0"
is "what comes, and what nobody takes" "$(echo "$out" | grep -c '^events linux-demo 2$')" 1
d -qE "$TMP/m.data" -n 'diag:::missed-dnet-stack, diag:::fpid { }'
like "what files cannot tell" "$err" "*probe diag:::* and 1 more have no events: no event that perf can record tells of it*"
TZ=UTC "$DTRACE" -qs "$TMP/all.d" -E - <"$TMP/pipe.data" >"$TMP/piped" 2>/dev/null
is "the same through a pipe" "$(cat "$TMP/piped")" "$(cat "$TMP/expected")"

# the same compressed, by a stream that goes through several records
if command -v zstd >/dev/null; then
	for form in zstd zstd2; do
		python3 tests/tools/perfdata.py "$TMP/$form.data" $form
		TZ=UTC d -qs "$TMP/all.d" -E "$TMP/$form.data"
		ends 0 "$form"
		is "$form" "$out" "$(cat "$TMP/expected")"
	done
fi

# two files of two machines: one clock, the same tracepoints whatever their numbers, each file's processes when it begins
python3 tests/tools/perfdata.py "$TMP/other.data" other
d -qn 'syscall:::entry { printf("%d %s\n", timestamp, probefunc); } linux-demo:::message { printf("%d %s\n", timestamp, stringof(args[0]->text)); }
	BEGIN, END { printf("%Y\n", walltimestamp); }' -E "$TMP/m.data,$TMP/other.data"
ends 0 "two machines"
is "two machines" "$out" "2001 Sep  9 01:46:40
1004999500000 read
1005000000000 read
1005000500000 read
1005001000000 read
1005001500000 write
1005002000000 write
1005002500000 seven
1005003000000 seven
1005006500000 execve
1005007000000 execve
1005011500000 minus one
1005012000000 minus one
1005024500000 read
1005025000000 read
2001 Sep  9 01:46:40"
like "what is added is told" "$err" "*$TMP/m.data: 999.999500000 s are added to its times, to be those of $TMP/other.data (CLOCK_DATA)*"
like "numbers of processes" "$err" "*are of different machines: processes that have the same number are taken for one*"
d -qn 'sched:::off-cpu { @ = count(); }' -E "$TMP/m.data,$TMP/other.data,$TMP/m.data"
is "three files" "$(echo $out)" 6
d -l -E "$TMP/m.data,$TMP/other.data" -n 'linux-demo:::message'
is "a list of two" "$(echo "$out" | awk 'END { print $1, $NF }')" "4 message"
sed 's/sched_switch/sched_twitch/; s/int number;/int fumble;/' "$TMP/other.data" >"$TMP/differs.data"
d -qn 'linux-demo:::message { @ = count(); }' -E "$TMP/m.data,$TMP/differs.data"
like "other fields" "$err" "*$TMP/differs.data: the fields of demo:message are others than in the files before it: its events are left out*"
is "other fields: those of the first" "$(echo $out)" 2
d -qn 'BEGIN { exit(0); }' -E "$TMP/m.data,$TMP/none.data"
ends 1 "one is not there"
like "one is not there" "$err" "*cannot read $TMP/none.data: No such file*"
cp "$TMP/m.data" "$TMP/a,b.data"
d -qn 'sched:::off-cpu { @ = count(); }' -E "$TMP/a,b.data"
is "a comma in a name" "$(echo $out)" 2

# the order of time, not that of the file: CPU 1 was written behind CPU 0
d -qn 'syscall:::entry { printf("%s ", probefunc); }' -E "$TMP/m.data"
is "order" "$out" "read read write execve read "

# exit() ends the reading; predicates, variables of threads, aggregations
d -qn 'syscall:::entry /++n == 2/ { printf("%d\n", pid); exit(3); } syscall:::entry { @[execname] = count(); }' -E "$TMP/m.data"
ends 3 "exit()"
is "exit()" "$(echo "$out" | tr -s ' \n' ' ')" "200 alpha 1 "

# its time goes on where nobody asks for events
d -qn 'tick-5ms { n++; } END { printf("%d", n); }' -E "$TMP/m.data"
is "ticks alone" "$out" 5

# names of the kernel are those of the recording's
cat >"$TMP/System.map" <<'END'
ffffffff81000000 T its_own_function
END
d -qn 'profile-97 { stack(1); }' -E "$TMP/m.data" -x kallsyms="$TMP/System.map"
like "names of that kernel" "$out" "*vmlinux\`its_own_function+0x10*"
# a System.map tells addresses before they are moved at the boot, those of modules not at all
python3 tests/tools/perfdata.py "$TMP/kaslr.data" plain kernel=ffffffff81000000
for where in ffffffff7f000000 ffffffff81000000; do
	printf '%s T _text\n%s T its_own_function\n' $where "${where%0}8" >"$TMP/System.map"
	d -qn 'profile-97 { stack(1); }' -E "$TMP/kaslr.data" -x kallsyms="$TMP/System.map"
	like "names of a kernel at $where" "$out" "*vmlinux\`its_own_function+0x8*"
done
printf 'ffffffff7f000000 T _text\nffffffff81000000 t in_a_module\t[module]\n' >"$TMP/System.map"
d -qn 'profile-97 { stack(1); }' -E "$TMP/kaslr.data" -x kallsyms="$TMP/System.map"
like "modules are elsewhere" "$out" "*vmlinux\`_text+0x10*"
for text in 'ffffffff81001000 T _text' 'ffffffff81000000 T other' garbage; do
	echo "$text" >"$TMP/System.map"
	d -qn 'profile-97 { stack(1); }' -E "$TMP/kaslr.data" -x kallsyms="$TMP/System.map"
	like "names of another kernel" "$err" "*-x kallsyms: addresses of the kernel have no names: _text is at * in $TMP/System.map, and $TMP/kaslr.data has it at ffffffff81000000, of another kernel*"
	like "names of another kernel" "$out" "*0xffffffff81000010*"
done
d -qn 'profile-97 { stack(1); }' -E "$TMP/kaslr.data" -x kallsyms="$TMP/nowhere"
ends 1 "no such names"
like "no such names" "$err" "*-x kallsyms: cannot read $TMP/nowhere: No such file or directory"

# names of generated code: those of a map beside the recording; not of one that was written later
map=/tmp/perf-200.map
[ -e $map ] || {
	echo "700000 100 of_another_process" >$map
	touch -d "next year" $map
	d -qn 'profile-97 /execname == "beta"/ { ustack(); }' -E "$TMP/m.data"
	rm -f $map
	like "a map that was written later" "$out" "*jit\`0x700010*"
}
echo "700000 100 generated" >"$TMP/perf-200.map"
d -qn 'profile-97 /execname == "beta"/ { ustack(); }' -E "$TMP/m.data"
like "a map beside the recording" "$out" "*jit\`generated+0x10*"

# there is no process behind it, and no memory
d -qn 'syscall::write:entry { copyin(arg1, 8); }' -E "$TMP/m.data"
like "no memory" "$err" "*error on enabled probe*invalid address*"
d -qn 'syscall::write:entry { printf("[%s]", curpsinfo->pr_psargs); }' -E "$TMP/m.data"
like "no arguments" "$out" "*\[*\]*"

explained=$(env -u _DTRACE_TESTING "$DTRACE" -n 'syscall:::entry { @n = count(); }' -E "$TMP/m.data" 2>&1)
like "what was lost is explained" "$explained" "*3 drops in rings of the kernel, of *when it was recorded: larger rings (perf record -m) lose less*"

# what is not in it
d -n 'sched:::wakeup { @ = count(); } syscall:::entry { @n = count(); }' -E "$TMP/m.data"
ends 0 "an event that was not recorded"
like "an event that was not recorded" "$err" "*sched:vmlinux::wakeup has no events: event sched:sched_wakeup is not recorded in $TMP/m.data (perf record -e sched:sched_wakeup)*"
like "the others count" "$out" "*5*"
d -n 'io:::start' -E "$TMP/m.data"
like "no tracepoint of that kind" "$err" "*event block:block_rq_issue is not recorded*"
d -n 'linux-demo:::nothing' -E "$TMP/m.data"
ends 1 "a tracepoint that it does not have"
like "a tracepoint that it does not have" "$err" "*event demo:nothing is not recorded in*"
d -qn 'fsinfo:::read, fsinfo:::write { printf("%s %s %s %d\n", execname, probename, args[0]->fi_name, args[0]->fi_bcount); }' -E "$TMP/m.data"
is "operations on files, by descriptors" "$(echo "$out" | grep .)" "alpha read <fd 3> 17
beta read <fd 5> 0
alpha write <fd 4> 0
alpha read <fd 6> 0"
like "names are not recorded" "$err" "*probe description fsinfo:::read: args\[] members fi_fs, fi_mount, fi_dirname, fi_pathname, fi_newname are not recorded, and empty*"
d -n 'fsinfo:::done' -E "$TMP/m.data"
like "their ends" "$err" "*probe fsinfo:vmlinux::done has no events: event raw_syscalls:sys_exit is not recorded in $TMP/m.data (perf record -e raw_syscalls:sys_exit)*"
d -n 'reg:::query' -E "$TMP/m.data"
like "a provider that reads no files" "$err" "*probe reg:vmlinux::query has no events: no recording tells of what reg traces: record raw_syscalls:\\* (without names of files) and use syscall and fsinfo*"
d -n 'pmc:::page-faults-1' -E "$TMP/m.data"
like "a counter" "$err" "*probe pmc:::page-faults-1 has no events: what it needs is not recorded in $TMP/m.data (perf record -e page-faults)*"
d -n 'pid1:::entry' -E "$TMP/m.data"
ends 1 "a process of this machine"
like "a process of this machine" "$err" "*failed to grab process 1: events come from a recording; a function that perf probe -x PROGRAM has put a probe on is linux-probe_PROGRAM:::FUNCTION there*"
d -n 'BEGIN' -E "$TMP/m.data" -c /bin/true
ends 1 "with -c"
like "with -c" "$err" "*-E: events come from $TMP/m.data: there is nothing to trace with -c or -p"

# the list, with how many events each has
d -l -E "$TMP/m.data" -n 'linux-demo:::message,syscall::read:entry,sched:::off-cpu'
ends 0 "the list"
is "the list" "$(echo "$out" | awk '{ print $1, $NF }')" "EVENTS NAME
2 off-cpu
2 message
3 entry"

# the types are those of the formats in the file
d -lv -E "$TMP/m.data" -n 'linux-sched:::sched_switch,linux-demo:::message'
ends 0 "-lv"
is "-lv" "$(echo "$out" | grep 'args\[')" "		args[0]: struct trace_event_raw_sched_switch *
		args[0]->prev_comm: char [16]
		args[0]->prev_pid: pid_t
		args[0]->prev_state: long
		args[0]->next_comm: char [16]
		args[0]->next_pid: pid_t
		args[0]->next_prio: int
		args[0]: struct trace_event_raw_message *
		args[0]->number: int
		args[0]->text: char [264]"

# the machine is that of the recording
d -qn 'hwconfig:::cpu { printf("%s %d %d %s\n", args[0]->host, args[0]->ncpus, args[0]->nonline, args[0]->missing); }' -E "$TMP/m.data"
is "the machine" "$(echo "$out" | grep .)" "elsewhere 2 2 memory model vendor domain page_size mhz physical_bits virtual_bits"
d -qn 'hwconfig:::nic { @ = count(); }' -E "$TMP/m.data"
like "what is not told of it" "$err" "*probe hwconfig:::nic has no events: a recording tells of the machine what hwconfig:::cpu, processor and boot have*"

# other files
d -ln syscall::: -E "$TMP/none.data"
ends 1 "no file"
like "no file" "$err" "*cannot read $TMP/none.data: No such file or directory*"
d -n BEGIN -E tests/cli/trace_file.sh
like "no recording" "$err" "*it is no trace file (perf record writes them; they begin with PERFILE2)"
d -n BEGIN -E "$TMP"
like "a folder" "$err" "*$TMP: it is a folder: recordings of perf record --threads are not read: record without it"
printf '2ELIFREP%0200d' 0 >"$TMP/swapped"
d -n BEGIN -E "$TMP/swapped"
like "the other byte order" "$err" "*$TMP/swapped: it was recorded on a machine of the other byte order, which is not read: perf script *"
"$DTRACE" -n BEGIN -E - <"$TMP/swapped" 2>"$TMP/err" && fail "the other byte order by a pipe"
like "the other byte order by a pipe" "$(cat "$TMP/err")" "*of the other byte order*"
printf 'PERFFILE%0200d' 0 >"$TMP/old"
d -n BEGIN -E "$TMP/old"
ends 1 "the first version"
like "the first version" "$err" "*$TMP/old: it is of the first version of the format, which perf wrote before Linux 3.2: record it again"
python3 tests/tools/perfdata.py "$TMP/aux.data" aux
d -qn 'syscall:::entry { @ = count(); }' -E "$TMP/aux.data"
ends 1 "AUX data"
is "AUX data: the others are read" "$(echo $out)" 5
like "AUX data" "$err" "*$TMP/aux.data: 1 piece of AUX data (of a processor's trace) is left out, the first at offset [1-9]*"
finish
