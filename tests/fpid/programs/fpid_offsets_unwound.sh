# Each instruction of functions that are left by exceptions, longjmp() and handlers of signals, and that look at their own stack, has a
# probe: the program says what it says untraced, and counts, stacks and records are those of pid.
# needs: user
# timeout: 300
. tests/lib/lib.sh
. tests/lib/attach.sh
need g++

cat >"$TMP/unwound.cc" <<'C'
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile long destroyed;
static long handled;
static sigjmp_buf back;

struct counted {
	long v;
	explicit counted(long x) : v(x) {}
	~counted() { destroyed = destroyed + v; }
};

extern "C" {
APART long throws(long n)
{
	counted c(n);

	if (n % 3 == 0)
		throw std::runtime_error("three");
	if (n % 5 == 0)
		throw n;
	return n;
}

APART long passes(long n)
{
	counted a(1), b(2);
	long r = throws(n) + 1;

	return n > 40 ? r + throws(n - 40) : r;
}

APART long catches(long n)
{
	try {
		return passes(n);
	} catch (const std::runtime_error &e) {
		return (long)strlen(e.what());
	} catch (long v) {
		return -v;
	}
}

APART long rethrows(long n)
{
	try {
		return catches(n) + passes(n + 1);
	} catch (...) {
		if (n & 1)
			throw;
		return 7;
	}
}

APART void jumps(long n)
{
	if (n > 0)
		jumps(n - 1);
	else
		siglongjmp(back, 3);
}

APART long lands(long n)
{
	volatile long kept = n * 2;

	switch (sigsetjmp(back, 1)) {
	case 0:
		jumps(n % 7);
		return -1;
	case 3:
		return kept;
	default:
		return -kept;
	}
}

APART void on_signal(int sig, siginfo_t *, void *)
{
	handled += sig;
	if (handled % 4 == 0)
		siglongjmp(back, 4);
}

APART long interrupted(long n)
{
	volatile long kept = n;

	if (sigsetjmp(back, 1))
		return kept + 1;
	raise(n & 1 ? SIGUSR1 : SIGUSR2);
	return kept;
}

APART long looks(long n)
{
	void *pcs[64];
	int depth = backtrace(pcs, 64);
	char **names = n == 1 ? backtrace_symbols(pcs, depth) : nullptr;

	for (int i = 0; names && i < depth && strstr(names[i], "unwound"); i++)
		if (const char *place = strchr(names[i], '('))
			printf("%.*s\n", (int)strcspn(place, ")"), place);
	free(names);
	return n ? depth + looks(n - 1) : depth;
}
}

static void *work(void *arg)
{
	long rounds = (long)arg, sum = 0;

	for (long n = 1; n <= rounds; n++) {
		sum += catches(n);
		try {
			sum += rethrows(n);
		} catch (...) {
			sum++;
		}
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	long rounds = atol(argv[1]), sum = 0;
	struct sigaction sa = {};
	pthread_t t[2];
	stack_t ss = {};

	ss.ss_size = 65536;
	ss.ss_sp = malloc(ss.ss_size);
	sigaltstack(&ss, nullptr);
	sa.sa_sigaction = on_signal;
	sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigaction(SIGUSR1, &sa, nullptr);
	sa.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGUSR2, &sa, nullptr);
	for (auto &i : t)
		pthread_create(&i, nullptr, work, (void *)rounds);
	for (auto i : t) {
		void *r;

		pthread_join(i, &r);
		sum += (long)r;
	}
	for (long n = 1; n <= rounds; n++)
		sum += lands(n) + interrupted(n);
	sum += looks(argc > 2 ? 1 : 6);
	printf("%ld %ld\n", sum, handled);
	return 0;
}
C

names="throws passes catches rethrows jumps lands on_signal interrupted looks"
# all PROV: each instruction, and entry and return, of them
all() {
	for name in $names; do
		printf ",$1\$target:unwound:%s:,$1\$target:unwound:%s.cold:" $name $name
	done | cut -c2-
}

# same WHAT CLAUSE ROUNDS OPTION...
same() {
	same_what=$1 same_clause=$2 rounds=$3
	shift 3
	"$TMP/unwound" $rounds >"$TMP/free" 2>&1
	for prov in pid fpid; do
		rm -f "$TMP/$prov"
		d -x aggsize=64m -Zq "$@" -n "$(all $prov) { $same_clause }" -o "$TMP/$prov" -c "$TMP/unwound $rounds"
		ends 0 "$flags, $same_what, $prov"
		is "$flags, $same_what, $prov" "$out" "$(cat "$TMP/free")"
		is "$flags, $same_what, $prov" "$(echo "$err" | grep -v breakpoint)" ""
		sed 's/^ *//; s/  */ /g; /^$/d' "$TMP/$prov" | sort >"$TMP/by_$prov"
	done
	[ "$(wc -l <"$TMP/by_pid")" -ge 200 ] || fail "$flags, $same_what: $(cat "$TMP/by_pid")"
	cmp -s "$TMP/by_pid" "$TMP/by_fpid" || fail "$flags, $same_what: (< pid, > fpid)
$(diff "$TMP/by_pid" "$TMP/by_fpid" | head -20)"
}

for flags in -O2 -O0 "-O1 -fno-omit-frame-pointer"; do
	# shellcheck disable=SC2086
	g++ -g -std=c++17 $flags -rdynamic -pthread -o "$TMP/unwound" "$TMP/unwound.cc" || fail "g++ $flags"
	same "counts" '@[probefunc, probename] = count();' 60
	same "by code" '@[probefunc, probename] = sum(arg0 * 0 + 2);' 30
	same "stacks" '@[probefunc, probename, ustack(12)] = count();' 12
	same "records" '@[probefunc, probename, tid != pid] = count(); @r = max(uregs[R_RSP] != 0);' 30 -x claim=off
	d -n "$(all fpid) { @[probename] = count(); }" -Z -c "$TMP/unwound 10"
	like "$flags" "$err" "*fpid: * instructions: [1-9]* hooked*"
	d -qx oneshot -Zn "$(all fpid) { @[probefunc, probename] = count(); }" -o "$TMP/once" -c "$TMP/unwound 60"
	is "$flags, -x oneshot" "$out" "$("$TMP/unwound" 60)"
	is "$flags, -x oneshot" "$(awk 'NF == 3 { print $3 }' "$TMP/once" | sort -u)" 1
	rm -f "$TMP/once"

	# attached to and left in the middle, again and again
	"$TMP/unwound" 40000 >"$TMP/said" 2>&1 &
	target=$!
	for clause in '@[probename] = count();' '@[probename] = sum(arg0 * 0 + 1);' '@[ustack(4)] = count();' '@[probename] = count();'; do
		"$DTRACE" -qZn "$(all fpid) { $clause } tick-50ms { exit(0); }" -p $target >"$TMP/out" 2>"$TMP/err" </dev/null
	done
	target_ends "$flags, attached to"
	is "$flags, attached to" "$(cat "$TMP/said")" "$("$TMP/unwound" 40000 2>&1)"
done
finish
