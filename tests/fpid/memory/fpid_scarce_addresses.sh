# Hooks where addresses are scarce: below 2 GiB behind a large heap, by a limit of the process; counted and
# aggregated all the same. Where there is no room at all that is the reason.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh
need gcc

cat >"$TMP/scarce.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
__attribute__((noinline, noclone, noipa)) long count_me(long x) { return x + 1; }
int main(int argc, char **argv)
{
	rlim_t limit = (rlim_t)atol(argv[1]) << 20;
	struct rlimit r = {limit, limit};
	if (setrlimit(RLIMIT_AS, &r) || sbrk(atol(argv[2]) << 20) == (void *)-1)
		return 2;
	puts("ready");
	fflush(stdout);
	getchar();
	for (long i = 0; i < 1000; i++)
		count_me(i);
	return 0;
}
C
gcc -O1 -no-pie -o "$TMP/scarce" "$TMP/scarce.c" || fail "scarce.c does not compile"

# scarce LIMIT HEAP, in MiB: with hooks from here to the end
scarce() {
	start_ready "$TMP/scarce" "$@"
	trace -x fpidfallback=none -n 'fpid$target:a.out:count_me:entry { @[probefunc] = count(); @m = max(arg0); }' -p "$target"
	waits_for "$TMP/err" 'fpid: \|could not' "scarce $*"
	tell go
	exec 3>&-
	target_ends "scarce $*"
	trace_ends
}

for size in '100000 10' '100000 1000' '100000 1600' '800 10' '400 10'; do
	# shellcheck disable=SC2086
	scarce $size
	ends 0 "$size"
	is "$size" "$(echo $out)" "count_me 1000 999"
	like "$size" "$err" "*fpid: 1 function: 1 hooked*"
done
scarce 1 0
ends 1 "no room"
like "no room" "$err" "*count_me*: the process may not map memory: Cannot allocate memory*"
finish
