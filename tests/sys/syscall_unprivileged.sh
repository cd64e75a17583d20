# Without privileges the calls of the program and its children are seen by stops, exactly.
# needs: user
. tests/lib/lib.sh
need strace

d -x evaltime=exec -qo "$TMP/ours" -n 'syscall:::entry /probefunc != "exit_group"/ { @[probefunc] = count(); }' \
	-c "sh -c '/bin/true; /bin/ls / >/dev/null; (echo a; echo b)'"
ends 0 "counts"
strace -f -c -o "$TMP/strace" sh -c '/bin/true; /bin/ls / >/dev/null; (echo a; echo b)' >/dev/null 2>&1 </dev/null ||
	skip "strace cannot trace here"
awk '$NF != "total" && $4 ~ /^[0-9]+$/ { print $NF, $4 }' "$TMP/strace" | sort >"$TMP/theirs"
counts "$TMP/ours" >"$TMP/sorted"
diff "$TMP/sorted" "$TMP/theirs" >"$TMP/diff" || fail "ours < > strace's
$(cat "$TMP/diff")"

d -qn 'syscall::openat:entry { self->path = arg1; }
	syscall::openat:return /self->path && errno/ { printf("%s: %d %d\n", copyinstr(self->path), (int)arg0, errno); }' \
	-c 'sh -c "exec 3< /no/such/file"'
is "a failure" "$out" "/no/such/file: -2 2"

# with probes of the pid provider
d -qn 'pid$target:a.out:leaf:entry { @["leaf"] = count(); } syscall::write:entry { @["write"] = count(); }' -c "$TARGETS/t 3"
ends 0 "with pid"
like "both" "$out" "*write*[1-9]*leaf*4*"

# a process that runs already, and is left as it was
sleep 30 &
victim=$!
d -qn 'syscall:::entry { exit(0); } tick-200ms { exit(0); }' -p $victim
ends 0 "-p"
kill -0 $victim || fail "it was ended"
kill $victim
wait $victim 2>/dev/null

# the machine is not for this user
d -n 'syscall::read:entry { }'
ends 1 "the whole machine"
is "why" "$(echo "$err" | tail -1)" "dtrace: could not enable tracing: probe description syscall:vmlinux:read:entry: needs CAP_PERFMON (or root, or kernel.perf_event_paranoid <= -1)"
finish
