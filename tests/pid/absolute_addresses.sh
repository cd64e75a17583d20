# The function '-' takes an address: of the program's file, or of the running process, wherever there is
# code: in the program, in a library, in memory of no file.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

need cc nm
cat >"$TMP/prog.c" <<'EOF'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline, noipa)) int seven(void)
{
	return 7;
}
int main(void)
{
	static const unsigned char code[] = {0x55, 0xb8, 7, 0, 0, 0, 0x5d, 0xc3};
	void *mem = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	memcpy(mem, code, sizeof(code));
	printf("%lx %lx %lx\n", (long)mem, (long)getppid, (long)seven);
	fflush(stdout);
	getchar();
	for (int i = 0; i < 5; i++) {
		sum += ((int (*)(void))mem)() + seven();
		getppid();
	}
	return sum != 70;
}
EOF
cc -O1 -o "$TMP/prog" "$TMP/prog.c" || skip "cannot build"
inside=$(nm "$TMP/prog" | awk '$3 == "seven" { sub(/^0*/, "", $1); print $1 }')
mkfifo "$TMP/in"
"$TMP/prog" <"$TMP/in" >"$TMP/said" &
target=$!
exec 9>"$TMP/in"
waits_for "$TMP/said" ' ' prog
read -r memory library program <"$TMP/said"

refused() { # refused DESCRIPTION PATTERN
	d -x errtags -qn "pid\$target:$1 { exit(0); }" -p "$target"
	ends 1 "$1"
	like "$1" "$err" "dtrace: invalid probe specifier *: $2"
}
refused "a.out:-:$library" "\[D_PROC_LIB\] only the a.out module is valid with the '-' function"
refused 'a.out:-:0' "\[D_PROC_CREATEFAIL\] failed to create probe at '0x0': * is not in executable memory of *"
refused ':-:ffffffff0' "\[D_PROC_CREATEFAIL\] failed to create probe at '0xffffffff0': *"
refused "a.out:-:${inside}x" "\[D_PROC_NAME\] '${inside}x' is an invalid probe name"

trace -qn "BEGIN { printf(\"armed\\n\"); }
	pid\$target::-:$memory,pid\$target::-:$library,pid\$target:a.out:-:$program,pid\$target:prog:-:$inside
	{ @[probemod, probefunc, probename] = count(); } END { printa(\"%s %s %s %@d\\n\", @); }" \
	-o "$TMP/agg" -p "$target"
tries=0
until grep -q armed "$TMP/agg" 2>/dev/null || [ $tries -gt 500 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
echo >&9
exec 9>&-
target_ends "the program"
wait "$tracer" || fail "dtrace ended with $?: $(cat "$TMP/err")"
is "hits" "$(grep -e ' - ' "$TMP/agg" | sort)" "$(printf '%s\n' "libc.so.6 - $library 5" \
	"prog - $inside 5" "prog - $memory 5" "prog - $program 5" | sort)"
finish
