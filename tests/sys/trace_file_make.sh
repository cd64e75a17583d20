# A build that perf has recorded, replayed: system calls are those that strace -c has counted in the same run.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf strace gcc make awk

mkdir "$TMP/project" || exit 1
for i in 1 2 3; do echo "int f$i(int a) { return a * $i; }" >"$TMP/project/f$i.c"; done
printf 'all: f1.o f2.o f3.o\n%%.o: %%.c\n\tgcc -c -o $@ $<\n' >"$TMP/project/Makefile"
cp "$(command -v strace)" "$TMP/st$$" # a name that nobody else's has
perf record -q -m 4096 -a -e 'sched:*,raw_syscalls:*' -o "$TMP/make.data" -- "$TMP/st$$" -f -c -o "$TMP/counts" make -C "$TMP/project" >"$TMP/why" 2>&1 || fail "perf record: $(cat "$TMP/why")"
[ -s "$TMP/project/f3.o" ] || fail "nothing has been built: $(cat "$TMP/why")"
# of those that strace has begun, from the program on; a call that makes a process returns in both, and strace counts it once. Of some calls a recording has
# both events twice, with the same nanosecond (perf script prints them twice): a thread does not return twice at one time
cat >"$TMP/calls.d" <<'END'
uint64_t last[int];
proc:::create /execname == $$1/ { child[args[0]->pr_pid] = 1; }
proc:::exec-success /child[pid]/ { is_meant[pid] = 1; }
proc:::create /is_meant[pid]/ { is_meant[args[0]->pr_pid] = 1; }
syscall:::return /is_meant[pid] && last[tid] != timestamp && !(arg1 == 0 && (probefunc == "vfork" || probefunc == "clone" || probefunc == "clone3" || probefunc == "fork"))/ { @[probefunc] = count(); }
syscall:::return /is_meant[pid]/ { last[tid] = timestamp; }
END { printa("%s %@d\n", @); }
END
d -qE "$TMP/make.data" -x dynvarsize=16m -s "$TMP/calls.d" st$$
case $err in *' drops '*) skip "the rings of perf were too small on this machine: $err" ;; esac
echo "$out" | awk 'NF == 2' | sort >"$TMP/ours"
awk '$1 ~ /^[0-9.]+$/ && $NF != "total" { print $NF, $4 }' "$TMP/counts" | sort >"$TMP/theirs"
[ "$(wc -l <"$TMP/theirs")" -ge 20 ] || fail "strace has counted nothing: $(cat "$TMP/counts")"
is "each call as often" "$(cat "$TMP/ours")" "$(cat "$TMP/theirs")"
finish
