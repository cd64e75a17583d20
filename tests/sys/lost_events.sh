# What found no room in a ring, and what programs have missed, is told as drops; the former by diag:::lostevent, in its order of time.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
unset _DTRACE_TESTING # stable output has the drop messages only

d -ln 'diag:::'
like "it is listed" "$out" "*diag *lostevent*"

# nobody reads while the engine is kept busy: what is told by the probe is what the lines tell, until the end
told() { # told WHAT PROBE EXIT OPTION...: exit() is called by what says EXIT
	what=$1 probe=$2 exit=$3
	shift 3
	d "$@" -wqn 'BEGIN { n = 0; } diag:::lostevent { @[arg1 >= 0 && arg1 < 1024 ? "lost" : "where"] = sum(arg0); n += arg0; }
		'"$exit"' '"$probe"'
		tick-200ms { chill(400000000); } tick-60s { exit(1); }' -c "dd if=/dev/zero of=/dev/null bs=1 count=200000000"
	ends 0 "$what"
	lost=$(awk '$1 == "lost" { print $2 }' "$TMP/out")
	drops=$(awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }' "$TMP/err")
	[ "${lost:-0}" -gt 0 ] && [ "$lost" -eq "$drops" ] || fail "$what: $lost lost, $drops drops: $err"
	case $what in
	*ring*) like "$what: of which probes" "$err" "*drop*in rings of the kernel, of *a larger -x kernelbuf makes room*" ;;
	*) like "$what: of which probes" "$err" "*dtrace: drops by probe: *profile:::tick-1ms*larger buffers (-b)*" ;;
	esac
	like "$what: where" "$(grep -c where "$TMP/out")" 0
}
counts='{ @d["records"] = max(stackdepth); }'
at_once='diag:::lostevent { exit(0); }'
later='tick-1500ms /n/ { exit(0); }'
told "rings of perf" "linux-raw_syscalls:::sys_enter $counts" "$at_once"
told "rings of perf, and exit() by another probe" "linux-raw_syscalls:::sys_enter $counts" "$later"
if "$DTRACE" --doctor 2>/dev/null | grep -q '^BPF  *works'; then
	told "the ring of BPF" "syscall::write:entry $counts" "$at_once"
	told "the ring of BPF, and exit() by another probe" "syscall::write:entry $counts" "$later"
fi
# a program that reads where nothing is has a fault of its own, at which the kernel does not run it once more
if "$DTRACE" -ln 'rawtp:::page_fault_kernel' >/dev/null 2>&1; then
	need gcc
	cat >"$TMP/faults.c" <<-'END'
	#include <fcntl.h>
	#include <sys/mman.h>
	#include <unistd.h>
	int main(void)
	{
		int fd = open("/dev/zero", O_RDONLY);

		for (int i = 0; i < 100; i++)
			if (read(fd, mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1) != 1)
				return 1;
		return 0;
	}
	END
	gcc -o "$TMP/faults" "$TMP/faults.c" || fail "no program"
	d -n 'rawtp:::page_fault_kernel /pid == $target/ { x = *(char *)copyin(arg0, 1); } dtrace:::ERROR { @ = count(); }' -c "$TMP/faults"
	ends 0 "missed"
	faults=$(awk 'NF == 1 { print $1 }' "$TMP/out")
	missed=$(awk '/ of the drops are events that came while/ { print $2 }' "$TMP/err")
	drops=$(awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }' "$TMP/err")
	[ "$faults" -ge 100 ] && [ "$missed" = "$faults" ] && [ "$drops" = "$faults" ] || fail "missed: $faults faults, $missed missed, $drops drops: $err"
fi
told "a principal buffer" 'tick-1ms { trace(1); }' "$later" -b 64
finish
