# -E IN -o OUT.data: perf's own tools read what is written, with the counts of what it was made of; of every kind of recording.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf gcc awk python3
PERF_BUILDID_DIR=$TMP/debug
export PERF_BUILDID_DIR

cat >"$TMP/work.c" <<'END_C'
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) int burns(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }
int main(void)
{
	for (int i = 0; i < 300; i++) syscall(SYS_getppid);
	for (int i = 0; i < 30; i++) burns(1000000);
	for (int i = 0; i < 5; i++) if (fork() == 0) { execl(TRUE, "true", (char *)0); _exit(1); } else wait(0);
	return 0;
}
END_C
cp /bin/true "$TMP/tr$$"
gcc -O1 -fno-omit-frame-pointer -DTRUE="\"$TMP/tr$$\"" -o "$TMP/work" "$TMP/work.c" || fail "no program"

record() { # record NAME OPTIONS...: a recording of the program
	name=$1
	shift
	perf record -o "$TMP/$name.data" "$@" -- "$TMP/work" >"$TMP/why" 2>&1 || fail "perf record $*: $(cat "$TMP/why")"
}
# all that perf has to say of each event: which may stand in another order where times are equal
lines() {
	perf script -i "$1" --ns -F +pid 2>/dev/null | awk '/^\t/ { line = line "|" $0; next } NF { print line; line = $0 } END { print line }' | sort >"$TMP/lines"
	[ "$(wc -l <"$TMP/lines")" -ge 20 ] || fail "$1: perf script has no events"
	cat "$TMP/lines"
}
by_event() {
	perf script -i "$1" -F event 2>/dev/null | awk 'NF { sub(":$", "", $NF); n[$NF]++ } END { for (e in n) print e, n[e] }' | sort
}
# as many events of each process as perf has
agrees() { # agrees NAME
	perf script -i "$TMP/$1.data" -F pid,event 2>/dev/null | awk 'NF > 1 { sub(":$", "", $2); n[$1 " " $2]++ } END { for (e in n) print e, n[e] }' | sort >"$TMP/theirs"
	"$DTRACE" -qE "$TMP/$1.data" -x fields=pid,event 2>/dev/null | awk '{ n[$1 " " $2]++ } END { for (e in n) print e, n[e] }' | sort >"$TMP/ours"
	[ -s "$TMP/theirs" ] || fail "$1: perf script has no events"
	is "$1: events by process" "$(cat "$TMP/ours")" "$(cat "$TMP/theirs")"
}
copies() { # copies NAME: records are equal, byte for byte, and perf says the same
	agrees "$1"
	"$DTRACE" -qE "$TMP/$1.data" -o "$TMP/$1.copy.data" 2>"$TMP/said"
	case "$? $(cat "$TMP/said")" in
	"0 " | "1 "*later\ than\ younger\ ones*) ;;
	*) fail "$1: $(cat "$TMP/said")" ;;
	esac
	python3 tests/tools/records.py "$TMP/$1.data" >"$TMP/one" || fail "$1: not read"
	python3 tests/tools/records.py "$TMP/$1.copy.data" >"$TMP/two" || fail "$1: the copy is not whole"
	[ "$(sort "$TMP/one" | cksum)" = "$(sort "$TMP/two" | cksum)" ] || fail "$1: other records"
	is "$1: perf script" "$(lines "$TMP/$1.copy.data" | cksum)" "$(lines "$TMP/$1.data" | cksum)"
	is "$1: perf evlist" "$(perf evlist -v -i "$TMP/$1.copy.data" 2>&1)" "$(perf evlist -v -i "$TMP/$1.data" 2>&1)"
}

