# An indirect function (IFUNC) is probed where its calls go: in the implementation that its resolver has
# chosen, or will choose. The counts are those of the calls, under the name that was asked for.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh

need cc
cat >"$TMP/lib.c" <<'EOF'
static __attribute__((noinline)) int twice(int x)
{
	return x > 100 ? x : 2 * x;
}
static void *choose(void)
{
	return (void *)twice;
}
int indirect(int x) __attribute__((ifunc("choose")));
EOF
# Calls indirect(1..N) and strlen, memcpy, time N times each; waits for a line first if there is a
# second operand.
cat >"$TMP/prog.c" <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef LATE
static int (*indirect)(int);
#else
int indirect(int x);
#endif
int main(int argc, char **argv)
{
	size_t (*volatile length)(const char *) = strlen;
	void *(*volatile copy)(void *, const void *, size_t) = memcpy;
	time_t (*volatile now)(time_t *) = time;
	char text[64] = "seven..", other[64];
	long n = atol(argv[1]), sum = 0;
	int early = 0;

#ifdef LATE
	void *lib = dlopen(LATE, RTLD_LAZY);
	*(void **)&indirect = lib ? dlsym(lib, "indirect") : NULL;
#endif
	if (argc > 2) {
		early = indirect(1);
		puts("ready");
		fflush(stdout);
		getchar();
	}
	for (long i = 1; i <= n; i++) {
		sum += indirect((int)i) + (long)length(text);
		copy(other, text, 13);
		sum += now(NULL) == 0;
	}
	printf("%ld %d\n", sum, early);
	return 0;
}
EOF
(
	cd "$TMP" || exit
	cc -O1 -g -fno-builtin -shared -fPIC -o libindirect.so lib.c &&
		cc -O1 -g -fno-builtin -Wl,-z,lazy -o lazy prog.c -L. -lindirect "-Wl,-rpath,$TMP" &&
		cc -O1 -g -fno-builtin -Wl,-z,now -o now prog.c -L. -lindirect "-Wl,-rpath,$TMP" &&
		cc -O1 -g -fno-builtin -no-pie -fno-pie -o nopie prog.c lib.c &&
		cc -O1 -g -fno-builtin -static -o static prog.c lib.c &&
		cc -O1 -g -fno-builtin -static-pie -fPIE -o static-pie prog.c lib.c &&
		cc -O1 -g -fno-builtin "-DLATE=\"$TMP/libindirect.so\"" -o late prog.c
) || skip "no indirect functions here"

want='indirect entry 50
indirect return 50
memcpy entry 50
strlen entry 50
time entry 50'
own() { # own LIBC INDIRECT: the program
	cat <<EOF
pid\$target:$2:indirect:entry,pid\$target:$2:indirect:return { @[probefunc, probename] = count(); }
pid\$target:$1:strlen:entry /copyinstr(arg0) == "seven.."/ { @[probefunc, probename] = count(); }
pid\$target:$1:memcpy:entry /arg2 == 13/ { @[probefunc, probename] = count(); }
pid\$target:$1:time:entry { @[probefunc, probename] = count(); }
END { printa("%s %s %@d\n", @); }
EOF
}
counted() { grep . "$TMP/agg" | sort; }

for program in lazy now nopie static static-pie late; do
	libc=libc.so.6 lib=libindirect.so
	case $program in
	nopie) lib=a.out ;;
	static*) libc=a.out lib=a.out ;;
	esac
	rm -f "$TMP/agg"
	d -Zqn "$(own $libc $lib)" -o "$TMP/agg" -c "$TMP/$program 50"
	is "$program" "$(counted)" "$want"
	is "$program: output" "$out" "2900 0"
done

# What was chosen before the program runs its first instruction, and what is chosen after: the same.
rm -f "$TMP/agg"
d -x evaltime=exec -Zqn "$(own libc.so.6 libindirect.so)" -o "$TMP/agg" -c "$TMP/lazy 50"
is "from the first instruction" "$(counted)" "$want"

# Offsets are those of the implementation, patterns too; the resolver goes by its own name.
d -qn 'pid$target:libindirect.so:indirect: { @[probename] = count(); } END { printa("%s %@d\n", @); }' \
	-c "$TMP/now 7"
names=$(printf '%s\n' "$out" | awk '$2 == 7 { print $1 }' | sort | tr '\n' ' ')
like "every instruction" "$names" "0 *entry return *"
offset=$(printf '%s\n' "$names" | awk '{ print $2 }')
d -qn "pid\$target:libindirect.so:indirect:$offset { @ = count(); } END { printa(\"n %@d\n\", @); }" -c "$TMP/now 7"
like "one instruction" "$out" "*n 7*"
d -qn 'pid$target:libindirect.so:indirect:ffff { }' -c "$TMP/now 7"
like "beyond the implementation" "$err" "*: offset 0xffff outside of function 'indirect'*"
d -qn 'pid$target:libindirect.so:choose:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' \
	-x evaltime=preinit -c "$TMP/lazy 7"
like "the resolver" "$out" "*choose 1*"
d -qn 'pid$target:libindirect.so:twice:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' \
	-c "$TMP/lazy 7"
like "the implementation by its own name" "$out" "*twice 7"
d -ln 'pid$target:libindirect.so:indirect:entry,pid$target:libc.so.6:strlen:entry' -c "$TMP/lazy 7"
is "listed once" "$(printf '%s\n' "$out" | grep -c entry)" 2

# A running process, which has called it.
mkfifo "$TMP/in"
for program in lazy now static; do
	libc=libc.so.6 lib=libindirect.so
	[ $program = static ] && libc=a.out lib=a.out
	rm -f "$TMP/agg"
	"$TMP/$program" 50 wait <"$TMP/in" >"$TMP/said" &
	target=$!
	exec 9>"$TMP/in"
	waits_for "$TMP/said" ready "$program"
	trace -qn "BEGIN { printf(\"armed\\n\"); } $(own $libc $lib)" -o "$TMP/agg" -p "$target"
	tries=0
	until grep -q armed "$TMP/agg" 2>/dev/null || [ $tries -gt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	echo >&9
	exec 9>&-
	target_ends "$program"
	wait "$tracer" || fail "dtrace ended with $?: $(cat "$TMP/err")"
	is "$program, attached to" "$(grep -v armed "$TMP/agg" | sort | grep .)" "$want"
done

# With hooks.
rm -f "$TMP/agg"
d -qn 'fpid$target:libindirect.so:indirect:entry,fpid$target:libc.so.6:time:entry { @[probefunc] = count(); }
	END { printa("%s %@d\n", @); }' -o "$TMP/agg" -c "$TMP/now 50"
is "hooks" "$(counted)" "indirect 50
time 50"
# a resolver that chooses nothing is called all the same
cat >"$TMP/none.c" <<'EOF'
static void *choose_none(void)
{
	return 0;
}
void nothing(void) __attribute__((ifunc("choose_none")));
int main(void)
{
	void (*volatile where)(void) = nothing;

	return where != 0;
}
EOF
cc -o "$TMP/none" "$TMP/none.c" || fail "none.c"
d -x evaltime=exec -qn 'pid$target:a.out::entry { @[probefunc] = count(); }' -c "$TMP/none"
ends 0 "nothing is chosen"
is "nothing is chosen" "$err" ""
finish
