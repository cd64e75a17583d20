# -E with a new file: perf's own tools read what is written, and find in it what the programs have done.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf gcc awk
PERF_BUILDID_DIR=$TMP/debug
export PERF_BUILDID_DIR

cat >"$TMP/load.c" <<'END_C'
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) int burns(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }
static void *thread(void *arg) { for (int i = 0; i < 50; i++) syscall(SYS_gettid); return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	for (int i = 0; i < 300; i++) syscall(SYS_getppid);
	for (int i = 0; i < 60; i++) burns(1000000);
	for (int i = 0; i < 5; i++) if (fork() == 0) { execl(TRUE, "true", (char *)0); _exit(1); } else wait(0);
	pthread_join(t, 0);
	return 0;
}
END_C
cp /bin/true "$TMP/tr$$" # a name that nobody else's program has
gcc -O1 -fno-omit-frame-pointer -DTRUE="\"$TMP/tr$$\"" -o "$TMP/load" "$TMP/load.c" -lpthread || fail "no program"
file=$TMP/new.data
by_event() { # by_event FILE: how many of each
	perf script -i "$1" -F event 2>/dev/null | awk '{ sub(":$", "", $NF); n[$NF]++ } END { for (e in n) print e, n[e] }' | sort
}

d -E "$file" -n 'linux-sched:::sched_switch, syscall:::entry, syscall:::return, profile-997, proc:::exec-success { }' -c "$TMP/load"
ends 0 "logging"
like "what is said" "$err" "*events are logged to $file; clauses of frequent ones run when it is read, or now as well with -g*events are in $file, * bytes*"
is "whose it is" "$(stat -c '%a %u' "$file")" "600 0"
total=$(echo "$err" | sed -n 's/^dtrace: \([0-9]*\) events are in .*/\1/p')

perf script -i "$file" --show-task-events --show-mmap-events >"$TMP/script" 2>"$TMP/why" || fail "perf script: $(cat "$TMP/why")"
is "all that has been written" "$(by_event "$file" | awk '{ n += $2 } END { print n }')" "$total"
is "the events" "$(by_event "$file" | awk '{ print $1 }' | tr '\n' ' ')" "cpu-clock raw_syscalls:sys_enter raw_syscalls:sys_exit sched:sched_switch "
is "getppid is 110, gettid 186" "$(perf script -i "$file" -F comm,event,trace 2>/dev/null | awk '$1 == "load" && /sys_enter/ { n[$4]++ } END { print n[110], n[186] }')" "300 50"
is "programs" "$(grep -c "PERF_RECORD_COMM exec: tr$$:" "$TMP/script")" 5
[ "$(grep -c 'PERF_RECORD_FORK' "$TMP/script")" -ge 6 ] || fail "no processes: $(grep -c PERF_RECORD_FORK "$TMP/script")"
grep -q "PERF_RECORD_MMAP2.*r-xp .*/libc" "$TMP/script" || fail "no mappings"
like "where it has burnt its time" "$(perf report -i "$file" --stdio --comm load 2>/dev/null)" "*load *[[]*[]] burns*"
is "evlist" "$(perf evlist -i "$file" 2>/dev/null | grep -v '^#' | sort -u | tr '\n' ' ')" "cpu-clock dummy raw_syscalls:sys_enter raw_syscalls:sys_exit sched:sched_switch "
header=$(perf script -i "$file" --header-only 2>/dev/null)
like "the machine" "$header" "*# hostname : $(uname -n)*# os release : $(uname -r)*# arch : x86_64*# nrcpus online : $(getconf _NPROCESSORS_ONLN)*# cmdline : *-E $file*# time of first sample : *# clockid: monotonic (1)*# reference time: *"
perf buildid-list -i "$file" >"$TMP/builds" 2>/dev/null
grep -q "$(readelf -n "$TMP/load" | awk '/Build ID/ { print $3 }') .*/load" "$TMP/builds" || fail "build-ids: $(cat "$TMP/builds")"
perf inject -b -i "$file" -o "$TMP/injected.data" 2>"$TMP/why" || fail "perf inject: $(cat "$TMP/why")"
is "after perf inject" "$(by_event "$TMP/injected.data")" "$(by_event "$file")"
perf diff "$file" "$TMP/injected.data" >/dev/null 2>"$TMP/why" || fail "perf diff: $(cat "$TMP/why")"

