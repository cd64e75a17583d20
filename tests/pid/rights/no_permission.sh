# Who may not trace is told why: a filter of system calls, a program that cannot be read, a process that
# has made itself undumpable, another user's, another user namespace, capabilities. A program of -c runs all the
# same under what needs no ptrace.
# timeout: 60
. tests/lib/lib.sh

need cc setpriv
victim=
trap '[ -z "$victim" ] || kill -9 "$victim"' EXIT
cat >"$TMP/filter.c" <<'EOF'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argc > 2 && argv[1][0] == 'y' ? SYS_ptrace : SYS_reboot, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = {4, f};

	if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &p))
		return 77;
	execv(argv[2], argv + 2);
	return 77;
}
EOF
cat >"$TMP/hidden.c" <<'EOF'
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void)
{
	prctl(PR_SET_DUMPABLE, 0);
	puts("ready");
	fflush(stdout);
	sleep(50);
	return 0;
}
EOF
cc -o "$TMP/filter" "$TMP/filter.c" && cc -o "$TMP/hidden" "$TMP/hidden.c" || skip "cannot build"
chmod -R go+rX "$TMP"

says() { # says WHAT MESSAGE COMMAND...
	what=$1 want=$2
	shift 2
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	is "$what: status" $? 1
	like "$what" "$(cat "$TMP/err")" "dtrace: $want"
}
victims() { # victims COMMAND...: it says ready
	[ -z "$victim" ] || kill -9 "$victim"
	rm -f "$TMP/said"
	"$@" >"$TMP/said" &
	victim=$!
	tries=0
	until grep -q ready "$TMP/said" 2>/dev/null || [ $tries -gt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
}

# filtered, but not this call
"$TMP/filter" no "$DTRACE" -qn 'pid$target:a.out:leaf:entry { exit(0); }' -c "$TARGETS/t 1" >/dev/null 2>"$TMP/err" ||
	fail "a filter that allows it: $(cat "$TMP/err")"
forbids='a seccomp filter forbids ptrace here: in a container, run it with --cap-add SYS_PTRACE'
says "pid under a filter" "invalid probe specifier *: failed to grab process *: $forbids" \
	"$TMP/filter" yes "$DTRACE" -qn 'pid$target:a.out:leaf:entry { }' -c "$TARGETS/t 1"
is "pid under a filter: the program" "$(cat "$TMP/out")" ""
untraced() { # untraced STATUS ARGS...: a run under the filter; its streams are in $out and $err
	want=$1
	shift
	"$TMP/filter" yes "$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	is "$* under a filter: status" $? "$want"
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}
"$TMP/filter" yes "$DTRACE" --doctor >"$TMP/out" 2>&1
like "the doctor" "$(grep '^ptrace' "$TMP/out")" "ptrace *missing *$forbids; -c runs its command all the same, *"
untraced 0 -qn 'BEGIN { printf("%d\n", $target); }' -c 'sh -c "echo \$\$"'
is "it runs" "$(printf '%s\n' "$out" | uniq -c | awk '{ print $1 }')" 2
is "one line says what it runs without" "$err" "dtrace: -c runs without pid and fpid probes: $forbids"
untraced 0 -n 'tick-10ms { exit(0); }' -c 'sleep 100'
[ -z "$(grep -lsx sleep /proc/[0-9]*/comm | xargs -r -n1 dirname | xargs -rI{} grep -sl "$TMP" {}/environ)" ] || fail "exit() leaves the program"
untraced 0 -n 'BEGIN { }' -c 'sh -c "exit 3"'
like "its status" "$err" "*
dtrace: pid * exited with status 3"
untraced 0 -n 'BEGIN { }' -c 'sh -c "kill -TERM \$\$"'
like "its signal" "$err" "*
dtrace: pid * terminated by SIGTERM"
untraced 1 -qn 'BEGIN { printf("begun"); }' -c /nonexistent
is "no program" "$out$err" "dtrace: failed to execute /nonexistent: No such file or directory"
untraced 1 -qn 'BEGIN { }' -c "$0"
is "not a program" "$err" "dtrace: failed to execute $0: Permission denied"
echo nothing >"$TMP/empty"
chmod 755 "$TMP/empty"
untraced 1 -qn 'BEGIN { }' -c "$TMP/empty"
like "no format" "$err" "*dtrace: failed to execute $TMP/empty: Exec format error"
if [ "$(id -u)" = 0 ]; then
	untraced 0 -qn 'syscall::execve:entry,syscall::getuid:return,syscall::exit_group:entry /pid == $target/ {
		@[probefunc, probename] = count(); } END { printa("%s %s %@d\n", @); }' -c 'id -ru'
	is "its system calls" "$(printf '%s\n' "$out" | grep ' ' | sort | grep -v getuid)" "execve entry 1
exit_group entry 1"
	untraced 0 -qn 'profile-997 /pid == $target && arg1/ { @ = count(); } END { printa("%@d samples\n", @); }' \
		-c "$TARGETS/t 3000000"
	like "samples of it" "$out" "*[1-9]* samples*"
	untraced 0 -qn 'profile-997 /pid == $target && arg1/ { @[ustack(1)] = count(); @n = count(); }
		fpid$target:a.out:main:entry { } END { printa("%@d samples\n", @n); }' -c "$TARGETS/t 3000000"
	like "samples of one with hooks" "$out" "*[1-9]* samples*"
else
	untraced 1 -qn 'syscall:::entry { }' -c true
	like "its system calls" "$err" "dtrace: could not enable tracing: *needs CAP_PERFMON*"
fi
victims sh -c 'echo ready; exec sleep 50'
says "-p under a filter" "failed to grab pid $victim: a seccomp filter forbids ptrace here: *" \
	"$TMP/filter" yes "$DTRACE" -qn 'BEGIN { }' -p "$victim"
as_user=
if [ "$(id -u)" = 0 ]; then
	as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
	says "capabilities" "failed to grab pid $victim: process $victim has capabilities that dtrace has not: tracing it needs CAP_SYS_PTRACE" \
		setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace "$DTRACE" -qn 'BEGIN { }' -p "$victim"
	$as_user test -x "$DTRACE" -a -x "$TMP/hidden" || skip "other users cannot run it here"
	# shellcheck disable=SC2086
	says "another's" "failed to grab pid $victim: process $victim belongs to user 0: tracing it needs root or CAP_SYS_PTRACE" \
		$as_user "$DTRACE" -qn 'BEGIN { }' -p "$victim"
fi
if unshare -Ur true 2>/dev/null; then
	says "a user namespace" "failed to grab pid $victim: process $victim lives in another user namespace than dtrace: *" \
		unshare -Ur "$DTRACE" -qn 'BEGIN { }' -p "$victim"
fi
# shellcheck disable=SC2086
victims $as_user "$TMP/hidden"
# shellcheck disable=SC2086
says "undumpable" "failed to grab pid $victim: process $victim may not be inspected (a set-id program, *" \
	$as_user "$DTRACE" -qn 'BEGIN { }' -p "$victim"
cp "$TARGETS/t" "$TMP/unreadable"
chmod 111 "$TMP/unreadable"
# shellcheck disable=SC2086
says "a program that cannot be read" "invalid probe specifier *: failed to grab process *: its memory may not be looked at: *" \
	$as_user "$DTRACE" -qn 'pid$target:a.out:leaf:entry { }' -c "$TMP/unreadable 1"
finish
