# copyinstr() takes that many bytes, the NUL among them; frames of stacks have a default and a maximum.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target::main:entry { a = *(uint64_t *)copyin(arg1, 8); printf("[%s][%s][%s][%s]\n", copyinstr(a, 8),
		copyinstr(a, 1), copyinstr(a, 0), copyinstr(a, 1000)); exit(0); }' -c "$TARGETS/t 1" -o "$TMP/o"
path=$TARGETS/t
is "with a size" "$(head -1 "$TMP/o")" "[$(printf %.7s "$path")][][][$path]"
rm "$TMP/o"
d -x strsize=6 -qn 'pid$target::main:entry { printf("[%s]\n", copyinstr(*(uint64_t *)copyin(arg1, 8))); exit(0); }' \
	-c "$TARGETS/t 1" -o "$TMP/o"
is "strsize" "$(head -1 "$TMP/o")" "[$(printf %.5s "$path")]"
rm "$TMP/o"

cat >"$TMP/deep.c" <<'END'
#include <stdlib.h>
__attribute__((noinline)) int bottom(int n) { __asm__ volatile(""); return n; }
__attribute__((noinline)) int down(int n) { int r = n ? down(n - 1) : bottom(n); __asm__ volatile(""); return r + 1; }
int main(int n, char **v) { (void)n; return down(atoi(v[1])) == -1; }
END
cc -O1 -g -fno-optimize-sibling-calls -o "$TMP/deep" "$TMP/deep.c" || skip "no C compiler"
frames() { # frames WHAT OPTIONS...
	what=$1
	shift
	rm -f "$TMP/o"
	d "$@" -qn "pid\$target:a.out:bottom:entry { $what; }" -c "$TMP/deep 300" -o "$TMP/o"
	grep -c . "$TMP/o"
}
most=$(cat /proc/sys/kernel/perf_event_max_stack 2>/dev/null || echo 127)
is "ustack()" "$(frames 'ustack()')" 100
is "ustackframes" "$(frames 'ustack()' -x ustackframes=30)" 30
is "-x maxframes=5, ustack(9)" "$(frames 'ustack(9)' -x maxframes=5)" 5
is "-x maxframes=5, ustack()" "$(frames 'ustack()' -x maxframes=5)" 5
is "ustack(300)" "$(frames 'ustack(300)')" "$most"
is "-x maxframes=290" "$(frames 'ustack(300)' -x maxframes=290)" 290
is "ustackdepth" "$(frames 'printf("%d", ustackdepth)' && cat "$TMP/o")" "1
$most"
is "ustackdepth, -x maxframes=7" "$(frames 'printf("%d", ustackdepth)' -x maxframes=7 && cat "$TMP/o")" "1
7"
finish