record one -e cpu-clock
copies one
record three -a -g -e sched:sched_switch,raw_syscalls:sys_enter -e cpu-clock
copies three
record dwarf --call-graph dwarf,65528 -e cpu-clock
copies dwarf
record build_ids --buildid-mmap -e cpu-clock
copies build_ids
record side --switch-events --namespaces --all-cgroups -e cpu-clock
copies side
record mono -k mono -e sched:sched_switch -e cpu-clock
copies mono
record small -m 1 -a -e raw_syscalls:sys_enter
copies small
record packed -z -a -e sched:sched_switch -e raw_syscalls:sys_enter
"$DTRACE" -qE "$TMP/packed.data" -o "$TMP/packed.copy.data" 2>/dev/null
is "compressed" "$(lines "$TMP/packed.copy.data" | cksum)" "$(lines "$TMP/packed.data" | cksum)"
agrees packed
record group -e '{task-clock,page-faults}:S'
agrees() { :; } # members of groups are samples to perf alone: trace_file_groups.sh
copies group
perf record -o - -e sched:sched_switch -e cpu-clock -- "$TMP/work" 2>/dev/null >"$TMP/pipe"
"$DTRACE" -qE - -o "$TMP/piped.data" <"$TMP/pipe" || fail "a pipe"
is "a pipe" "$(by_event "$TMP/piped.data")" "$(by_event - <"$TMP/pipe")"

# ---- others read it, too ----
head=$(perf script -i "$TMP/three.copy.data" --header-only 2>/dev/null)
like "what it says of the machine" "$head" "*# hostname : $(uname -n)*# os release : $(uname -r)*# cmdline : *perf record*"
is "perf report" "$(perf report -i "$TMP/three.copy.data" --stdio -g none --comm work 2>/dev/null | grep -v '^#')" "$(perf report -i "$TMP/three.data" --stdio -g none --comm work 2>/dev/null | grep -v '^#')"
perf inject -b -i "$TMP/three.copy.data" -o "$TMP/injected.data" 2>"$TMP/why" || fail "perf inject: $(cat "$TMP/why")"
is "perf inject" "$(by_event "$TMP/injected.data")" "$(by_event "$TMP/three.data")"
perf diff "$TMP/three.data" "$TMP/three.copy.data" >/dev/null 2>"$TMP/why" || fail "perf diff: $(cat "$TMP/why")"

# ---- several as one ----
record other -k mono -e cpu-clock
"$DTRACE" -qE "$TMP/mono.data,$TMP/other.data" -o "$TMP/both.data" 2>"$TMP/why" || fail "two: $(cat "$TMP/why")"
samples() { # whose time they were at, and of what
	perf script -i "$1" --ns -F comm,tid,time,event,ip,sym 2>/dev/null | awk 'NF { $1 = $1; print }'
}
samples "$TMP/both.data" | sort >"$TMP/one"
{ samples "$TMP/mono.data"; samples "$TMP/other.data"; } | sort >"$TMP/two"
[ "$(wc -l <"$TMP/one")" -ge 50 ] || fail "two: $(wc -l <"$TMP/one") events"
is "two: perf script" "$(cksum <"$TMP/one")" "$(cksum <"$TMP/two")"

# ---- changes ----
d -qE "$TMP/three.data" -o "$TMP/changed.data" -n '
	linux-raw_syscalls:::sys_enter /args[0]->id != 110/ { drop(); }
	linux-raw_syscalls:::sys_enter /execname == "work" && args[0]->id == 110/ { args[0]->id = 102; reparent("mine:asks"); n++; }
	linux-sched:::sched_switch /args[0]->prev_comm == "work"/ { args[0]->prev_comm = "worker"; execname = "worker"; emit("off", pid, stringof(args[0]->next_comm)); s++; }
	END { printf("%d %d", n, s); }'
