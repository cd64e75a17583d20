# -E FILE without a program: each event is a line, of the columns that -x fields names; nothing in it acts on a terminal.
. tests/lib/lib.sh
need python3

python3 tests/tools/perfdata.py "$TMP/m.data" || fail "no recording"
cat >"$TMP/expected" <<'END'
              TIME CPU PROCESS                EVENT                        FIELDS
       5.000000000   0 alpha/100              raw_syscalls:sys_enter       id=0 args=[3,4096,17,0,0,0]
       5.001000000   1 beta/200               raw_syscalls:sys_enter       id=0 args=[5,0,0,0,0,0]
       5.002000000   0 alpha/100              raw_syscalls:sys_enter       id=1 args=[4,0,0,0,0,0]
       5.003000000   1 beta/200               demo:message                 number=7 text="seven"
       5.004000000   0 alpha/100              cpu-clock                    ip=0xffffffff81000010
       5.004500000   1 beta/200               cpu-clock                    ip=0x700010
       5.006500000   1 beta/200               sched:sched_switch           prev_comm="prev" prev_pid=200 prev_state=0 next_comm="swapper/1" next_pid=0 next_prio=120
       5.007000000   0 gamma/300              raw_syscalls:sys_enter       id=59 args=[0,0,0,0,0,0]
       5.008000000   0 gamma/300              sched:sched_switch           prev_comm="prev" prev_pid=300 prev_state=1 next_comm="alpha" next_pid=100 next_prio=120
       5.012000000   1 beta/200               demo:message                 number=-1 text="minus one"
       5.025000000   0 alpha/100              raw_syscalls:sys_enter       id=0 args=[6,0,0,0,0,0]
END
d -E "$TMP/m.data"
ends 0 "a file"
is "a file" "$out" "$(cat "$TMP/expected")"
is "what was lost is told" "$err" "dtrace: 3 events were lost when it was recorded: larger rings (perf record -m) lose less"
d -qE "$TMP/m.data"
is "-q: no header" "$out" "$(sed 1d "$TMP/expected")"
rm -f "$TMP/lines"
d -o "$TMP/lines" -E "$TMP/m.data"
is "-o" "$out$(cat "$TMP/lines")" "$(cat "$TMP/expected")"
python3 tests/tools/perfdata.py "$TMP/pipe.data" pipe
is "a pipe" "$("$DTRACE" -E - <"$TMP/pipe.data" 2>/dev/null)" "$(cat "$TMP/expected")"
python3 tests/tools/perfdata.py "$TMP/other.data" other
d -qx fields=time,event -E "$TMP/m.data,$TMP/other.data"
is "two files" "$(echo "$out" | head -2)" "    1004.999500000 raw_syscalls:sys_enter
    1005.000000000 raw_syscalls:sys_enter"
is "two files" "$(echo "$out" | wc -l)" 22
like "two files" "$err" "*999.999500000 s are added to its times*"

# columns
d -x fields=event,next_comm,pid,tid,execname,id -E "$TMP/m.data"
is "columns" "$(echo "$out" | sed -n '1,2p;8p')" "EVENT                        NEXT_COMM        PID     TID EXECNAME        ID
raw_syscalls:sys_enter       -                100     100 alpha           0
sched:sched_switch           \"swapper/1\"      200     200 beta            -"
d -x fields=time,nothing -E "$TMP/m.data"
ends 1 "a field that nothing has"
is "a field that nothing has" "$out$err" "dtrace: -x fields: 'nothing' is neither a column (time, cpu, process, event, fields, pid, tid, execname) nor a field of an event in $TMP/m.data"

# as a table for other programs: a file beside nothing, or the output
d -x report="$TMP/x.csv" -x fields=time,execname,event,text,next_comm,args -E "$TMP/m.data"
ends 0 "a table"
is "a table: nothing is printed" "$out" ""
python3 - "$TMP/x.csv" >"$TMP/rows" <<'END'
import csv, sys
with open(sys.argv[1], newline="") as f:
    rows = list(csv.reader(f, strict=True))
