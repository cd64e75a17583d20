# Tools about programs that are started, disks and connections, of the whole machine, against what is done.
# needs: root
. tests/lib/lib.sh
. tests/lib/scripts.sh
need perl

tool() { # tool NAME ARGS...: what it prints is in $TMP/out
	d --tool "$@"
	ends 0 "$*"
	is "$*: errors" "$(echo "$err" | grep -v 'records \(in\|out\)\|copied')" ""
}

process_work
tool execsnoop -- $work
is "execsnoop" "$(awk '$4 == "sh" && $5 == 0 && /[/]bin[/]sh -c exit/' "$TMP/out" | wc -l)" 6
tool execsnoop -f -- $work
is "execsnoop -f" "$(awk '$4 == "perl" && $5 == 2 && $6 == "/nonexistent/program"' "$TMP/out" | wc -l)" 4

tool exitsnoop -- $work
# ended END CODE: so many have
ended() {
	awk -v end="$1" -v code="$2" 'NF > 1 && $(NF - 1) == end && $NF == code { n++ } END { print n + 0 }' "$TMP/out"
}
is "exitsnoop" "$(ended exited 1) $(ended exited 7) $(ended exited 5) $(ended killed 10) $(ended killed 15)" "2 3 2 1 2"
is "exitsnoop: time" "$(awk '$NF == 5 && $5 >= 20 && $5 < 20000' "$TMP/out" | wc -l)" 2
like "exitsnoop: what was there before" "$out" "* perl * > *exited *0*"
tool exitsnoop -f -- $work
is "exitsnoop -f" "$(ended exited 0) $(ended exited 7)" "0 3"
tool exitsnoop -n sh -- $work
is "exitsnoop -n" "$(awk '$1 ~ /^[0-9]/ && $4 != "sh"' "$TMP/out" | wc -l) $(ended exited 7)" "0 3"

tool setuids -- setpriv --reuid=65534 --clear-groups true
is "setuids" "$(awk '$2 == "setpriv" && $3 == 0 && $4 == "setresuid" { print $5, $6, $7, $8 }' "$TMP/out")" "65534 65534 65534 0"

# Interrupts, no more than the kernel has counted meanwhile.
counted() { # counted FILE ROW: by all CPUs
	awk -v row="$2:" '$1 == row { for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' "$1"
}
before=$(counted /proc/interrupts LOC)
tool hardirqs -d 1
n=$(awk '/sysvec_apic_timer_interrupt/ { n += $(NF - 1) } END { print n + 0 }' "$TMP/out")
[ "$n" -gt 0 ] && [ "$n" -le $(($(counted /proc/interrupts LOC) - before)) ] || fail "hardirqs: $n: $out"
before=$(counted /proc/softirqs TIMER)
tool softirqs -D -d 1
n=$(awk '/run_timer_softirq/ && NF == 3 { n += $2 } END { print n + 0 }' "$TMP/out")
[ "$n" -gt 0 ] && [ "$n" -le $(($(counted /proc/softirqs TIMER) - before)) ] || fail "softirqs: $n: $out"

