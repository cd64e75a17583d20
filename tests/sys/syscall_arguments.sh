# arg0 to arg5, args[], results, errno, and what pointers lead to, of calls of a program that has ended.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

d -lv -n 'syscall::openat:entry,syscall::read:return'
ends 0 "types"
like "of an entry" "$out" "*args\[0\]: int*args\[1\]: const char \**args\[2\]: int*args\[3\]: umode_t*"
like "of a return" "$out" "*args\[0\]: long*args\[1\]: long*"

d -qn 'syscall::openat:entry { self->path = arg1; }
	syscall::openat:return /self->path && errno/ { printf("%s: %d %d %d\n", copyinstr(self->path), arg0, (int)args[1], errno); }' \
	-c 'sh -c "exec 3< /no/such/file"'
ends 0 "a failure"
is "of openat" "$out" "/no/such/file: -2 -2 2"

d -qn 'syscall::write:entry /arg0 == 1/ { printf("%d %s", arg2, stringof(copyin(arg1, arg2))); }' \
	-c 'sh -c "echo one; /bin/echo from a child"' -o "$TMP/written"
is "what was written" "$(cat "$TMP/written")" "4 one
13 from a child"

# the program's own exec is seen: entry and return
d -x evaltime=exec -qn 'syscall::execve:entry { printf("%s\n", copyinstr(arg0)); } syscall::execve:return { printf("%s %d\n", execname, arg1); }' \
	-c "$TARGETS/t 1" -o "$TMP/exec"
is "the exec" "$(cat "$TMP/exec")" "$TARGETS/t
t 0"

# the kernel's word to itself that a call is to be made again is no error
python=$(command -v /usr/bin/python3 || command -v python3) || skip "no python3"
cat >"$TMP/restart.py" <<'END'
import signal
got = []
signal.signal(signal.SIGALRM, lambda *_: got.append(1))
signal.setitimer(signal.ITIMER_REAL, .01, .01)
while len(got) < 5: signal.pause()
END
d -qn 'syscall::pause:return { @[(int)arg0 <= -512, errno] = count(); } END { printa("%d %d\n", @); }' -c "$python $TMP/restart.py"
is "no errno of a restart" "$out" "1 0"

# a text in a page that only the call itself brings in, and that is gone when the record is read
if "$DTRACE" --doctor | grep -q '^BPF  *works'; then
	printf '/bin/true' >"$TMP/path"
	truncate -s 4096 "$TMP/path"
	d -qn 'syscall::openat:entry, syscall::execve:entry /execname == "untouched"/
		{ @[probefunc, copyinstr(probefunc == "openat" ? arg1 : arg0)] = count(); }
		END { printa("%s %s %@d\n", @); }' -c "$TARGETS/untouched $TMP/path 100" -o "$TMP/untouched"
	is "nothing is missing" "$err" ""
	is "of openat" "$(grep -c 'openat /bin/true 100' "$TMP/untouched")" 1
	is "of execve" "$(grep -c 'execve /bin/true 1$' "$TMP/untouched")" 1

	# what pointers in it lead to, of memory that is gone when the record is read
	d -qn 'syscall::execve:entry { a = (uintptr_t *)copyin(arg1, 16); e = (uintptr_t *)copyin(arg2, 8);
			printf("%s %s %s\n", copyinstr(a[0]), copyinstr(a[1]), copyinstr(e[0])); }' \
		-c 'env -i X=1 sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true number\$i; done"' -o "$TMP/argv"
	is "no fault" "$err" ""
	is "of argv and envp" "$(grep -c '^/bin/true number[0-9]* [A-Z]*=' "$TMP/argv")" 10
	cat >"$TMP/writev.py" <<'END'
import os
os.writev(1, [b"abc\0def", b"ghi"])
os._exit(0)
END
	d -qn 'syscall::writev:entry /arg0 == 1/ { v = (uintptr_t *)copyin(arg1, 32); tracemem(copyin(v[0], v[1]), 7); printf("%d %s\n", v[3],
			stringof(copyin(v[2], 3))); }' -c "$python $TMP/writev.py" -o "$TMP/writev"
	is "no fault of iovec" "$err" ""
	like "of iovec" "$(tr '\0' ' ' <"$TMP/writev")" "*61 62 63 00 64 65 66*3 ghi*"

	# a page further on that was not there when the call was made: a fault that names it, and no other value
	printf '/bin/true\0fresh\0' >"$TMP/fresh"
	cat >"$TMP/fresh.py" <<'END'
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
page = libc.mmap(None, 4096, 1, 2, os.open(sys.argv[1], os.O_RDONLY), ctypes.c_long(0))
print("%x" % page, flush=True)
libc.execve(b"/bin/true", (ctypes.c_void_p * 3)(page, page + 10, None), None)
END
	d -qn 'syscall::execve:entry /pid == $target && arg2 == 0/ {
			a = (uintptr_t *)copyin(arg1, 16); printf("read %s\n", copyinstr(a[1])); }
		ERROR { printf("fault %d %x\n", arg4, arg5 - 10); }' -c "$python $TMP/fresh.py $TMP/fresh"
	page=$(echo "$out" | grep -x '[0-9a-f][0-9a-f]*' | head -1)
	case $out in
	*"read fresh"*) ;;
	*) like "a page that is missing" "$out" "*fault 1 $page*" ;;
	esac
fi
# what the program points to is captured by programs of its own: for nobody who reads the kernel's memory alone
programs() { # programs CONDITION: how many are loaded
	d -qn "syscall::access:entry /$1/ { trace(1); }" -c 'sh -c "ls -l /proc/$PPID/fd | grep -c bpf-prog"'
	echo "$out" | head -1
}
is "curthread alone" "$(programs 'stringof(curthread->comm) == "x"')" "$(programs 'curthread->pid == 0')"
is "and text of the program" "$(programs 'copyinstr(curthread->mm->arg_start) == "x"')" $(($(programs 'curthread->pid == 0') + 2))
finish
