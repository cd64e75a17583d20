# Processes that begin and end, what they execute, the signals they get.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

cat >"$TMP/script" <<'END'
trap : USR1
/bin/true
/bin/true
/bin/false
/nosuch/program 2>/dev/null
(exit 7)
sh -c 'kill -9 $$'
kill -USR1 $$
sh -c "trap '' USR2; kill -USR2 \$\$; exit 5"
exit 3
END
cat >"$TMP/s.d" <<'END'
proc:::create /pid == $target/ { @["create"] = count(); made[args[0]->pr_pid] = 1; }
proc:::start /made[pid] && args[0]->pr_pid == pid && ppid == $target/ { @["start"] = count(); }
proc:::exec /made[pid]/ { @[strjoin("exec ", args[0])] = count(); }
proc:::exec-success /made[pid]/ { @[strjoin("runs ", execname)] = count(); }
proc:::exec-failure /made[pid]/ { @[strjoin("errno ", lltostr(args[0]))] = count(); }
proc:::exit /made[pid] || pid == $target/ { @[strjoin("exit ", lltostr(arg1)), args[0]] = count(); }
proc:::lwp-exit /made[pid] || pid == $target/ { @["lwp-exit"] = count(); }
proc:::lwp-create /made[pid] || pid == $target/ { @["lwp-create"] = count(); }
proc:::signal-send /args[2] == SIGUSR1 && args[1]->pr_pid == $target/ { @["send"] = count(); }
proc:::signal-discard /args[2] == SIGUSR2 && args[1]->pr_ppid == $target/ { @["discard"] = count(); }
proc:::signal-handle /args[0] == SIGUSR1 && pid == $target/ { @["handle", args[1]->si_pid == pid] = count(); }
END
sed 's/@\["\([a-z-]*\)"\]/@["\1", 0]/; s/@\[\(strjoin[^=]*\)\] = /@[\1, 0] = /; s/, args\[0\], 0\]/, args[0]]/' "$TMP/s.d" >"$TMP/script.d"
d -qs "$TMP/script.d" -c "sh $TMP/script"
ends 0 "proc"
is "a script and its children" "$(printf '%s\n' "$out" | sed 's/  */ /g; s/^ //; s/ $//' | grep . | sort)" "create 0 7
discard 0 1
errno 2 0 1
exec /bin/false 0 1
exec /bin/true 0 2
exec /nosuch/program 0 1
exec /usr/bin/sh 0 2
exit 0 1 2
exit 1 1 1
exit 127 1 1
exit 3 1 1
exit 5 1 1
exit 7 1 1
exit 9 2 1
handle 1 1
lwp-exit 0 8
runs false 0 1
runs sh 0 2
runs true 0 2
send 0 1
start 0 7"

# a predicate that the kernel looks at, and one that it does not
cat >"$TMP/one.d" <<'END'
proc:::create, proc:::exec, proc:::exec-success, proc:::exec-failure, proc:::lwp-exit, proc:::exit
/pid == $target/ { @[probename] = count(); }
END
sed 's/pid == \$target/pid - $target == 0/' "$TMP/one.d" >"$TMP/other.d"
for form in one other; do
	d -qo "$TMP/$form" -s "$TMP/$form.d" -c "sh -c '/bin/true; (exit 3); exec sh -c \"exit 4\"'"
	ends 0 "$form"
done
is "the same events" "$(counts "$TMP/one")" "$(counts "$TMP/other")"

# a path in a page that only the call itself brings in
for path in /bin/true /nosuch; do
	printf %s "$path" >"$TMP/path"
	truncate -s 4096 "$TMP/path"
	d -qn 'proc:::exec /pid == $target/ { @[args[0]] = count(); } END { printa("%s %@d\n", @); }' -c "$TARGETS/untouched $TMP/path 10"
	is "exec of an untouched path" "$out" "$path 1"
done

# threads
d -qn 'proc:::lwp-create /pid == $target/ { @["create"] = count(); } proc:::lwp-start /pid == $target/ { @["start"] = count(); }
	proc:::lwp-exit /pid == $target/ { @["exit"] = count(); }' -o "$TMP/threads" -c "$TARGETS/t 10 4"
is "threads" "$(counts "$TMP/threads")" "create 4
exit 5
start 4"

python=$(command -v /usr/bin/python3 || command -v python3)
# libraries that come and go
cat >"$TMP/lib.py" <<'END'
import ctypes, _ctypes
for i in range(3):
    _ctypes.dlclose(ctypes.CDLL("libresolv.so.2")._handle)
END
d -qn 'proc:::module-load /pid == $target && basename(args[0]) == "libresolv.so.2"/ { base = arg1; printf("load\n"); }
	proc:::module-unload /pid == $target && basename(args[0]) == "libresolv.so.2"/ { printf("unload %d\n", base == arg1); }' -c "$python $TMP/lib.py"
