# What only programs in the kernel see is in a file of -E, with the records that args[] lead into, and fires from it as it was live.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need perf gcc

name=lr$$
cat >"$TMP/load.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char text[64], path[256];
	prctl(PR_SET_NAME, argv[1]); /* nothing before main() is of this name */
	for (int i = 0; i < 3; i++) {
		int fd = open("/proc/sys/vm/swappiness", O_RDONLY);
		read(fd, text, sizeof(text));
		close(fd);
	}
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/file%d", argv[2], i);
		close(open(path, O_CREAT | O_WRONLY, 0640));
		unlink(path);
	}
	char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, 1 << 20, MADV_NOHUGEPAGE);
	memset(p, 1, 1 << 20);
	return argc != 3;
}
END
gcc -O1 -fno-omit-frame-pointer -o "$TMP/load" "$TMP/load.c" || fail "no program"
load="$TMP/load $name $TMP"
mine="execname == \"$name\""
twice() { # twice WHAT PROGRAM EXPECTED: its lines live and from the file, $TMP/new.data
	rm -f "$TMP/new.data"
	# records with stacks are large: all of a run, beside those of whoever else is at work, find room before any is read
	d -qgE "$TMP/new.data" -x kernelbuf=128m -n "$2" -c "$load"
	ends 0 "$1, live"
	live=$(echo "$out" | grep . | LC_ALL=C sort)
	like "$1, live" "$live" "$3"
	said=$err
	d -qE "$TMP/new.data" -n "$2"
	ends 0 "$1, from the file"
	is "$1, from the file" "$(echo "$out" | grep . | LC_ALL=C sort)" "$live"
}

# counters at events: the value, all counters; perf reads the file as well
twice "counters at events" "syscall::pmc:entry-page-faults /$mine/ { @[\"one\"] = count(); @v[\"value\"] = max(arg4); }
	syscall::pmc:entry /$mine/ { @a[args[4]->names[0], args[4]->count] = count(); } END { printa(@); printa(@v); printa(@a); }" "*one *value *"
is "counters at events: perf script" "$(perf script -i "$TMP/new.data" -F comm,event 2>&1 | grep -c "$name *dtrace:syscall_pmc_entry_page_faults")" \
	"$(echo "$live" | awk '$1 == "one" { print $2 }')"
rm -f "$TMP/new.data"
d -qE "$TMP/new.data" -n 'syscall::pmc:entry-page-faults { @["one"] = count(); }' -c "$load"
is "counters at events, without -g" "$(echo "$out" | grep -c .)" 0
d -qE "$TMP/new.data" -n "syscall::pmc:entry-page-faults /$mine/ { @ = count(); }"
[ "$(echo $out)" -ge 20 ] || fail "counters at events, from a file without -g: $out $err"

swappiness=$(cat /proc/sys/vm/swappiness)
twice "settings" "reg:::queryvalue /$mine/ { @[args[0]->r_rname, args[0]->r_value, args[0]->r_status] = count(); } END { printa(\"%s %s %d %@d\n\", @); }" \
	"/proc/sys/vm/swappiness $swappiness 0 3"
is "settings: perf script" "$(perf script -i "$TMP/new.data" -F comm,event 2>/dev/null | grep -c "$name *dtrace:reg_vmlinux_queryvalue")" 3
like "settings: -l" "$("$DTRACE" -l -E "$TMP/new.data" 2>/dev/null | grep 'reg .*queryvalue')" "*[0-9] *reg * queryvalue"
d -qE "$TMP/new.data" -n "reg:::queryvalue /$mine && args[0]->r_value == \"$swappiness\"/ { @[stringof(args[0]->r_rname)] = count(); }"
like "another question" "$(echo $out)" "*swappiness 3"
twice "files" "fsinfo:::delete /$mine/ { @[args[0]->fi_pathname, args[0]->fi_name, execname] = count(); } END { printa(\"%s %s %s %@d\n\", @); }" \
	"$(for i in 0 1 2 3; do echo "$TMP/file$i file$i $name 1"; done)"
# the pages of the mapping, where the kernel and the program were then
twice "page faults" "pf:::dzero_flt /$mine && args[0] >> 20/ { @[ufunc(args[1]), args[2]] = count(); @s[stack(1), ustack(2)] = count(); }" "*"
[ "$(echo "$live" | awk 'NF == 3 && $2 == 0 { n += $3 } END { print n + 0 }')" -ge 256 ] || fail "page faults: $live; $said"
twice "numbers" "sysinfo:::sysread /$mine/ { @[\"calls\"] = sum(arg0); } vminfo:::zfod /$mine/ { @[\"zfod\"] = sum(arg0); }" "*calls *zfod *"

