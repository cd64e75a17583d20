# What a clause of an emitted event asks of the process is had at the event that it was emitted at:
# stacks, memory, names; of system calls, which are told later, too. Each event comes once.
. tests/lib/lib.sh

cat >"$TMP/t.c" <<'EOC'
#include <fcntl.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int n, const char *s) { return write(open("/dev/null", O_WRONLY), s, n) > 0; }
__attribute__((noinline)) int caller(int n) { return leaf(n, "hello") + 1; }
int main(void) { int r = 0; for (int i = 0; i < 5; i++) r += caller(i + 1); return r == 0; }
EOC
need cc
cc -O1 -g -fno-inline -o "$TMP/t" "$TMP/t.c" || fail "cc"
d -qn 'pid$target:a.out:leaf:entry { emit("leaf", (int)arg0, (uintptr_t)arg1); }
	emit:::leaf { @[ustack(2)] = count(); printf("%d %s %s\n", args[0], copyinstr(args[1]), execname); }' -c "$TMP/t"
ends 0 stacks
is "fields and memory" "$(printf '%s\n' "$out" | grep hello)" "1 hello t
2 hello t
3 hello t
4 hello t
5 hello t"
like "frames of the event that it was emitted at" "$out" "*leaf*caller*5*"
d -qn 'syscall::write:entry /pid == $target/ { emit("wrote", copyinstr(arg1, arg2), arg2); }
	emit:::wrote { @[args[0], execname] = sum(args[1]); @n = count(); }
	END { printa("%s %s %@d\n", @); printa("%@d\n", @n); }' -c "$TMP/t"
ends 0 "system calls"
is "each once" "$(printf '%s\n' "$out" | sed '/^$/d')" " t 1
h t 2
he t 3
hel t 4
hell t 5
5"
d -qn 'fpid$target:a.out:leaf:entry { emit("leaf", (int)arg0, "text"); }
	emit:::leaf { @[args[1], ustack(2)] = count(); @s = sum(args[0]); }' -c "$TMP/t"
ends 0 hooks
like "frames of a hook" "$out" "*text*leaf*caller*5*15*"
d -qn 'fpid$target:a.out:leaf:entry { emit("leaf", (uintptr_t)arg1); }
	emit:::leaf { @[copyinstr(args[0])] = count(); }' -c "$TMP/t"
ends 0 "memory of hooks"
like "memory while the thread is there" "$out" "*hello*5*"
finish
