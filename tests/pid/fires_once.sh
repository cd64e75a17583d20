# -x oneshot: each probe fires once in a program that a process runs (or once in the run), whatever threads race for it, and its
# instruction is what it was from then on; what has fired is what pid counts, and what gcov says was executed.
# needs: user
# timeout: 300
. tests/lib/lib.sh
. tests/lib/attach.sh
need gcc

cat >"$TMP/once.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static pthread_barrier_t together;

NOINLINE long raced(long x)
{
	return x % 3 ? x * 5 + 3 : x - 1;
}

NOINLINE long before(long x)
{
	return x + 1;
}

NOINLINE long after(long x)
{
	return x + 2;
}

static void *race(void *arg)
{
	long x = (long)arg;

	for (int round = 0; round < 20; round++) {
		pthread_barrier_wait(&together);
		for (int i = 0; i < 20; i++)
			x = raced(x);
	}
	return (void *)x;
}

int main(int argc, char **argv)
{
	pthread_t t[8];
	long x = 0;
	int status = 0;

	if (argc > 1 && !strcmp(argv[1], "fork")) {
		x = before(x);
		if (!fork()) {
			for (int i = 0; i < 10; i++)
				x = after(before(x));
			_exit(x == 31 ? 0 : 1);
		}
		wait(&status);
		for (int i = 0; i < 10; i++)
			x = after(before(x));
		printf("%ld %d\n", x, status);
		return 0;
	}
	pthread_barrier_init(&together, NULL, 8);
	for (long i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, race, (void *)i);
	for (int i = 0; i < 8; i++) {
		void *r;

		pthread_join(t[i], &r);
		x ^= (long)r;
	}
	printf("%ld\n", x);
	return 0;
}
C
for flags in "-O2 -fcf-protection=full" -O0; do
	# shellcheck disable=SC2086
	gcc $flags -pthread -o "$TMP/once" "$TMP/once.c" || fail "gcc $flags"
	"$TMP/once" >"$TMP/free"

	# threads that race for it: once, with whatever is asked
	rm -f "$TMP/all"
	d -qn 'pid$target:once:raced: { @[probename] = count(); }' -o "$TMP/all" -c "$TMP/once"
	awk 'NF == 2 { print $1 }' "$TMP/all" | sort >"$TMP/executed"
	[ "$(wc -l <"$TMP/executed")" -ge 6 ] || fail "counts: $(cat "$TMP/all")"
	for prov in pid fpid; do
		for option in oneshot oneshot=process oneshot=run 'oneshot -x pidhooks'; do
			for clause in '@[probename] = count();' '@[probename] = sum(uregs[R_RDI] * 0 + 1); @s[ustack()] = count();' \
				'@[probename] = count(); printf("hit\n");'; do
				rm -f "$TMP/once.agg"
				# shellcheck disable=SC2086
				d -x $option -n "$prov\$target:once:raced: { $clause }" -o "$TMP/once.agg" -c "$TMP/once"
				ends 0 "$prov, $option, $clause"
				is "$prov, $option, $clause" "$out" "$(cat "$TMP/free")"
				awk 'NF == 2 && $2 ~ /^[0-9]+$/ && $1 ~ /^(entry|return|[0-9a-f]+)$/ { print $1, $2 }' "$TMP/once.agg" |
					sort >"$TMP/fired"
				is "$prov, $option, $clause" "$(cat "$TMP/fired")" "$(sed 's/$/ 1/' "$TMP/executed")"
				like "$prov, $option" "$err" "*oneshot: $(wc -l <"$TMP/executed") of * probes have fired*"
			done
		done
	done
done

# a real program: what fires is what pid counts
if command -v sqlite3 >/dev/null; then
	echo "create table t(a, b); with recursive c(x) as (values(1) union all select x + 1 from c where x < 40)
		insert into t select x, 'text ' || x from c; select count(*), sum(a), max(b) from t where a % 3 = 1;" >"$TMP/sql"
	functions=$(printf ',PROV$target:libsqlite3.so*:%s:' sqlite3_step sqlite3_value_text sqlite3_malloc64 sqlite3_free sqlite3_prepare_v2 | cut -c2-)
	rm -f "$TMP/all" "$TMP/once.agg"
	d -x aggsize=64m -qn "$(echo "$functions" | sed 's/PROV/pid/g') { @[probefunc, probename] = count(); }" -o "$TMP/all" -c "sqlite3 :memory: '.read $TMP/sql'"
	printed=$out
	awk 'NF == 3 { print $1, $2, 1 }' "$TMP/all" | sort >"$TMP/executed"
	[ "$(wc -l <"$TMP/executed")" -ge 100 ] || fail "sqlite3: $(cat "$TMP/all" "$TMP/err")"
	d -x oneshot -x aggsize=64m -qn "$(echo "$functions" | sed 's/PROV/fpid/g') { @[probefunc, probename] = count(); }" -o "$TMP/once.agg" \
		-c "sqlite3 :memory: '.read $TMP/sql'"
	is "sqlite3: what it prints" "$out" "$printed"
	awk 'NF == 3 { print $1, $2, $3 }' "$TMP/once.agg" | sort >"$TMP/fired"
	cmp -s "$TMP/executed" "$TMP/fired" || fail "sqlite3: (< pid, > once) $(diff "$TMP/executed" "$TMP/fired" | head)"