# the machine, told before any tick; how the boot was is not in what perf tells of it
twice "the machine" 'hwconfig:::boot { printf("%s\n", args[0]->command); } hwconfig:::cpu { printf("%d\n", args[0]->ncpus); } tick-1ms { exit(0); }' "*$(cut -c1-40 /proc/cmdline)*"
# a tool asks of which program a recording is no more than it says
rm -f "$TMP/new.data"
"$DTRACE" -qgE "$TMP/new.data" --tool threadsnoop -c "$load" >"$TMP/tool.live" 2>"$TMP/why" || fail "a tool: $(cat "$TMP/why")"
"$DTRACE" -qE "$TMP/new.data" --tool threadsnoop >"$TMP/tool.file" 2>"$TMP/why" || fail "a tool, from the file: $(cat "$TMP/why")"
cmp -s "$TMP/tool.live" "$TMP/tool.file" || fail "a tool: $(diff "$TMP/tool.live" "$TMP/tool.file")"
# and shows of it what it has shown in the run: that program's
rm -f "$TMP/calls.data"
"$DTRACE" -qgE "$TMP/calls.data" --tool syscount -c "$load" >"$TMP/tool.live" 2>"$TMP/why" || fail "a tool of one program: $(cat "$TMP/why")"
"$DTRACE" -qE "$TMP/calls.data" --tool syscount >"$TMP/tool.file" 2>"$TMP/why" || fail "a tool of one program, from the file: $(cat "$TMP/why")"
# the execve() that the run begins behind, too
grep -q '^execve  *1' "$TMP/tool.live" || fail "a tool of one program: $(cat "$TMP/tool.live")"
[ "$(sort "$TMP/tool.live")" = "$(sort "$TMP/tool.file")" ] || fail "a tool of one program: $(diff "$TMP/tool.live" "$TMP/tool.file")"
d -qE "$TMP/new.data" -n 'pid$target::main:entry { @ = count(); }'
ends 0 "a function without hits"
like "a function without hits" "$err" "*pid*::main:entry: no hits of it are in $TMP/new.data*"
# BEGIN, END and ticks are when they were
rm -f "$TMP/new.data"
times='BEGIN, END, tick-7ms { printf("%s %d\n", probename, timestamp); } syscall::write:entry { } tick-50ms { exit(0); }'
d -qgE "$TMP/new.data" -n "$times"
live=$(echo "$out" | grep .)
like "times, live" "$(echo $live)" "BEGIN *tick-7ms *tick-7ms *END *"
d -qE "$TMP/new.data" -n "$times"
is "times, from the file" "$(echo "$out" | grep .)" "$live"

# ---- without -g they are in the file alone; of what did not happen nothing is said ----
rm -f "$TMP/new.data"
d -qE "$TMP/new.data" -n "reg:::queryvalue, reg:::setvalue, fsinfo:::delete /$mine/ { @[probename] = count(); }" -c "$load"
is "without -g" "$(echo "$out" | tail -n +2 | grep -c .)" 0
d -qE "$TMP/new.data" -n "reg:::queryvalue, reg:::setvalue, fsinfo:::delete /$mine/ { @[probename] = count(); }"
is "the file has it" "$(echo "$out" | awk 'NF { print $1, $2 }')" "queryvalue 3
delete 4"
is "what did not happen" "$err" ""
d -qE "$TMP/new.data" -n 'reg:::open { @ = count(); }'
like "what nobody asked for" "$err" "*reg:vmlinux::open has no events: no recording tells of what reg traces*"

# ---- all programs are loaded before the first is attached: what that takes of us is no event, and fills no ring ----
d -qn 'pf:::dzero_flt /pid == $pid || ppid == $pid/ { @[ustack()] = count(); } reg:::queryvalue, fsinfo:::delete { } tick-100ms { exit(0); }'
is "our own loading" "$(echo "$out" | grep -c btf__parse)" 0

# ---- addresses of ours are none of the file ----
perf script -i "$TMP/new.data" -F event,trace 2>/dev/null | awk '/dtrace:reg/ { print $3 }' | sort -u >"$TMP/args"
is "args[0]" "$(cat "$TMP/args")" "arg0=0x7265000000000000"
finish
