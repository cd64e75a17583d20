# scripts.sh: scripts as users have them (tests/scripts), after lib.sh (and sys.sh). Each is called with the flags of its first line.
# shellcheck shell=sh

# flags_of NAME: what its #! line gives to dtrace
flags_of() {
	sed -n '1s,^#!/usr/sbin/dtrace ,,p' "tests/scripts/$1.d"
}

# script NAME ARGS...: compiles it (-e), then runs it; what it prints is in $out, what its command (-c) says in $said
script() {
	script=$1
	shift
	flags=$(flags_of "$script")
	[ -n "$flags" ] || fail "$script.d does not begin with #!/usr/sbin/dtrace and flags"
	"$DTRACE" -e "$flags" "tests/scripts/$script.d" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null ||
		fail "$script.d does not compile: $(cat "$TMP/err")"
	rm -f "$TMP/told"
	# what all the machine does meanwhile has room, too, where a script records it
	room=
	[ "$(id -u)" != 0 ] || room=DTRACE_OPT_KERNELBUF=64m
	env $room "$DTRACE" -o "$TMP/told" "$flags" "tests/scripts/$script.d" "$@" >"$TMP/said" 2>"$TMP/err" </dev/null ||
		fail "$script.d: status $?: $(cat "$TMP/err")"
	out=$(cat "$TMP/told")
	said=$(cat "$TMP/said")
	err=$(cat "$TMP/err")
	case $err in
	*" drops on CPU "* | *"error on enabled probe"*) fail "$script.d: $err" ;;
	esac
}

# cell KEY...: the last field of the line of $out that begins with these fields, or 0
cell() {
	echo "$out" | awk -v key="$*" '{ line = ""; for (i = 1; i < NF; i++) line = line (i > 1 ? " " : "") $i }
		line == key { print $NF; found = 1; exit } END { if (!found) print 0 }'
}

# said KEY: the number that the command says behind this word
said() {
	echo "$said" | awk -v key="$1" '$1 == key { print $2; exit }'
}

# perl_program NAME: the text on standard input becomes $TMP/NAME.pl
perl_program() {
	need perl
	cat >"$TMP/$1.pl"
}

# file_work: $work is a command that works with files and knows what it has done: $TMP/work.pl
file_work() {
	perl_program work <<'P'
$| = 1;
my $dir = $ARGV[0];
my ($got, $reads, $data) = (0, 0, "");
sysopen(F, "$dir/none", 0) and die for 1 .. 7;
sysopen(F, $dir, 1) and die for 1 .. 3;
sysopen(F, "$dir/data", 01 | 0100 | 01000, 0644) or die "$dir/data: $!";
syswrite(F, "x" x 100) for 1 .. 20;
syswrite(F, "y" x 5000) for 1 .. 5;
close(F);
sysopen(F, "$dir/data", 0) or die;
while (my $n = sysread(F, $data, 512)) { $got += $n; $reads++; }
sysseek(F, $_, 0) for 1 .. 4;
sysseek(F, 10, 1) for 1 .. 2;
sysseek(F, 0, 2);
close(F);
syscall(110) for 1 .. 300;
$SIG{USR1} = "IGNORE";
kill("USR1", $$) for 1 .. 5;
socketpair(A, B, 1, 1, 0) or die;
syswrite(A, "z" x 40) for 1 .. 11;
sysread(B, $data, 4096);
unlink("$dir/data");
print "noent 7\nisdir 3\nwritten ", 20 * 100 + 5 * 5000, "\nwrites 25\nread $got\nreads $reads\n",
	"seeks 7\nppid 300\nsignals 5\nsends 11\nsent 440\n";
P
	dir=$(realpath "$TMP")
	work="perl $TMP/work.pl $dir"
}

# process_work: $work is a command that makes processes and knows which: $TMP/kids.pl
process_work() {
	perl_program kids <<'P'
$| = 1;
my ($forks, $execs) = (0, 0);
sub child { my $code = shift; my $pid = fork(); $forks++ if $pid; return $pid if $pid; $code->(); }
for my $status (0, 1, 1, 7, 7, 7) { my $p = child(sub { exec("/bin/sh", "-c", "exit $status") }); waitpid($p, 0); $execs++; }
for (1 .. 4) { my $p = child(sub { exec("/nonexistent/program"); exec("/dev/null"); syscall(231, 9) }); waitpid($p, 0); }
for my $sig (10, 15, 15) { my $p = child(sub { sleep(60) }); kill($sig, $p); waitpid($p, 0); }
for (1 .. 2) { my $p = child(sub { select(undef, undef, undef, 0.02); syscall(231, 5) }); waitpid($p, 0); }
print "forks $forks\nexecs $execs\nfailures 4\nkilled 3\nslept 2\n";
P
	work="perl $TMP/kids.pl"
}

# disk_work: $work writes 4 MiB to $file and makes them durable; skip where $TMP is on no disk
disk_work() {
	case $(df --output=source "$TMP" | tail -1) in
	/dev/*) ;;
	*) skip "the scratch folder is on no disk" ;;
	esac
	case $(stat -f -c %T "$TMP") in
	overlay*) skip "the scratch folder is on an overlay" ;;
	esac
	name=block$$
	file=$(realpath "$TMP")/$name
	work="dd if=/dev/zero of=$file bs=1M count=4 conv=fsync"
}