for row in rows[:2] + rows[4:5] + rows[7:8]:
    print(row)
print(len(rows))
END
is "a table" "$(cat "$TMP/rows")" "['time', 'execname', 'event', 'text', 'next_comm', 'args']
['5.000000000', 'alpha', 'raw_syscalls:sys_enter', '', '', '[3,4096,17,0,0,0]']
['5.003000000', 'beta', 'demo:message', 'seven', '', '']
['5.006500000', 'beta', 'sched:sched_switch', '', 'swapper/1', '']
12"
d -q -x report=tsv:/dev/stdout -x fields=tid,fields -E "$TMP/m.data"
is "tabs" "$(echo "$out" | sed -n '1p;5p')" "$(printf 'tid\tfields\n200\tnumber=7 text="seven"')"
d -x report="$TMP/x.html" -E "$TMP/m.data"
like "no such table" "$status $out $err" "1  *-x report: without a program the events of $TMP/m.data are one table: -x report=FILE.csv, or .tsv"
[ ! -e "$TMP/x.html" ] || fail "no such table, and a file"
for name in "html:$TMP/y.csv" "$TMP/y.json"; do # as with a program: the word in front counts, else the end of the name
	d -x report="$name" -E "$TMP/m.data"
	like "$name" "$status $out $err" "1  *-x report: without a program the events of $TMP/m.data are one table: -x report=FILE.csv, or .tsv"
done
[ ! -e "$TMP/y.csv" ] || fail "a page as a table"
d -x report="$TMP/none/x.csv" -E "$TMP/m.data"
like "no such folder" "$status $out $err" "1  dtrace: report $TMP/none/x.csv: it cannot be written: No such file or directory"

# what is in it stays text
python3 tests/tools/perfdata.py "$TMP/hostile.data" hostile
d -qx fields=process,text -E "$TMP/hostile.data"
grep -qxF 'b\x1b[2J/200           "say \"\x1b]0;x\x07\\\"\x0a"' "$TMP/out" || fail "a hostile text: $(cat "$TMP/out")"
case $out in *"$(printf '\033')"*) fail "an escape" ;; esac

# who does not read any more is told nothing
python3 - "$DTRACE" "$TMP" <<'END'
import os, subprocess, sys
r, w = os.pipe()
os.close(r)
with open(sys.argv[2] + "/pipe.data") as data, open(sys.argv[2] + "/err", "w") as err:
    status = subprocess.run([sys.argv[1], "-E", "-"], stdin=data, stdout=w, stderr=err).returncode
open(sys.argv[2] + "/status", "w").write("%d\n" % status)
END
is "| head" "$(cat "$TMP/err" "$TMP/status")" 1
"$DTRACE" -E "$TMP/m.data" >/dev/full 2>"$TMP/err"
like "a full device" "$? $(cat "$TMP/err")" "1 dtrace: failed to write to <stdout>: No space left on device*"

# damage, and what is not to be
head -c 3000 "$TMP/m.data" >"$TMP/cut.data"
d -qE "$TMP/cut.data"
ends 1 "cut"
like "cut" "$err" "*$TMP/cut.data: *at offset *: what comes before has been read"
d -x strict -E "$TMP/cut.data"
ends 1 "strict"
is "strict: nothing is printed" "$out" ""
d -E "$TMP/m.data" -c /bin/true
like "with -c" "$err" "*there is nothing to trace with -c or -p"
d -x oformat=json -E "$TMP/m.data"
like "-x oformat" "$status $out $err" "1  *-x oformat: without a program the events of $TMP/m.data are lines of text; with one they are what it prints"
d -gE "$TMP/m.data"
like "with -g" "$status $err" "2 *-g: events are read from $TMP/m.data, which is there; they are logged to a file that is new*"
d -E "$TMP/none.data"
ends 1 "no file"
like "no file" "$err" "*cannot read $TMP/none.data: No such file*"
finish