is "libraries" "$(printf '%s\n' "$out" | grep . | tr '\n' ' ')" "load unload 1 load unload 1 load unload 1 "

# threads that end at the same time: one of them is the last
cat >"$TMP/once.py" <<'END'
import os, threading
for i in range(30):
    if os.fork() == 0:
        start = threading.Barrier(8)
        for j in range(7):
            threading.Thread(target=lambda: (start.wait(), os._exit(3))).start()
        start.wait()
        os._exit(3)
    os.wait()
END
d -qn 'proc:::exit /ppid == $target/ { @ends = count(); } END { printa("%@d", @ends); }' -c "$python $TMP/once.py"
is "once per process" "$out" 30

# the first thread of a process begins, too, and ends before it
d -qn 'proc:::create /pid == $target/ { mine[args[0]->pr_pid] = 1; }
	proc:::start, proc:::lwp-start, proc:::exec-success, proc:::lwp-exit, proc:::exit /mine[pid]/ { printf("%s ", probename); }' \
	-c "sh -c '/bin/true; :'"
is "a process from its start to its end" "$out" "start lwp-start exec-success lwp-exit exit "

# a program is executed once its call returns
d -qn 'proc:::exec-success, rawtp:::sched_process_exec /pid == $target/ { printf("%s;", probename); }' -c "sh -c 'exec cat /dev/null'"
like "exec-success" "$out" "*sched_process_exec;exec-success;*"

# signals that no handler is for are handled, too; the one that ends a process, by all of its threads
cat >"$TMP/default.py" <<'END'
import os, signal, threading
for i in range(3):
    threading.Thread(target=threading.Event().wait).start()
signal.signal(signal.SIGTERM, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGTERM)
END
d -qn 'proc:::signal-handle /pid == $target/ { @[args[0], args[2]] = count(); } END { printa("%d %d\n", @); }' -c "$python $TMP/default.py"
is "signals by default" "$out" "15 0"

# a fault, and the arguments of exit
d -q -n 'proc:::fault /pid == $target/ { printf("fault %d %d\n", args[0], args[1]->si_addr == 0); }
	proc:::exit /pid == $target/ { printf("exit %d %d\n", args[0], arg1); }' -c "sh -c 'kill -TERM \$\$'"
like "reason first" "$out" "*exit 2 15*"
d -q -x procexit=code -n 'proc:::exit /pid == $target/ { printf("%d %d", args[0], arg1); }' -c "sh -c 'exit 9'"
is "code first" "$out" "9 1"

# signals that are read from a file are cleared, one probe each
if [ -x "$python" ]; then
	cat >"$TMP/signalfd.py" <<'END'
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGUSR2])
mask = (ctypes.c_ulong * 16)(1 << (signal.SIGUSR1 - 1) | 1 << (signal.SIGUSR2 - 1))
fd = libc.signalfd(-1, mask, 0)
os.kill(os.getpid(), signal.SIGUSR2)
os.kill(os.getpid(), signal.SIGUSR1)
os.read(fd, 1024)
os.kill(os.getpid(), signal.SIGUSR1)
os.read(fd, 128)
END
	d -qn 'proc:::signal-clear /pid == $target/ { printf("%d ", args[0]); }' -c "$python $TMP/signalfd.py"
	ends 0 "signalfd"
	is "signals read from a file" "$out" "10 12 10 "
fi

# the target itself, for which the kernel keeps what is ignored until its tracer has seen it
d -qn 'proc:::signal-discard /pid == $target && args[2] != SIGCHLD/ { printf("discards %d\n", args[2]); }
	proc:::signal-send /pid == $target && args[2] != SIGCHLD/ { printf("sends %d\n", args[2]); }
	proc:::signal-handle /pid == $target && args[0] != SIGCHLD/ { printf("handles %d\n", args[0]); }' \
	-c "sh -c 'trap \"\" USR1; kill -USR1 \$\$; kill -WINCH \$\$; trap \"echo caught\" USR2; kill -USR2 \$\$'"
ends 0 "signals of the target"
is "signals of the target" "$(echo "$out" | grep -v caught)" "discards 10
discards 28
sends 12
handles 12"

# what a process has still when it ends, once each
d -qn 'proc:::module-load /pid == $target/ { @[args[0]] = sum(1); } proc:::module-unload /pid == $target/ { @[args[0]] = sum(-1); n++; }
	END { printf("%d\n", n > 1); }' -x imgexit -c "sh -c 'exec cat /dev/null'"
ends 0 "imgexit"
is "each that was loaded is unloaded: $out" "$(awk 'NF == 2 && $2 > 0' "$TMP/out")" ""
is "there are some" "$(head -1 "$TMP/out")" 1
d -qn 'proc:::module-unload /pid == $target/ { n++; } END { printf("%d", n); }' -c "sh -c 'exec cat /dev/null'"
is "not without -x imgexit" "$out" 0
finish
