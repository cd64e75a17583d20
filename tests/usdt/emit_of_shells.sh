# dtrace --emit: what a shell script says reaches the traces that run, once, in the order of time with what it does besides, with the
# process that it speaks of; what others send is looked at.
. tests/lib/lib.sh
need python3

d --emit phase nobody
ends 0 "nobody listens"
d --emit 'two words' x
ends 1 "no name"
like "no name" "$err" "*'two words' is no process and no name of an event*"
d --emit phase
ends 2 "no text"
d --emit phase a b
ends 2 "two texts"

# Each once, however many there are; behind what it follows and before what follows it.
cat >"$TMP/job.sh" <<'EOC'
mypid=$$
for i in 1 2 3 4 5 6 7 8 9 10; do
	"$DTRACE" --emit $mypid "before $i"
	cd "$1/d$i"
	"$DTRACE" --emit after "after $i"
done
"$DTRACE" --emit end ''
EOC
for i in 1 2 3 4 5 6 7 8 9 10; do mkdir "$TMP/d$i"; done
d -qn 'script:::event, script:::after /pid == $target/ { printf("%s %s\n", args[0], execname); }
	script:::end { printf("[%s] %d\n", args.text, strlen(args[0])); exit(0); }' -c "sh $TMP/job.sh $TMP"
ends 0 "a script"
is "each once, in order" "$(printf '%s\n' "$out" | sed '/^$/d')" "$(for i in 1 2 3 4 5 6 7 8 9 10; do echo "before $i sh
after $i sh"; done
echo '[] 0')"
if [ "$(id -u)" = 0 ]; then
	d -qn 'script:::event, script:::after /pid == $target/ { printf("%s\n", args[0]); }
		syscall::chdir:entry /pid == $target/ { printf("chdir\n"); }' -c "sh $TMP/job.sh $TMP"
	ends 0 "among system calls"
	is "one timeline" "$(printf '%s\n' "$out" | grep -A 99 before | sed '/^$/d; s/ [0-9]*$//' | uniq -c | sed 's/^ *//' | sort | uniq -c | sed 's/^ *//')" "10 1 after
10 1 before
10 1 chdir"
fi

# A socket that anybody may talk to: other users' words and broken messages are left out, silent connections hold nothing up.
"$DTRACE" -qn 'BEGIN { printf("ready\n"); } script:::event { printf("<%s> %d\n", args[0], pid); } script:::end { exit(0); }' >"$TMP/said" 2>&1 &
tracer=$!
until_said "$TMP/said" ready $tracer || fail "it does not start"
cat >"$TMP/talk.py" <<'EOC'
import os, socket, struct, sys, time
def send(data, hold=False):
    all = []
    for i in range(16):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            s.connect("\0dtrace-script-%s-%d" % (sys.argv[1], i))
            if not hold: s.send(data)
            all.append(s)
        except OSError:
            pass
    return all
def message(name, text, pid=1, magic=0x31747063, time_ns=1):
    return struct.pack("<Iii16s4xQ64s", magic, pid, 7, b"anybody", time_ns, name) + text
held = [] if sys.argv[2:] else [send(b"", True) for i in range(20)]
if len(sys.argv) > 2:
    os.setuid(65534)
    send(message(b"event", b"another user\0", time_ns=time.monotonic_ns()))
    print(os.getpid())
    sys.exit()
send(b"x")
send(message(b"event", b""))
send(message(b"event", b"no end"))
send(message(b"event", b"bad magic\0", magic=5))
send(message(b"e" * 64, b"endless name\0"))
send(message(b"nosuch", b"nobody asked\0"))
send(message(b"event", b"x" * 8000 + b"\0"))
send(message(b"event", b"good\0", pid=os.getpid(), time_ns=time.monotonic_ns()))
print(os.getpid())
EOC
other=
if [ "$(id -u)" = 0 ]; then # root hears of all, but nobody speaks for init
	other=$(python3 "$TMP/talk.py" "$(id -u)" other)
	other="
<another user> $other"
fi
who=$(python3 "$TMP/talk.py" "$(id -u)")
d --emit end ''
wait $tracer || fail "the trace ends with $?"
is "what is taken" "$(sed '/^$/d' "$TMP/said")" "ready$other
<good> $who"
[ "$(id -u)" = 0 ] || finish

# Another user takes our names before us, and lets nobody in; then he connects to the trace without end.
cat >"$TMP/enemy.py" <<'EOC'
import os, select, socket, sys
os.setuid(65534)
def connect(name):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.setblocking(False)
    try:
        s.connect(name)
    except OSError:
        pass
    return s
held = []
if sys.argv[1] == "takes":
    for i in range(16):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            s.bind("\0dtrace-script-0-%d" % i)
        except OSError:
            continue
        s.listen(0)
        held += [s] + [connect("\0dtrace-script-0-%d" % i) for j in range(2)]
names = ["\0" + line.split("@")[1].strip() for line in open("/proc/net/unix") if "@dtrace-script-0-" in line]
if sys.argv[1] == "says_nothing":
    for i in range(400):
        held += [connect(name) for name in names]
print("begun", flush=True)
if sys.argv[1] == "floods":
    while not select.select([0], [], [], 0)[0]:
        for name in names:
            connect(name)
else:
    sys.stdin.read()
EOC
enemy() { # enemy WHAT: until the other end of the pipe is closed
	mkfifo "$TMP/$1"
	python3 "$TMP/enemy.py" "$1" <"$TMP/$1" >"$TMP/$1.said" 2>&1 &
	enemy=$!
	exec 9>"$TMP/$1"
	until_said "$TMP/$1.said" begun $enemy || fail "no enemy: $(cat "$TMP/$1.said")"
}
trace() {
	rm -f "$TMP/said"
	"$DTRACE" -qn 'BEGIN { printf("ready\n"); } script:::event { n++; } script:::end { printf("%d\n", n); exit(0); }' >"$TMP/said" 2>&1 &
	tracer=$!
	until_said "$TMP/said" ready $tracer || fail "it does not start: $(cat "$TMP/said")"
}
enemy takes
d --emit event x
ends 0 "nobody of ours listens"
trace
d --emit event x
ends 0 "his are not waited for"
d --emit end ''
wait $tracer || fail "the trace ends with $?"
is "other names are free" "$(sed '/^$/d' "$TMP/said")" "ready
1"
exec 9>&-
wait $enemy
for what in floods says_nothing; do
	trace
	enemy $what
	n=0
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$DTRACE" --emit event x 9>&- && n=$((n + 1))
	done
	exec 9>&-
	wait $enemy
	d --emit end ''
	ends 0 "$what: no end"
	wait $tracer || fail "the trace ends with $?"
	is "$what: what has been taken in has come" "$(sed '/^$/d' "$TMP/said")" "ready
$n"
	[ $n -ge 5 ] || fail "$what: $n of 10 events came through"
done
finish
