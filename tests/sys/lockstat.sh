# Locks of the kernel that threads have to wait for: as many as the kernel's own records tell of.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || skip "one CPU"
[ -d /sys/kernel/tracing/events/lock/contention_end ] || skip "this kernel does not tell of locks"

# whole ARGS...: a run that has lost nothing; a busy machine may need some
whole() {
	for _ in 1 2 3 4 5; do
		d "$@"
		case $err in *drop* | *unrecorded*) ;; *) return ;; esac
	done
	skip "records are lost here: $err"
}

# flags of contention_begin: 1 spinning, 2 for reading, 4 for writing, 16 of each CPU, 32 a mutex
whole -qn 'lockstat::: /pid == $target/ { @n[probename] = count(); }
	lockstat::: /pid == $target && !(arg0 && arg1 && arg1 < 20000000000)/ { @bad["bad", probename] = count(); }
	sdt:lock::contention_begin /pid == $target/ { self->flags[args[0]] = args[1]; }
	sdt:lock::contention_end /self->flags[args[0]]/
	{ @k["kernel", (self->flags[args[0]] & 33) == 33 ? "adaptive-spin" : self->flags[args[0]] & 32 ? "adaptive-block" :
		(self->flags[args[0]] & 1) && (self->flags[args[0]] & 6) ? "rw-spin" : self->flags[args[0]] & 1 ? "spin-spin" :
		self->flags[args[0]] & 22 ? "rw-block" : "adaptive-block"] = count(); self->flags[args[0]] = 0; }' -c "$TARGETS/contend $TMP/data 1000"
ends 0 "lockstat"
is "times" "$(echo "$out" | grep bad)" ""
for probe in adaptive-block rw-block; do
	ours=$(echo "$out" | awk -v p=$probe '$1 == p { print $2 }')
	theirs=$(echo "$out" | awk -v p=$probe '$1 == "kernel" && $2 == p { print $3 }')
	is "$probe" "$ours" "$theirs"
done
[ -n "$(echo "$out" | awk '$1 == "adaptive-block" || $1 == "adaptive-spin" || $1 == "rw-block" || $1 == "spin-spin"')" ] ||
	fail "nobody has waited: $out"

# Two locks of which the program itself knows how often and how long they are waited for, at least. (Others, of its memory, may be
# waited for beside these.)
if "$TARGETS/heldlocks" 1 >/dev/null 2>&1; then
	whole -qn 'lockstat:::adaptive-block, lockstat:::rw-block /pid == $target/ { @n[probename, args[0]] = count();
		@ns[probename, args[0]] = sum(args[1]); } lockstat:::rw-block /pid == $target && args[2]/ { @r["reader", args[0]] = count(); }
		END { printa("%s %x %@d %@d\n", @n, @ns); printa("%s %x %@d\n", @r); }' -c "$TARGETS/heldlocks 40"
	ends 0 "heldlocks"
	for pair in "adaptive-block mutex" "rw-block rwsem"; do
		# shellcheck disable=SC2086
		set -- $pair
		held=$(echo "$out" | awk -v p="$1" '$1 == p' | sort -k3,3nr | head -1)
		is "$2: times" "$(echo "$held" | cut -d' ' -f3)" 40
		is "$2: nanoseconds that are missing" "$(echo "$out" | awk -v name="$2_ns" -v told="$(echo "$held" | cut -d' ' -f4)" '
			$1 == name && told + 0 < $2 { print $2 - told }')" ""
	done
	is "who writes is no reader" "$(echo "$out" | awk -v a="$(echo "$held" | cut -d' ' -f2)" '$1 == "reader" && $2 == a')" ""
fi

# Everything at once, where locks are waited for in programs of the kernel, too: nobody hangs.
d -qn 'lockstat::: { @[probename] = count(); } sched:::, syscall::: { @n["all"] = count(); }' -c "$TARGETS/contend $TMP/data 1000"
ends 0 "with others"
like "with others" "$out" "*rounds *all *"
finish