n=${out% *} s=${out#* }
is "it has made its calls" "$n" 300
perf script -i "$TMP/changed.data" -F comm,event,trace >"$TMP/script" 2>/dev/null
is "perf script: calls that are of another event" "$(grep -c 'work *mine:asks: NR 102 ' "$TMP/script")" "$n"
is "perf script: a field and a name" "$(grep -c 'worker *sched:sched_switch: prev_comm=worker ' "$TMP/script")" "$s"
is "perf script: what was emitted" "$(grep -c 'worker *dtrace:emit_off: emit:::off pid=[0-9]* ' "$TMP/script")" "$s"
is "perf script: nothing else is missing" "$(by_event "$TMP/changed.data" | grep -v 'sys_enter\|mine\|dtrace')" "$(by_event "$TMP/three.data" | grep -v sys_enter)"
is "perf evlist" "$(perf evlist -i "$TMP/changed.data" 2>/dev/null | grep -v '^#\|dummy' | sort | tr '\n' ' ')" "cpu-clock dtrace:emit_off mine:asks raw_syscalls:sys_enter sched:sched_switch "
d -qE "$TMP/changed.data" -n 'linux-mine:::asks /args[0]->id == 102/ { n++; } emit:::off { s++; } sched:::off-cpu /execname == "worker"/ { w++; } END { printf("%d %d %d", n, s, w); }'
is "ours" "$out" "$n $s $s"
d -qE "$TMP/one.data" -o "$TMP/tagged.data" -n 'profile-97 { emit("sampled", arg0); n++; } END { printf("%d", n); }'
is "a file whose records do not say of what event they are" "$(by_event "$TMP/tagged.data")" "$(by_event "$TMP/one.data")
dtrace:emit_sampled $out"
d -qE "$TMP/dwarf.data" -o "$TMP/tags.data" -n 'profile-97 { emit("sampled", arg0); n++; } END { printf("%d", n); }'
is "stacks of 64 KiB" "$(by_event "$TMP/tags.data")" "$(by_event "$TMP/dwarf.data")
dtrace:emit_sampled $out"
stacks() {
	perf script -i "$1" -F comm,event,ip,sym 2>/dev/null | awk '/^\t/ { line = line "|" $0; next } NF { print line; line = $0 } END { print line }' | grep cpu-clock | sed 's/: *|/:|/; s/  *cpu/ cpu/' | sort
}
is "stacks of 64 KiB: as they were" "$(stacks "$TMP/tags.data" | cksum)" "$(stacks "$TMP/dwarf.data" | cksum)"

# ---- a mapping that nobody has told of: code that the program has written somewhere itself ----
cat >"$TMP/plugin.c" <<'END_C'
__attribute__((noipa)) int plugin_work(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }
END_C
cat >"$TMP/loads.c" <<'END_C'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) /* FILE OFFSET: the loader of a program that reads its code as data */
{
	int fd = open(argv[1], O_RDONLY);
	struct stat st;
	fstat(fd, &st);
	char *at = mmap(0, st.st_size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (read(fd, at, st.st_size) != st.st_size) return 1;
	for (int i = 0; i < 100; i++) ((int (*)(int))(at + strtoul(argv[2], 0, 16)))(1000000);
	printf("%p %d\n", at, getpid());
	return argc != 3;
}
END_C
gcc -O1 -shared -fPIC -nostdlib -Wl,--build-id -Wl,-z,noseparate-code -o "$TMP/plugin.so" "$TMP/plugin.c" && gcc -O1 -o "$TMP/loads" "$TMP/loads.c" || fail "no plugin"
perf record -e cpu-clock -F 1000 -o "$TMP/loads.data" -- "$TMP/loads" "$TMP/plugin.so" "$(readelf -sW "$TMP/plugin.so" | awk '$8 == "plugin_work" { print $2; exit }')" >"$TMP/told" 2>"$TMP/why" || fail "loads: $(cat "$TMP/why")"
read -r base pid <"$TMP/told"
grep -q plugin_work <<-END && fail "its name is known before"
	$(perf script -i "$TMP/loads.data" -F ip,sym 2>/dev/null)
END
"$DTRACE" -qE "$TMP/loads.data" -o "$TMP/named.data" -x addmap="$TMP/plugin.so@$base,$pid" || fail "addmap"
like "perf report" "$(perf report -i "$TMP/named.data" --stdio 2>/dev/null)" "*loads *plugin.so *[[].[]] plugin_work*"
n=$(perf script -i "$TMP/named.data" -F ip,sym 2>/dev/null | grep -c plugin_work)
[ "$n" -ge 10 ] || fail "perf script knows the name $n times"
d -qE "$TMP/named.data" -n 'profile-97 { @[usym(arg1)] = count(); }'
is "ours knows it as often" "$(echo "$out" | awk '/plugin_work/ { print $2 }')" "$n"
finish
