# Tools that bpftrace has as well, both at once on the same program: the same answers.
# needs: root
. tests/lib/lib.sh
need perl bpftrace

# The work that both watch, and that nobody else does.
cat >"$TMP/both.pl" <<'END'
$0 = "bothwatched";
sysopen(F, "/nonexistent/$_", 0) for 1 .. 7;
open(F, "<", "/etc/passwd") for 1 .. 5;
stat("/nonexistent/$_") for 1 .. 4;
syscall(110) for 1 .. 300;
kill(0, $$) for 1 .. 6;
for (1 .. 3) { my $p = fork(); if (!$p) { exec("/bin/echo", "both$$", $_) } waitpid($p, 0); }
END

# both NAME ARGS...: theirs in $TMP/theirs, ours in $TMP/out; false: theirs does not run here
both() {
	name=$1
	theirs=$(command -v "$name.bt") || return 1
	# (what a shell puts into the background has ^C ignored)
	env --default-signal=INT bpftrace -B line "$theirs" >"$TMP/theirs" 2>&1 &
	watcher=$!
	# it says so when its probes are there
	until_said "$TMP/theirs" 'Tracing\|Counting\|PID\|error:\|ERROR: Err' $watcher
	if ! grep -q 'Tracing\|Counting\|PID' "$TMP/theirs"; then
		kill -INT $watcher
		wait $watcher
		echo "$name: bpftrace does not run here: $(tail -n 1 "$TMP/theirs")"
		return 1
	fi
	d --tool "$@" -- perl "$TMP/both.pl"
	ends 0 "$*"
	kill -INT $watcher 2>/dev/null
	wait $watcher
	compared=$((compared + 1))
}
# ours PATTERN, theirs PATTERN: lines of it
ours() {
	grep -c "$1" "$TMP/out"
}
theirs() {
	grep -c "$1" "$TMP/theirs"
}
compared=0
if both opensnoop; then
	for pattern in '-1 *2 /nonexistent/' ' 0 /etc/passwd$'; do
		is "opensnoop: $pattern" "$(ours "bothwatched.* $pattern")" "$(theirs "bothwatched.* $pattern")"
	done
fi
both killsnoop && is "killsnoop" "$(awk '$2 == "bothwatched" && $3 == 0' "$TMP/out" | wc -l)" \
	"$(awk '$3 == "bothwatched" && $4 == 0' "$TMP/theirs" | wc -l)"
both execsnoop && is "execsnoop" "$(ours ' /bin/echo both[0-9]* [1-3]$')" "$(theirs ' /bin/echo both[0-9]* [1-3]$')"
if both syscount -P; then
	n=$(awk '$2 == "bothwatched" { print $3 }' "$TMP/out")
	their=$(sed -n 's/^@process\[bothwatched\]: //p' "$TMP/theirs")
	# theirs goes by the name, which is perl's until it changes it, and its children's then
	[ "$n" -ge 300 ] && [ "$their" -ge 300 ] && [ $((n - their)) -lt 200 ] && [ $((their - n)) -lt 200 ] ||
		fail "syscount -P: $n, bpftrace has $their"
fi
both runqlat && {
	n=$(awk '$2 ~ /^[|]/ { n += $NF } END { print n }' "$TMP/out")
	their=$(awk '/^[[]/ { n += $(NF - 1) } END { print n + 0 }' "$TMP/theirs")
	[ "$n" -gt 0 ] && [ "$their" -gt 0 ] || fail "runqlat: $n, bpftrace has $their"
}
[ $failed = 1 ] || [ $compared -gt 0 ] || skip "no tool of bpftrace runs here"
finish
