# Clauses on interrupts, work that is put off, and locks that are waited for run whole in the kernel, with variables of their own.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# kept WHAT PROVIDER SCRIPT COMMAND: no record was made for it
kept() {
	d -vo "$TMP/said" -n "$3" -c "$4"
	ends 0 "$1"
	like "$1: in the kernel" "$err" "*run in the kernel: * clause* of $2*records read: * of perf events, 0 of BPF programs*"
	d -qo "$TMP/out" -n "$3" -c "$4"
	ends 0 "$1"
}
n() { # n WORDS...: the number behind them
	{ cat "$TMP/out" && echo "$out"; } | awk -v w="$*" '{ gsub(/^ +/, ""); gsub(/ +/, " ") } index($0, w " ") == 1 { print $NF; exit }'
}

# packets that a program sends to itself, and its sleeps
kept "work that is put off" dpc 'dpc:::dpc, dpc:::thread /pid == $target && args[2] == 3/ { seen++; self->n++; last[tid] = arg0; @m = max(self->n); @s = stddev(arg0 - last[0]); }
	dpc:::timer, dpc:::thread { @t[last[tid] <= timestamp && arg0 <= timestamp ? "in time" : "out of time"] = count(); @k[stack(2)] = count(); }
	END { printf("seen %d\n", seen); }' "$TARGETS/interrupts"
[ "$(n seen)" -ge "$(n packets)" ] && [ "$(n packets)" -gt 0 ] || fail "packets: $(n seen) of $(n packets)"
[ "$(n in time)" -ge "$(n sleeps)" ] || fail "sleeps: $(n in time) of $(n sleeps)"
is "times that cannot be" "$(n out of time)" ""

# as many as the kernel has counted, between its numbers before and after
own() { awk 'NR == 1 { cpus = NF; next } /^ *(LOC|IWI|RES|CAL):/ { for (i = 2; i <= cpus + 1; i++) n += $i } END { print n }' /proc/interrupts; }
{
	sed -n '/^own() {/p' "$0"
	echo "echo before \$(own)"
	echo "$TARGETS/interrupts"
	echo "echo after \$(own)"
} >"$TMP/work"
first=$(own)
kept "interrupts" isr 'long took[long]; isr:::isr { all++; took[arg1] += timestamp - arg0; @v[arg3 >= 128 ? "own" : "device"] = quantize(timestamp - arg0, 1); }
	isr:::isr /arg3 >= 128/ { own++; } END { printf("all %d\nown %d\n", all, own); }' "sh $TMP/work"
last=$(own)
[ "$(n own)" -ge $(($(n after) - $(n before))) ] && [ "$(n own)" -le $((last - first)) ] ||
	fail "interrupts: $(n own), between $(($(n after) - $(n before))) and $((last - first))"
[ "$(n all)" -ge "$(n own)" ] || fail "all: $(n all), of these $(n own)"

# locks of which the program knows how often it has waited
if "$TARGETS/heldlocks" 1 >/dev/null 2>&1; then
	kept "locks" lockstat 'long ns[long]; lockstat:::adaptive-block, lockstat:::rw-block /pid == $target/ { times[arg0]++; ns[arg0] += arg1; self->n++; @t[probename, arg0] = max(times[arg0]); @n[probename, arg0] = max(ns[arg0]); @l = max(self->n); @k[stack()] = count(); }
		END { printa("%s %x %@d %@d\n", @t, @n); }' "$TARGETS/heldlocks 40"
	for pair in "adaptive-block mutex" "rw-block rwsem"; do
		# shellcheck disable=SC2086
		set -- $pair
		held=$(awk -v p="$1" '$1 == p && NF == 4' "$TMP/out" | sort -k3,3nr | head -1)
		is "$2: times" "$(echo "$held" | cut -d' ' -f3)" 40
		is "$2: nanoseconds that are missing" "$(echo "$out" | awk -v name="$2_ns" -v told="$(echo "$held" | cut -d' ' -f4)" '
			$1 == name && told + 0 < $2 { print $2 - told }')" ""
	done
fi
finish
