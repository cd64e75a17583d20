# Programs that include dtrace/probe.h have their probes: C and C++, gcc and clang, a note for each with the values, a nop
# where it stands; what is asked first is not computed while nobody traces. And a library for languages without probes.
. tests/lib/lib.sh
need cc

cat >"$TMP/p.c" <<'EOC'
#include <dtrace/probe.h>
#include <stdint.h>
#include <stdio.h>
DTRACE_SEMAPHORE(shop, sell__it);
DTRACE_TYPES(shop, sell__it, "int, char *");
struct item;
int asked;
static const char *name_of(int i)
{
	asked++;
	return i ? "pear" : "apple";
}
int main(int argc, char **argv)
{
	char word[6] = "array";
	short s = -3;
	unsigned char u = 200;
	uint64_t big = 1ULL << 63;
	struct item *it = 0;
	long l = -5;
	int i;

	(void)argv;
	DTRACE_PROBE(shop, open);
	for (i = 0; i < 2; i++) {
		DTRACE_PROBE(shop, all, i, s, u, big, word, it, l, 7);
		if (DTRACE_ENABLED(shop, sell__it))
			DTRACE_PROBE(shop, sell__it, argc + i, name_of(i));
	}
	printf("asked %d\n", asked);
	return 0;
}
EOC
program='shop$target:::open { trace("open\n"); }
	shop$target:::all { printf("%d %d %d %x %s %d %d %d\n", args[0], args[1], args[2], args[3], copyinstr(arg4), arg5, args[6],
		args[7]); }
	shop$target:::sell-it { printf("sell %d %s\n", args[0], stringof(args[1])); }'
for cc in "gcc -O2" "gcc -O0 -no-pie" "gcc -O2 -fPIC -static" "g++ -x c++ -O1" "clang -O2" "clang++ -x c++ -O0"; do
	command -v ${cc%% *} >/dev/null || continue
	$cc -Wall -Wextra -Werror -I hook/app -o "$TMP/p" "$TMP/p.c" || fail "$cc"
	is "$cc: untraced" "$("$TMP/p")" "asked 0"
	d -qn "$program" -o "$TMP/traced" -c "$TMP/p"
	ends 0 "$cc"
	is "$cc" "$(cat "$TMP/traced")" "open
0 -3 200 8000000000000000 array 0 -5 7
sell 1 apple
1 -3 200 8000000000000000 array 0 -5 7
sell 2 pear"
	is "$cc: traced" "$out" "asked 2"
	rm "$TMP/traced"
done
cc -Wall -Werror -DDTRACE_NO_PROBES -I hook/app -c -o "$TMP/n.o" -x c - <<'EOC' || fail "without probes"
#include <dtrace/probe.h>
DTRACE_SEMAPHORE(a, b);
DTRACE_TYPES(a, b, "int");
int f(int x) { DTRACE_PROBE(a, b, x); return DTRACE_ENABLED(a, b); }
EOC
# One instruction, and the program's own notes name no file of ours.
cc -O2 -I hook/app -c -o "$TMP/one.o" -x c - <<'EOC' || fail "one probe"
#include <dtrace/probe.h>
void f(int x, char *s) { DTRACE_PROBE(a, b, x, s); }
EOC
is "the cost" "$(objdump -d --no-show-raw-insn "$TMP/one.o" | sed -n 's/^ *[0-9a-f]*:\t//p' | sed 's/ *$//' | grep -v endbr)" "nop
ret"

if command -v tclsh >/dev/null; then
	cat >"$TMP/job.tcl" <<EOC
load $TARGETS/../libdtrace-script.so
dtrace_event "line [expr 1 + 1]"
puts [list [dtrace_event_enabled] [catch dtrace_event why] \$why]
EOC
	d -Zqn 'script$target:::event { printf("%s from %s", copyinstr(arg0), execname); }' -o "$TMP/traced" -c "tclsh $TMP/job.tcl"
	ends 0 tclsh
	is tclsh "$(cat "$TMP/traced")" "line 2 from tclsh"
	is "tclsh: it is told that somebody traces, and how to call it" "$out" '1 1 {wrong # args: should be "dtrace_event text"}'
	is "tclsh: untraced" "$(tclsh "$TMP/job.tcl")" '0 1 {wrong # args: should be "dtrace_event text"}'
	rm "$TMP/traced"
fi

command -v python3 >/dev/null || finish
d -Zqn 'script$target:::event { printf("%s from %s\n", copyinstr(arg0), execname); }' -o "$TMP/traced" -c \
	"python3 -c 'import ctypes; l = ctypes.CDLL(\"$TARGETS/../libdtrace-script.so\"); [l.dtrace_event(b\"line %d\" % i) for i in range(3)]; print(l.dtrace_event_enabled())'"
ends 0 python3
is python3 "$(cat "$TMP/traced")" "line 0 from python3
line 1 from python3
line 2 from python3"
is "it is told that somebody traces" "$out" 1
finish
