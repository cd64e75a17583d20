# Interrupts and timers inside softirqs: what began last ends first, each with its own beginning; two of one kind never overlap.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

cat >"$TMP/nested.d" <<'D'
/* what has ended last on this CPU, of each kind */
uint64_t timer_begin[int], timer_end[int], isr_begin[int], isr_end[int], end[int];
dpc:::timer /pid == $target && args[2] == 8/ {
	@bad["timers overlap"] = sum(arg0 < timer_end[cpu] || arg0 > timestamp);
	@n["timers"] = count();
	timer_begin[cpu] = arg0;
	timer_end[cpu] = timestamp;
}
isr:::isr /pid == $target/ {
	@bad["interrupts overlap"] = sum(arg0 < isr_end[cpu] || arg0 > timestamp);
	@n["interrupts"] = count();
	isr_begin[cpu] = arg0;
	isr_end[cpu] = timestamp;
}
dpc:::dpc /pid == $target && args[2] == 3/ {
	@bad["softirqs overlap"] = sum(arg0 < end[cpu] || arg0 > timestamp);
	@bad["timers begin before what they end in"] = sum(timer_end[cpu] > arg0 && timer_begin[cpu] < arg0);
	@bad["interrupts begin before what they end in"] = sum(isr_end[cpu] > arg0 && isr_begin[cpu] < arg0);
	@n["softirqs"] = count();
	@in["timers inside"] = sum(timer_begin[cpu] > arg0);
	@in["interrupts inside"] = sum(isr_begin[cpu] > arg0);
	end[cpu] = timestamp;
}
END { printa("%s %@d\n", @n); printa("%s %@d\n", @in); printa("bad %@d %s\n", @bad); }
D
n() { # n WORDS...: the number behind them
	echo "$out" | awk -v w="$*" 'index($0, w " ") == 1 { print $NF; exit }'
}
# 200,000 packets take at least 0.2 s, in which the timer comes 4,000 times
d -qs "$TMP/nested.d" -c "$TARGETS/nested 200000"
ends 0 "nested"
is "what cannot be" "$(echo "$out" | awk '$1 == "bad" && $2 != 0')" ""
is "all kinds are looked at" "$(echo "$out" | grep -c '^bad')" 5
[ "$(n softirqs)" -ge "$(n packets)" ] || case $err in
*drop* | *unrecorded*) ;;
*) fail "softirqs: $(n softirqs) of $(n packets)" ;;
esac
[ "$(n timers inside)" -gt 0 ] && [ "$(n timers inside)" -le "$(n timers)" ] || fail "timers inside softirqs: $out"
[ "$(n interrupts inside)" -gt 0 ] && [ "$(n interrupts inside)" -le "$(n interrupts)" ] || fail "interrupts inside softirqs: $out"

# what ends is attached before what begins: else a beginning of the time between would stay for ever
need strace
strace -f -qq -e trace=bpf -o "$TMP/calls" "$DTRACE" -qn 'BEGIN { exit(0); } dpc:::, isr::: /execname == "nobody"/ { @ = count(); }' \
	>"$TMP/out" 2>"$TMP/err" || skip "strace does not work here: $(tail -1 "$TMP/err")"
awk '/BPF_PROG_LOAD.*prog_name=/ { name = $0; sub(/.*prog_name="/, "", name); sub(/".*/, "", name); fd = $NF; of[fd] = name }
	/BPF_LINK_CREATE|RAW_TRACEPOINT_OPEN/ { fd = $0; sub(/.*prog_fd=/, "", fd); sub(/[,}].*/, "", fd); name = of[fd]; at[name] = NR }
	END { for (name in at) if (name "_end" in at) { pairs++; if (at[name "_end"] > at[name]) print name } print pairs " pairs" }' "$TMP/calls" >"$TMP/order"
is "the order of programs" "$(grep -v pairs "$TMP/order")" ""
[ "$(awk '/pairs/ { print $1 }' "$TMP/order")" -ge 5 ] || fail "programs: $(cat "$TMP/order")"
finish