fi

# a child by fork goes on where its parent is; a program that is executed is a new one, unless once in the run is enough
once() { # once OPTION COMMAND: "FUNCTION PROCESSES" of entries
	rm -f "$TMP/once.agg"
	d -x "$1" -qx follow -n "fpid\$target:once:before:entry,fpid\$target:once:after:entry { @[probefunc, pid] = count(); @n[probefunc] = sum(1); }" \
		-Zo "$TMP/once.agg" -c "$2"
	ends 0 "$1, $2"
	is "$1, $2: each" "$(awk 'NF == 3 { print $3 }' "$TMP/once.agg" | sort -u)" 1
	awk 'NF == 2 { print $1, $2 }' "$TMP/once.agg" | sort | tr '\n' ' '
}
is "a child" "$(once oneshot "$TMP/once fork")" "after 2 before 1 "
is "a child, once in the run" "$(once oneshot=run "$TMP/once fork")" "after 1 before 1 "
is "programs" "$(once oneshot "sh -c '$TMP/once fork; $TMP/once fork; exec $TMP/once fork'")" "after 6 before 3 "
is "programs, once in the run" "$(once oneshot=run "sh -c '$TMP/once fork; $TMP/once fork; exec $TMP/once fork'")" "after 1 before 1 "

# of a process that runs: its code is its own where all has fired; each run fires anew
start_waits 4
tell run 10
waits_for "$TMP/said" 'calls 40$' "the first round"
for round in 1 2; do
	trace -qx oneshot -n 'fpid$target:waits:count_me: { @[probename] = count(); } BEGIN { printf("armed\n"); }' -p "$target"
	traced
	tell run 1000
	waits_for "$TMP/said" "calls $((round * 4000 + 40))\$" "round $round"
	"$TARGETS/textcheck" "$target" >"$TMP/text"
	is "its code, round $round" "$(grep waits "$TMP/text")" ""
	end_trace
	ends 0 "round $round"
	is "round $round" "$(echo "$out" | awk 'NF == 2 { print $2 }' | sort -u)" 1
	unharmed "$target" "round $round"
done
end_waits

# static probes: with the hit a program is told that nobody listens any more
: >"$TMP/said"
rm -f "$TMP/tell"
mkfifo "$TMP/tell"
"$TARGETS/usdt" 1000 wait <"$TMP/tell" >"$TMP/said" 2>&1 &
target=$!
exec 3>"$TMP/tell"
trace -qx oneshot -n 'BEGIN { printf("armed\n"); } shop$target:::open { @ = count(); }' -p "$target"
traced
for round in 1 2 3; do
	printf x >&3
	until [ "$(wc -l <"$TMP/said")" = $round ]; do kill -0 "$target" || break; done
done
end_trace
is "static probes" "$(echo $out)" "armed 1"
is "who listens" "$(tr '\n' ';' <"$TMP/said")" "open 0;open 0;open 0;"
exec 3>&-
target_ends "static probes"

# how it is asked for, and told
d -x oneshot=twice -n BEGIN
ends 1 "a wrong word"
like "a wrong word" "$err" "*off, process, run*"
d -x oneshot -lvn 'fpid$target:t:leaf:entry' -c "$TARGETS/t 1 1 quiet"
like "-lv" "$out" "*breakpoint: -x oneshot: until its first hit*"
d -x oneshot -x explain -n 'fpid$target:t:leaf: { @[probename] = count(); }' -c "$TARGETS/t 10 1 quiet"
like "-x explain" "$err" "*explain: * probes of process *: breakpoints, *: -x oneshot: until its first hit*"
like "-x explain" "$err" "*oneshot: * probes have fired*"
if "$TARGETS/deny" true; then
	"$TARGETS/deny" "$DTRACE" -x oneshot -qn 'fpid$target:t:leaf:entry { @ = count(); }' -c "$TARGETS/t 10 1 quiet" >"$TMP/out" 2>"$TMP/err" </dev/null
	like "without ptrace" "$(cat "$TMP/err")" "*failed to create entry probe for 'leaf': *ptrace*"
fi
finish
