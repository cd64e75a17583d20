# Calls by the numbers of 32-bit programs have the names of those, however they are seen.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
"$TARGETS/int80" 1 >/dev/null || skip "the kernel has no 32-bit system calls"

# of the numbers 64, 7 and 33 in the table of 64-bit programs: none is made
others='syscall::semget:entry, syscall::poll:entry, syscall::dup2:entry { @[probefunc] = count(); }'
calls='syscall::getppid:entry, syscall::waitpid:entry, syscall::access:entry { @[probefunc] = count(); }'
seen() { # seen WHAT: as many as there are; the loader makes one access()
	ends 0 "$1"
	is "$1" "$(counts "$TMP/out" | sort -u | tr '\n' ' ')" "access 4 access 5 getppid 4 waitpid 4 "
}

d -x evaltime=exec -qn "$calls $others" -c "$TARGETS/int80 4"
seen "counted"
d -x claim=off -x evaltime=exec -qn "$calls $others" -c "$TARGETS/int80 4"
seen "recorded"
d -x evaltime=exec -qn "$calls $others syscall::getppid:entry { @s[ustack(1)] = count(); }" -c "$TARGETS/int80 4"
ends 0 "with stacks"
d -qn 'syscall::access:entry /arg1 == 4/ { @[copyinstr(arg0)] = count(); }' -c "$TARGETS/int80 4"
is "what an argument leads to" "$(counts "$TMP/out" | grep nonexistent)" "/nonexistent 4"
d -x evaltime=exec -qn 'syscall::access:return /errno == 2/ { @["fails"] = count(); } syscall::waitpid:return /errno == 10/ { @["nobody"] = count(); }' \
	-c "$TARGETS/int80 4"
is "what they return" "$(counts "$TMP/out" | grep -v int80 | tr '\n' ' ')" "access 4 fails 5 getppid 4 nobody 4 waitpid 4 "

# stops, for a user without privileges
command -v setpriv >/dev/null || finish
cp "$TARGETS/int80" "$DTRACE" "$TMP/" && chmod 755 "$TMP" "$TMP/int80" "$TMP/dtrace"
setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/dtrace" -x evaltime=exec -qn "$calls $others" -c "$TMP/int80 4" >"$TMP/out" 2>"$TMP/err" </dev/null
status=$?
seen "seen by stops"
finish