# ---- a file is never written over ----
before=$(cksum <"$file")
d -gE "$file" -n 'syscall:::entry { }'
ends 2 "-g and a file that is there"
like "-g and a file that is there" "$err" "*-g: events are read from $file, which is there; they are logged to a file that is new*"
is "it is as it was" "$(cksum <"$file")" "$before"
ln -s "$TMP/elsewhere" "$TMP/link.data"
d -E "$TMP/link.data" -n 'syscall:::entry { }'
ends 1 "a link that leads nowhere"
[ ! -e "$TMP/elsewhere" ] || fail "a link was followed"
d -E "$TMP/none/new.data" -n 'BEGIN { trace("begins"); exit(0); }'
ends 1 "no such folder"
is "no such folder" "$out" ""
like "no such folder" "$err" "*cannot create $TMP/none/new.data: No such file or directory*"
d -E "$TMP/wrong.data" -n 'BEGIN { nosuch(); }'
[ ! -e "$TMP/wrong.data" ] || fail "a program that does not compile leaves a file"

# ---- a full disk, ^C ----
(
	ulimit -f 2000
	d -qE "$TMP/full.data" -n 'syscall:::entry { }' -c 'dd if=/dev/zero of=/dev/null bs=1 count=50000 status=none'
	ends 1 "no room"
	like "no room" "$err" "dtrace: writing $TMP/full.data has failed: File too large; it ends after * events, and can be read so far*"
	is "what there is can be read" "$(perf script -i "$TMP/full.data" 2>/dev/null | wc -l)" "$(echo "$err" | sed -n 's/.*ends after \([0-9]*\) of.*/\1/p')"
	exit $failed
) || failed=1
"$DTRACE" -qE "$TMP/int.data" -n 'BEGIN { printf("begun\n"); } syscall:::entry { } tick-10ms /++n == 5/ { printf("now\n"); }' >"$TMP/said" 2>"$TMP/why" &
front=$!
until_said "$TMP/said" '^now' $front || fail "it does not begin: $(cat "$TMP/why")"
kill -INT $front
wait $front
is "^C" "$? $(perf evlist -i "$TMP/int.data" 2>&1 | grep -v '^#' | sort -u | tr '\n' ' ')" "0 dummy raw_syscalls:sys_enter "

# ---- no larger than that, or the last events alone ----
calls() { # calls FILE NUMBER: how often that system call was begun
	perf script -i "$1" -F event,trace 2>/dev/null | grep -c "sys_enter: NR $2 "
}
d -gE "$TMP/max.data" -x logmax=400k -n 'syscall:::entry /pid == $target/ { @ = count(); }' -c "$TARGETS/getppids 50000"
ends 0 "a limit"
left=$(echo "$err" | sed -n 's/^dtrace: .* is as large as option logmax lets it be: \([0-9]*\) later events are not in it$/\1/p')
is "a limit: what is in it" "$(perf script -i "$TMP/max.data" 2>/dev/null | wc -l)" "$(echo "$err" | sed -n 's/^dtrace: \([0-9]*\) events are in .*/\1/p')"
[ "${left:-0}" -gt 40000 ] && [ "$(stat -c %s "$TMP/max.data")" -lt 500000 ] || fail "a limit: $(stat -c %s "$TMP/max.data") bytes, ${left:-none} left out: $err"
like "a limit: clauses go on with -g" "$out" "*5000[0-9]*"

cat >"$TMP/late.c" <<'END_C'
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 100; i++) syscall(SYS_getppid);
	sleep(6);
	for (int i = 0; i < 50; i++) syscall(SYS_getpgrp);
	return 0;
}
END_C
gcc -O1 -o "$TMP/late" "$TMP/late.c" || fail "no program"
d -E "$TMP/ring.data" -x logring=4s -n 'syscall:::entry { }' -c "$TMP/late"
ends 0 "the last seconds"
is "the last seconds" "$(calls "$TMP/ring.data" 110) $(calls "$TMP/ring.data" 111)" "0 50"
perf script -i "$TMP/ring.data" -F comm 2>/dev/null | grep -qw late || fail "the last seconds: no process is known"
is "all of them are read, in time" "$("$DTRACE" -qE "$TMP/ring.data" -n 'syscall::getpgrp:entry /execname == "late"/ { n++; } END { printf("%d", n); }') $?" "50 0"
d -gE "$TMP/small.data" -x logring=10s -x logmax=1m -n 'syscall:::entry /pid == $target/ { @ = count(); }' -c "$TARGETS/getppids 50000"
like "a ring that is too small" "$err" "*is as large as option logmax lets it be: * earlier events are not in it*"
finish
