# Each event of each kind of recording has the stack that perf script has for it: no chains, frame pointers, DWARF, one thread and the
# whole machine, probes in programs, switches, groups, lost records, compressed, a pipe, several files.
# needs: root
# timeout: 200
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf gcc python3
PERF_BUILDID_DIR=$TMP/debug
export PERF_BUILDID_DIR

cat >"$TMP/load.c" <<'END_C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) int burns(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }
__attribute__((noipa)) int outer(int n) { int r = burns(n); return r + 1; }
__attribute__((noipa)) int deep(int n) { int r = n ? deep(n - 1) : (int)syscall(SYS_getppid); return r + 1; }
__attribute__((noipa)) int grows(int n) { char *p = malloc(200000 * (1 + n % 3)); memset(p, 1, 200000); if (n % 2) free(p); return sbrk(4096 * (n % 5)) != 0; }
static void *thread(void *arg) { for (int i = 0; i < 30; i++) { syscall(SYS_gettid); usleep(300); outer(100000); } return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	for (int i = 0; i < 40; i++) { deep(i); outer(1000000); grows(i); }
	for (int i = 0; i < 3; i++) if (fork() == 0) { outer(100000); _exit(1); } else wait(0);
	for (int i = 0; i < 20; i++) if (fork() == 0) { execl("/bin/true", "true", (char *)0); _exit(1); } else wait(0);
	pthread_join(t, 0);
	return 0;
}
END_C
name=st$$
gcc -g -O1 -fno-omit-frame-pointer -o "$TMP/$name" "$TMP/load.c" -lpthread || fail "no program"
record() { # record OPTIONS...
	perf record -q -o "$TMP/x.data" "$@" -- "$TMP/$name" >"$TMP/why" 2>&1
}
agrees() { # agrees WHAT FILES HOW PROBE=EVENT...: each event has the stack that perf script has for it
	what=$1 files=$2 how=$3
	shift 3
	script=
	for of; do
		script="$script ${of%%=*} { printf(\"= ${of#*=} %d/%d %d\\n\", pid, tid, timestamp); stack(127); printf(\"user\\n\"); ustack(127); }"
	done
	"$DTRACE" -qE "$files" -x bufsize=64m -x ustackframes=127 -n "$script" >"$TMP/ours" 2>"$TMP/why"
	list=$(echo "$files" | tr , ' ')
	# shellcheck disable=SC2086
	python3 tests/tools/stacks.py "$TMP/ours" "$how" $list >"$TMP/compared"
	case $(tail -1 "$TMP/compared") in
	equal*) ;;
	*) fail "$what: $(cat "$TMP/why" "$TMP/compared")" ;;
	esac
}
frames() { # frames FUNCTION: what calls it, innermost first, in each user stack of the program's that begins there
	awk -v top="$name\`$1+0x" -v name="$name\`" '
		function ends() { if (chain != "") n[chain]++; chain = "" }
		/^= / { ends(); is_user = is_meant = 0; next }
		/^user$/ { is_user = 1; next }
		is_user == 1 && NF { is_meant = index($1, top) == 1; is_user = 2 }
		is_meant && index($1, name) == 1 { sub(name, "", $1); sub("[+]0x.*", "", $1); chain = chain $1 " " }
		END { ends(); for (chain in n) print chain }' "$TMP/ours"
}

record -e cpu-clock -F 2000 || skip "perf record: $(cat "$TMP/why")"
agrees "no chains" "$TMP/x.data" - profile-97=cpu-clock
record -e sched:sched_switch,raw_syscalls:sys_enter,cpu-clock
agrees "several events" "$TMP/x.data" - linux-sched:::sched_switch=sched:sched_switch linux-raw_syscalls:::sys_enter=raw_syscalls:sys_enter profile-97=cpu-clock
record -g -e cpu-clock -F 2000
agrees "frame pointers" "$TMP/x.data" - profile-97=cpu-clock
record -g -k mono -e cpu-clock -F 2000
cp "$TMP/x.data" "$TMP/second.data"
agrees "-k mono" "$TMP/x.data" - profile-97=cpu-clock
record -g -k mono -e raw_syscalls:sys_enter
agrees "several files" "$TMP/x.data,$TMP/second.data" - linux-raw_syscalls:::sys_enter=raw_syscalls:sys_enter profile-97=cpu-clock
# where libdw gives up and goes on by frame pointers it leaves callers out: what is called by whom the program itself says
record --call-graph dwarf,8192 -e cpu-clock -F 1000
agrees "DWARF" "$TMP/x.data" dwarf profile-97=cpu-clock
frames burns >"$TMP/chains"
grep -q '^burns outer main _start $' "$TMP/chains" || fail "DWARF: no callers: $(cat "$TMP/chains")"
is "DWARF: other callers" "$(grep -vxE 'burns outer (main _start|thread) ' "$TMP/chains")" ""
record --per-thread -g -e cpu-clock -F 2000
agrees "one thread" "$TMP/x.data" - profile-97=cpu-clock
record --buildid-mmap -g -e cpu-clock -F 2000
agrees "build-ids in mappings" "$TMP/x.data" - profile-97=cpu-clock
record -a -g -e sched:sched_switch -e raw_syscalls:sys_enter -e cpu-clock
agrees "the whole machine" "$TMP/x.data" - linux-sched:::sched_switch=sched:sched_switch linux-raw_syscalls:::sys_enter=raw_syscalls:sys_enter profile-97=cpu-clock
record --switch-events --namespaces --all-cgroups -g -e page-faults -c 1
agrees "faults, and what tells of switches" "$TMP/x.data" - pmc:::page-faults=page-faults
record -g -e '{cpu-clock,page-faults}:S'
agrees "a group" "$TMP/x.data" - profile-97=cpu-clock
record -g -e syscalls:sys_enter_brk,syscalls:sys_exit_brk
agrees "brk()" "$TMP/x.data" - linux-syscalls:::sys_enter_brk=syscalls:sys_enter_brk linux-syscalls:::sys_exit_brk=syscalls:sys_exit_brk
record -m 1 -g -e 'sched:*,raw_syscalls:*'
agrees "records that are lost" "$TMP/x.data" - linux-sched:::sched_switch=sched:sched_switch linux-sched:::sched_wakeup=sched:sched_wakeup linux-raw_syscalls:::sys_enter=raw_syscalls:sys_enter
record -z -g -e sched:sched_switch,raw_syscalls:sys_enter
agrees "compressed" "$TMP/x.data" - linux-sched:::sched_switch=sched:sched_switch linux-raw_syscalls:::sys_enter=raw_syscalls:sys_enter
if perf probe -q -x "$TMP/$name" "$name=outer" >/dev/null 2>&1; then
	group=$(perf probe -l 2>/dev/null | sed -n "s/^ *\\([^ :]*\\):$name .*/\\1/p" | head -1)
	record -g -e "$group:$name"
	perf probe -q -d "$group:$name" >/dev/null 2>&1
	agrees "a probe in the program" "$TMP/x.data" - "linux-$group:::$name=$group:$name"
	is "each call of it" "$(grep -c '^= ' "$TMP/ours")" 73
else
	echo "SKIP: perf probe -x does not work here"
fi
perf record -o - -g -e cpu-clock -F 2000 -- "$TMP/$name" >"$TMP/x.data" 2>/dev/null
agrees "a pipe" "$TMP/x.data" - profile-97=cpu-clock
if record --call-graph lbr -e cycles; then
	agrees "branches of the processor" "$TMP/x.data" - profile-97=cycles
else
	echo "SKIP: this processor does not tell its branches (--call-graph lbr)"
fi
finish