# Three that never rest, one CPU: two wait nearly all of the time. What is told of all CPUs is the time of all.
cat >"$TMP/burns.sh" <<'END'
for i in 1 2 3; do taskset -c 0 "$1" 0.3 & done
wait
END
tool runqlen -C -- sh "$TMP/burns.sh" "$TARGETS/burn"
us=$(awk 'NF == 1 { cpu = $1 } cpu == 0 && $2 ~ /^[|]/ && $1 >= 2 && $1 < 100 { n += $NF } END { print n + 0 }' "$TMP/out")
[ "$us" -ge 600000 ] || fail "runqlen: two wait for $us us: $out"
tool runqlat -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.01; done'
[ "$(awk '$2 ~ /^[|]/ { n += $NF } END { print n }' "$TMP/out")" -ge 9 ] || fail "runqlat: $out"
tool offcputime -m 9 -- "$TARGETS/toolwork" sleeps 5 10000
us=$(awk 'NF == 1 && $1 ~ /^[0-9]+$/ { n += $1 } END { print n }' "$TMP/out")
slept=$(awk '$1 == "slept" { print $2 }' "$TMP/out")
[ "$us" -ge 50000 ] && [ "$us" -le "$slept" ] || fail "offcputime: $us us, the program has slept $slept"
like "offcputime" "$out" "*nanosleep+*
*toolwork\`nap+*
*toolwork\`sleeps+*"
tool offcputime -K -m 9 -- "$TARGETS/toolwork" sleeps 1 10000
like "offcputime -K" "$out" "*vmlinux\`*sleep*toolwork\`nap+*"
tool cpuwalk -F 499 -- taskset -c 0 "$TARGETS/burn" 0.2
is "cpuwalk" "$(awk '$2 ~ /^[|]/ && $NF { print $1 }' "$TMP/out")" 0

# Each connection is two, one for each end.
perl_program lines <<'END'
use IO::Socket::INET;
my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die;
for (1 .. 4) {
	my $c = IO::Socket::INET->new(PeerPort => $s->sockport, PeerAddr => "127.0.0.1") or die;
	my $a = $s->accept;
	syswrite($c, "x" x 100);
	sysread($a, my $got, 100);
	syswrite($a, "y" x 50);
	sysread($c, $got, 50);
	close($c);
	close($a);
}
print $s->sockport, "\n";
END
work="perl $TMP/lines.pl"
tool tcpconnect -- $work
port=$(awk 'NF == 1 { print $1 }' "$TMP/out")
is "tcpconnect" "$(awk -v port="$port" '$2 == "perl" && $3 == "127.0.0.1" && $5 == "127.0.0.1" && $6 == port' "$TMP/out" | wc -l)" 4
tool tcpconnect -P 1 -- $work
is "tcpconnect -P" "$(grep -c perl "$TMP/out")" 0
tool tcpaccept -- $work
port=$(awk 'NF == 1 { print $1 }' "$TMP/out")
is "tcpaccept" "$(awk -v port="$port" '$2 == "perl" && $6 == port' "$TMP/out" | wc -l)" 4
tool tcplife -- $work
port=$(awk 'NF == 1 { print $1 }' "$TMP/out")
is "tcplife: asked for" "$(awk -v port="$port" '$2 == "perl" && $6 == port && $7 == 100 && $8 == 50' "$TMP/out" | wc -l)" 4
is "tcplife: accepted" "$(awk -v port="$port" '$2 == "perl" && $4 == port && $7 == 50 && $8 == 100' "$TMP/out" | wc -l)" 4

tool tcptop -- $work
port=$(awk 'NF == 1 { print $1 }' "$TMP/out")
is "tcptop: asked for" "$(awk -v port="$port" '$5 == port && $6 == 150 && $7 == 100 && $8 == 50' "$TMP/out" | wc -l)" 4
is "tcptop: accepted" "$(awk -v port="$port" '$3 == port && $6 == 150 && $7 == 50 && $8 == 100' "$TMP/out" | wc -l)" 4
is "tcptop: the process" "$(awk -v port="$port" '$3 == port || $5 == port { print $1 }' "$TMP/out" | sort -u | wc -l)" 1
tool tcptop -P 1 -- $work
is "tcptop -P" "$(grep -c 127.0.0.1 "$TMP/out")" 0

# Each block that is written past the cache is a request.
disk_work
work="dd if=/dev/zero of=$file bs=64k count=8 oflag=direct conv=notrunc"
$work 2>/dev/null # what it is read from, and what the file needs
tool biosnoop -- $work
is "biosnoop" "$(awk '$2 == "dd" && $5 == "W" && $7 == 65536' "$TMP/out" | wc -l)" 8
disk=$(awk '$2 == "dd" && $7 == 65536 { print $4; exit }' "$TMP/out")
tool biosnoop -D "$disk" -- $work
is "biosnoop -D" "$(awk '$2 == "dd" && $5 == "W" && $7 == 65536' "$TMP/out" | wc -l)" 8
tool biosnoop -D none -- $work
is "biosnoop of another disk" "$(grep -c ' dd ' "$TMP/out")" 0
tool bitesize -- $work
is "bitesize" "$(awk '$1 == "dd" { on = 1 } on && $1 == 65536 { print $NF; exit }' "$TMP/out")" 8
tool biolatency -F -D -- $work
[ "$(awk '$2 ~ /^[|]/ { n += $NF } END { print n }' "$TMP/out")" -ge 8 ] || fail "biolatency: $out"
tool biolatency -F -- $work
like "biolatency -F" "$out" "*write*"
rm -f "$file"
finish
