# What Yama forbids is told by its value: by --doctor, by -p and by -c. The kernel here has no Yama, or another
# value: the file that says it is a stand-in, and a filter refuses what Yama would.
# needs: root
. tests/lib/lib.sh

need cc setpriv unshare
victim=
trap '[ -z "$victim" ] || kill -9 "$victim"' EXIT
# deny PROGRAM ARG...: it may trace nobody
cat >"$TMP/deny.c" <<'EOF'
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, INT_MAX, 1, 0), /* nobody: no filter would know that */
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = {sizeof(f) / sizeof(*f), f};

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &p))
		return 77;
	execv(argv[1], argv + 1);
	return 77;
}
EOF
cc -o "$TMP/deny" "$TMP/deny.c" || skip "cannot build"
mkdir -p "$TMP/kernel/yama"
cp /proc/sys/kernel/perf_event_paranoid "$TMP/kernel/"
cp "$DTRACE" "$TMP/dtrace"
chmod -R go+rX "$TMP"
unshare -m mount --bind "$TMP/kernel" /proc/sys/kernel 2>/dev/null || skip "no mount namespaces here"

nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
$nobody "$TMP/dtrace" -qn 'BEGIN { exit(0); }' 2>/dev/null || skip "nobody cannot run programs here"
with() { # with SCOPE COMMAND...: under that value; what it says is in $said
	echo "$1" >"$TMP/kernel/yama/ptrace_scope"
	shift
	said=$(unshare -m sh -c "mount --bind '$TMP/kernel' /proc/sys/kernel && exec \"\$@\"" - "$@" 2>&1 </dev/null)
}
rows() { # rows SCOPE WHO PTRACE YAMA: two rows of --doctor; WHO may be nobody
	who=
	[ "$2" = root ] || who=$nobody
	# shellcheck disable=SC2086
	with "$1" $who "$TMP/dtrace" --doctor
	like "$2, $1" "$(echo "$said" | grep -E '^(ptrace|Yama) ' | tr '\n' '|' | tr -s ' ')" "ptrace $3|Yama $4|"
}

all='works -c and -p, on processes of all users'
case $("$DTRACE" --doctor | tr -s ' ') in *'user namespace'*) all='limited *user namespace' ;; esac
# without CAP_SYS_PTRACE, which root may lack in a container
case $("$DTRACE" --doctor | tr -s ' ') in *"$all"*) ;; *) skip "root may not trace here" ;; esac

rows 0 root "$all" 'works kernel.yama.ptrace_scope is 0'
rows 1 root "$all" 'works kernel.yama.ptrace_scope is 1'
rows 2 root "$all" 'works kernel.yama.ptrace_scope is 2'
off='missing kernel.yama.ptrace_scope is 3: tracing is off until the next boot with another value'
rows 3 root "$all" "$off"
rows 0 nobody 'works -c and -p, on your own processes; for those of others run as root' \
	'works kernel.yama.ptrace_scope is 0'
rows 1 nobody 'limited -c; for -p see Yama' \
	'limited kernel.yama.ptrace_scope is 1: -c works, -p needs root or sysctl kernel.yama.ptrace_scope=0'
rows 2 nobody '*' \
	'missing kernel.yama.ptrace_scope is 2: run as root, or sysctl kernel.yama.ptrace_scope=0'
rows 3 nobody '*' "$off"

refused() { # refused SCOPE WHY: -p of a process of one's own
	# shellcheck disable=SC2086
	with "$1" $nobody "$TMP/deny" "$TMP/dtrace" -qn 'BEGIN { exit(0); }' -p "$victim"
	is "-p, $1" "$said" "dtrace: failed to grab pid $victim: $2"
}
$nobody sleep 100 &
victim=$!
tries=0
until [ "$(cat /proc/$victim/comm 2>/dev/null)" = sleep ] || [ $tries -gt 500 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
module="the kernel forbids tracing process $victim: a security module"
set_it="set sysctl kernel.yama.ptrace_scope=0"
refused 0 "$module"
refused 1 "kernel.yama.ptrace_scope is 1, which forbids tracing process $victim: run as root, start the program with -c, or $set_it"
refused 2 "kernel.yama.ptrace_scope is 2, which forbids tracing process $victim: run as root, or $set_it"
refused 3 "tracing is switched off until the next boot: kernel.yama.ptrace_scope is 3"

untraced() { # untraced SCOPE WHY: a program of -c runs all the same
	# shellcheck disable=SC2086
	with "$1" $nobody "$TMP/deny" "$TMP/dtrace" -qn 'BEGIN { printf("here\n"); }' -c true
	like "-c, $1" "$said" "dtrace: -c runs without pid and fpid probes: $2*here*"
}
untraced 1 "the kernel forbids tracing process *: a security module" # Yama leaves us our children
untraced 2 "kernel.yama.ptrace_scope is 2, which forbids tracing process *: run as root, or $set_it"
untraced 3 "tracing is switched off until the next boot: kernel.yama.ptrace_scope is 3"
finish
