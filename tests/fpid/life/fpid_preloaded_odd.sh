# The hooks that come by a preloaded library leave no trace in the program's environment and descriptors. What
# cannot be hooked like that says why: it is static, has other rights, executes another program. Whoever dies, it runs on.
# timeout: 300
. tests/lib/lib.sh

need cc
"$TARGETS/deny" true || skip "no filters of system calls here"
forbids='a seccomp filter forbids ptrace here: in a container, run it with --cap-add SYS_PTRACE'
forbidden() { # forbidden ARGS...: as d, under a filter that refuses ptrace
	"$TARGETS/deny" "$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}
any='fpid$target:libc*:malloc:entry { @ = count(); }'

# what it says is what it would say
cat >"$TMP/look.sh" <<'EOT'
env | grep -v ^_=
sh -c env | grep -c PRELOAD
for fd in /proc/$$/fd/*; do echo "${fd##*/}"; done
grep -c . /proc/$$/environ
exit 3
EOT
for preload in none '' /nonexistent.so; do
	(
		[ "$preload" = none ] || export LD_PRELOAD="$preload"
		"$TARGETS/deny" sh "$TMP/look.sh" >"$TMP/want" 2>/dev/null </dev/null
		forbidden -o "$TMP/agg" -n "$any" -c "sh $TMP/look.sh"
		like "LD_PRELOAD $preload: its status" "$err" "*dtrace: pid * exited with status 3*"
		is "LD_PRELOAD $preload: what it says" "$out" "$(cat "$TMP/want")"
		exit $failed
	) 2>/dev/null || failed=1
	[ -n "$(tr -d ' \n' <"$TMP/agg")" ] || fail "LD_PRELOAD $preload: nothing is counted"
	rm -f "$TMP/agg"
done
forbidden -qn "$any" -c "$TARGETS/t 1"
like "-q" "$err" ""
forbidden -n "$any" -c "$TARGETS/t 1"
like "it is said" "$err" "*dtrace: -c runs with hooks by a preloaded library, without pid probes: $forbids*"

# not by a preloaded library
forbidden -n 'fpid$target:::entry { @ = count(); }' -c "$TARGETS/t-static 1"
ends 1 "a static program"
is "a static program has not run" "$out" ""
like "a static program" "$err" "*dtrace: *: $forbids: $TARGETS/t-static does not load the hook library: it is statically linked"
cp "$TARGETS/t" "$TMP/t"
printf '#!%s/t\n' "$TMP" >"$TMP/script"
chmod +x "$TMP/script"
forbidden -qn 'fpid$target:a.out:main:entry { @ = count(); } END { printa("main %@d\n", @); }' -c "$TMP/script"
like "a script's interpreter" "$out" "*main 1*"
forbidden -n "$any" -c "$TMP/nowhere"
is "no program" "$err" "dtrace: failed to execute $TMP/nowhere: No such file or directory"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 4755 "$TMP/t"
	chmod go+rx "$TMP"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$TARGETS/deny" "$DTRACE" \
		-n 'fpid$target:::entry { @ = count(); }' -c "$TMP/t 1" >"$TMP/out" 2>"$TMP/err" </dev/null
	case $(cat "$TMP/err") in
	*'Permission denied'*) ;; # nobody may not look into this tree
	*) like "a setuid program" "$(cat "$TMP/err")" "*$TMP/t does not load the hook library: it runs with other rights than ours*" ;;
	esac
fi

# another program has none, which is told while it runs
mkfifo "$TMP/line"
"$TARGETS/deny" "$DTRACE" -n "$any" -c "sh -c 'echo here; exec cat'" >"$TMP/out" 2>"$TMP/err" <"$TMP/line" &
front=$!
exec 9>"$TMP/line"
until_said "$TMP/err" 'fpid: process [0-9]* has executed another program, which has no hooks' $front ||
	fail "exec: $(cat "$TMP/err")"
echo there >&9
exec 9>&-
wait $front
is "exec: status" $? 0
is "exec: the program" "$(head -2 "$TMP/out" | tr '\n' ' ')" "here there "

# the first hit of a thread is deep in its stack
cat >"$TMP/deep.c" <<'EOT'
#include <pthread.h>
#include <string.h>
static volatile long x;
__attribute__((noinline, noclone)) void leaf(const char *p) { x += p[0]; x++; x *= 3; }
__attribute__((noinline, noclone)) void down(int n)
{
	char b[500];

	memset(b, n, sizeof(b));
	if (n)
		down(n - 1);
	else
		leaf(b);
	b[n]++;
	x += b[n];
}
static void *thread_main(void *arg) { down(60); return arg; }
int main(void)
{
	for (int i = 0; i < 20; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, thread_main, NULL) || pthread_join(t, NULL))
			return 1;
	}
	return 0;
}
EOT
cc -O1 -o "$TMP/deep" "$TMP/deep.c" -lpthread || skip "cannot build"
forbidden -n 'fpid$target:a.out:leaf:entry { @[ustack(100)] = count(); }' -c "$TMP/deep"
case $err in *'cut off'*) fail "deep stacks: $err" ;; esac
is "deep stacks" "$(echo "$out" | grep -c 'deep`down')$(echo "$out" | tail -1 | tr -d ' ')" 6120

# nothing is lost at its end, and it ends with us in an orderly way only
forbidden -qn 'fpid$target:a.out:main:entry { printf("main\n"); } tick-10s { exit(1); } fpid$target::exit:entry { exit(4); }' -c "$TARGETS/t 1"
ends 4 "exit()"
like "exit()" "$out" "*main*"

for who in engine front; do
	"$TARGETS/deny" "$DTRACE" -qn "$any" -c "sh -c 'echo ready; read line; echo \"ends \$line\"'" \
		>"$TMP/out" 2>"$TMP/err" <"$TMP/line" &
	front=$!
	exec 9>"$TMP/line"
	until_said "$TMP/out" ready $front || fail "$who: $(cat "$TMP/err")"
	engine=$(engine_of $front)
	target=$(cat "/proc/$engine/task/$engine/children")
	if [ $who = engine ]; then
		kill -9 "$engine"
	else
		kill -9 $front
	fi
	wait $front
	echo well >&9
	exec 9>&-
	# shellcheck disable=SC2086
	until_gone $target || fail "$who: the program does not end"
	like "without its $who" "$(cat "$TMP/out")" "*ends well*"
done

# nobody answers any more: who loads libraries does not wait for ever
"$TARGETS/deny" "$DTRACE" -Zqn 'fpid$target:libresolv*:ns_get16:entry { printf("loaded\n"); }' -x switchrate=10hz \
	-c "$TARGETS/lazy 3000" -o "$TMP/loads" >"$TMP/out" 2>"$TMP/err" </dev/null &
front=$!
until_said "$TMP/loads" loaded $front || fail "dlopen: $(cat "$TMP/err")"
engine=$(engine_of $front)
target=$(cat "/proc/$engine/task/$engine/children")
kill -9 "$engine"
wait $front
# shellcheck disable=SC2086
until_gone $target || fail "dlopen: the program does not end"
is "dlopen without the engine" "$(cat "$TMP/out")" "ns_get16 9000"
finish
