# Tools that bpftrace has as well, both at once on the same program: the same answers.
# needs: root
. tests/lib/lib.sh
need perl bpftrace

# The work that both watch, and that nobody else does.
cat >"$TMP/both.pl" <<'END'
use IO::Socket::INET;
$0 = "bothwatched";
my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die;
sysopen(F, "/nonexistent/$_", 0) for 1 .. 7;
open(F, "<", "/etc/passwd") for 1 .. 5;
stat("/nonexistent/$_") for 1 .. 4;
syscall(110) for 1 .. 300;
kill(0, $$) for 1 .. 6;
my $ms = pack("qq", 0, 1000000);
syscall(35, $ms, 0) for 1 .. 4; # nanosleep
syscall(105, 0 + $<) for 1 .. 2; # setuid
open(F, ">", $ARGV[0]) and syscall(74, fileno(F)) == 0 or die for 1 .. 5; # fsync
for (1 .. 3) { my $c = IO::Socket::INET->new(PeerPort => $s->sockport, PeerAddr => "127.0.0.1") or die; my $a = $s->accept; }
for (1 .. 3) { my $p = fork(); if (!$p) { exec("/bin/echo", "both$$", $_) } waitpid($p, 0); }
END

# shown NAME: a program of that name does a little of the same until bpftrace has shown it: its probes are there, and it has read all before
shown() {
	tries=0
	until grep -q "$1" "$TMP/theirs"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] && kill -0 $watcher 2>/dev/null || return 1
		perl -MIO::Socket::INET -e '$0 = shift; open(F, "<", "/etc/passwd"); kill(0, $$); stat("/none"); $t = pack("qq", 0, 1000); syscall(35, $t, 0); syscall(105, 0 + $<); syscall(74, fileno(F)); if (!fork) { exec("/bin/true", $0) } wait;
			$s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1");
			$c = IO::Socket::INET->new(PeerPort => $s->sockport, PeerAddr => "127.0.0.1"); $a = $s->accept' "$1"
		[ "$name" != bashreadline ] || echo "true $1" | bash --norc -i >/dev/null 2>&1
		sleep 0.1 # it reads so often
	done
}

# both NAME [ARGS...]: of that program, or as ARGS say; theirs in $TMP/theirs, ours in $TMP/out; false: theirs does not run here
both() {
	name=$1
	theirs=$(command -v "$name.bt") || return 1
	# (what a shell puts into the background has ^C ignored)
	: >"$TMP/theirs"
	env --default-signal=INT bpftrace -B line "$theirs" >"$TMP/theirs" 2>&1 &
	watcher=$!
	if ! shown bothbegins; then
		kill -INT $watcher 2>/dev/null
		wait $watcher
		echo "$name: bpftrace does not run here: $(tail -n 1 "$TMP/theirs")"
		return 1
	fi
	if [ $# = 1 ]; then
		d --tool "$1" -- perl "$TMP/both.pl" "$TMP/synced"
	else
		d --tool "$@"
	fi
	ends 0 "$*"
	shown bothends || fail "$name: bpftrace does not go on"
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
if both execsnoop; then
	is "execsnoop" "$(ours ' /bin/echo both[0-9]* [1-3]$')" 3
	# theirs has no arguments where these are not in memory at the call, and may miss some: what it has is ours
	for pid in $(awk '/ [/]bin[/]echo both/ { print $2 }' "$TMP/theirs"); do
		is "execsnoop: $pid" "$(awk -v pid="$pid" '$1 == pid && $6 == "/bin/echo"' "$TMP/out" | wc -l)" 1
	done
fi
both statsnoop && is "statsnoop" "$(ours 'bothwatched .* 2 /nonexistent/[1-4]$')" "$(theirs 'bothwatched .* 2 /nonexistent/[1-4]$')"
if both tcpconnect; then
	is "tcpconnect" "$(awk '$2 == "bothwatched" { print $4, $6 }' "$TMP/out" | sort)" "$(awk '$3 == "bothwatched" { print $5, $7 }' "$TMP/theirs" | sort)"
	is "tcpconnect: connections" "$(ours bothwatched)" 3
fi
if both tcpaccept; then
	is "tcpaccept" "$(awk '$2 == "bothwatched" { print $4, $6 }' "$TMP/out" | sort)" "$(awk '$3 == "bothwatched" { print $5, $7 }' "$TMP/theirs" | sort)"
	is "tcpaccept: connections" "$(ours bothwatched)" 3
fi
both naptime && is "naptime" "$(ours 'bothwatched  *nanosleep ') 4" "$(theirs 'bothwatched  *0\.00[0-9]$') 4"
both setuids && is "setuids" "$(awk '$2 == "bothwatched" && $4 == "setuid" { print $1, $5 }' "$TMP/out")" \
	"$(sed -n 's/^[0-9:]* *\([0-9]*\) *bothwatched .* setuid *uid=\([0-9]*\) .*/\1 \2/p' "$TMP/theirs")"
both syncsnoop && is "syncsnoop" "$(ours 'bothwatched  *fsync .*/synced$') 5" "$(theirs 'bothwatched .*sys_enter_fsync$') 5"
printf 'true one\ntrue two three\n' >"$TMP/lines"
# what bash reads by readline from a pipe is a prompt's, too
both bashreadline -- sh -c "exec bash --norc -i <$TMP/lines 2>/dev/null" &&
	is "bashreadline" "$(sed -n 's/.* bash  *\(true [^b].*\)/\1/p' "$TMP/out")" "$(sed -n 's/.*[0-9] *\(true [^b].*\)/\1/p' "$TMP/theirs")"
[ $failed = 1 ] || [ $compared -gt 0 ] || skip "no tool of bpftrace runs here"
finish
