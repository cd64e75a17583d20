# Instructions of functions by their offsets: the same probes as pid's, with the same counts, arguments and registers, next to
# entry and return of the same functions, in threads, in children that are followed, and attached to.
# needs: user
# timeout: 300
. tests/lib/lib.sh
. tests/lib/attach.sh
need objdump

# probes PROV FUNCTIONS [NAME]: descriptions
probes() {
	for f in $2; do
		printf '%s$target:%s:%s,' "$1" "$f" "${3-}"
	done | sed 's/,$//'
}

# by PROV FUNCTIONS CLAUSE ARGS...: what is printed, sorted, without the letters of the provider
by() {
	by_prov=$1
	by_probes=$(probes "$1" "$2")
	by_clause=$3
	shift 3
	rm -f "$TMP/$by_prov"
	d -x aggsize=64m -qn "$by_probes $by_clause" -o "$TMP/$by_prov" "$@"
	ends 0 "$by_prov: $*"
	sed 's/^ *//; s/  */ /g; /^$/d' "$TMP/$by_prov" | sort >"$TMP/by_$by_prov"
}

# same LEAST WHAT FUNCTIONS CLAUSE ARGS...: by both, at least so many lines
same() {
	same_least=$1
	same_what=$2
	shift 2
	by pid "$@"
	by fpid "$@"
	[ "$(wc -l <"$TMP/by_pid")" -ge "$same_least" ] || fail "$same_what: $(cat "$TMP/by_pid")"
	cmp -s "$TMP/by_pid" "$TMP/by_fpid" || fail "$same_what: (< pid, > fpid)
$(diff "$TMP/by_pid" "$TMP/by_fpid" | head -20)"
}

every='t:leaf t:branchy t:recurse t:six t:tail t:work t:hidden'
counts='{ @[probefunc, probename] = count(); }'
same 100 "counts" "$every" "$counts" -c "$TARGETS/t 300 4 quiet"
same 100 "arguments" "$every" '{ @[probefunc, probename] = sum(probename == "return" ? arg1 : arg0); }' -c "$TARGETS/t 300 1 quiet"
same 100 "registers" "$every" '{ @[probefunc, probename] = sum(uregs[R_RDI]); }' -c "$TARGETS/t 300 1 quiet"
same 100 "other arguments" "$every" '/probename != "entry"/ { @[probefunc, probename] = sum(arg5 + arg7); }' -c "$TARGETS/t 300 1 quiet"
same 100 "flags" "$every" '{ @[probefunc, probename] = sum(uregs[R_RFL] & 0x8c1); }' -c "$TARGETS/t 300 1 quiet"
same 20 "predicates" "$every" '/arg0 & 1/ { @[probefunc, probename, arg0] = count(); }' -c "$TARGETS/t 300 1 quiet"
same 20 "variables" 't:leaf t:branchy' '{ self->n++; this->d = self->n * arg0; @[probename] = max(this->d); }' -c "$TARGETS/t 300 1 quiet"
same 20 "records" 't:leaf t:branchy t:six' '{ printf("%s %s %d\n", probefunc, probename, (int)arg0); }' -c "$TARGETS/t 30 1 quiet"
same 20 "callers" 't:leaf t:branchy' '{ @[probename, ufunc(ucaller)] = count(); }' -c "$TARGETS/t 30 1 quiet"
same 20 "children" 't:leaf t:branchy' "$counts" -Zx follow -c "sh -c '$TARGETS/t 50 1 quiet; $TARGETS/t 70 2 quiet; exit 0'"

# what is not in the same breath: one instruction, and entries alone
last=$(awk '$1 == "leaf" && $2 ~ /^[0-9a-f]+$/ { print $2 }' "$TMP/by_pid" | tail -1)
d -qn "fpid\$target:t:leaf:$last { @a = count(); } fpid\$target:t::entry { @b[probefunc] = count(); }" -c "$TARGETS/t 1000 3 quiet"
ends 0 "one instruction"
is "one instruction" "$(echo "$out" | awk 'NF == 1 { print $1 }')" "$(echo "$out" | awk '$1 == "leaf" { print $2 }')"

leaves=$(echo "$out" | awk '$1 == "leaf" { print $2 }')

# an address, as in the file or in the process
at=$(nm "$TARGETS/t" | awk '$3 == "leaf" { print $1 }')
d -qn "fpid\$target:t:-:$at { @ = count(); }" -c "$TARGETS/t 1000 3 quiet"
ends 0 "an address"
is "an address" "$(echo $out)" "$leaves"

# a `ret` of one byte that is jumped to, where not even a short jump has room: what leads there is moved, unless a breakpoint stands there
if command -v gcc >/dev/null; then
	cat >"$TMP/walks.c" <<'C'
#include <stdio.h>

unsigned walks(unsigned long n);
__asm__(".text\n.globl walks\n.type walks, @function\n"
	"walks: cmp $1, %rdi\n je 3f\n mov $0, %eax\n jmp 2f\n"
	"1: add $1, %eax\n cmp $1, %rdi\n je 4f\n 2: test $1, %dil\n je 5f\n lea 1(%rdi,%rdi,2), %rdi\n jmp 1b\n"
	"5: shr %rdi\n jmp 1b\n 3: ret\n 4: ret\n.size walks, . - walks\n");

int main(void)
{
	unsigned long sum = 0;

	for (unsigned long n = 1; n < 300; n++)
		sum += walks(n);
	printf("%lu\n", sum);
	return 0;
}
C
	gcc -O1 -o "$TMP/walks" "$TMP/walks.c" || fail "gcc"
	same 15 "returns that are jumped to" walks:walks "$counts" -c "$TMP/walks"
	same 15 "returns that are jumped to, by code" walks:walks '{ @[probename] = sum(arg0 * 0 + uregs[R_RSP] % 16); }' -c "$TMP/walks"
	same 15 "returns that are jumped to, stacks" walks:walks '{ @[probename, ustack(2)] = count(); }' -c "$TMP/walks"
	d -x fpidfallback=none -n 'fpid$target:walks:walks: { @[probename] = count(); }' -c "$TMP/walks"
	ends 0 "returns that are jumped to"
	like "returns that are jumped to" "$err" "*fpid: 1 function: 1 hooked, 0 by breakpoint*fpid: * instructions: * hooked, 0 by breakpoint*"
	last=$(objdump -d --no-show-raw-insn "$TMP/walks" | awk '
		$2 == "<walks>:" { begin = $1; on = 1 }
		on && $2 == "ret" { end = $1 }
		on && !NF { exit }
		END { print "0x" substr(end, 1, length(end) - 1), "0x" begin }')
	last=$(printf %x $((${last% *} - ${last#* })))
	for probes in return entry,fpid\$target:walks:walks:return "$last" ''; do
		d -qn "pid\$target:walks:walks:$last { @p = count(); } fpid\$target:walks:walks:$probes { @f[probename] = count(); }" -c "$TMP/walks"
		is "a breakpoint at $last, and $probes" "$(echo "$out" | awk 'NF == 1 && $1 < 1000 { print $1 }')" 298
	done
fi

# names: as pid's, in lists too
for prov in pid fpid; do
	d -ln "$(probes $prov 't:branchy')" -c "$TARGETS/t 1"
	ends 0 "-l of $prov"
	echo "$out" | awk 'NR > 1 { print $3, $4, $5 }' >"$TMP/list_$prov"
done
is "names" "$(cat "$TMP/list_fpid")" "$(cat "$TMP/list_pid")"
d -lvn 'fpid$target:t:leaf:0' -c "$TARGETS/t 1"
like "-lv" "$err$out" "*Hook*"
for wrong in ffffff 1 xyz; do
	d -ln "pid\$target:t:leaf:$wrong" -c "$TARGETS/t 1"
	want=$(echo "$err" | sed 's/ pid/ fpid/')
	d -ln "fpid\$target:t:leaf:$wrong" -c "$TARGETS/t 1"
	ends 1 "$wrong"
	is "$wrong" "$err" "$want"
done

# a real program; what it prints is as untraced
if command -v sqlite3 >/dev/null 2>&1; then
	echo "create table t(a, b); with recursive c(x) as (values(1) union all select x + 1 from c where x < 400)
		insert into t select x, 'text ' || x from c; select count(*), sum(a), max(b) from t where a % 3 = 1;" >"$TMP/sql"
	sqlite3 :memory: ".read $TMP/sql" >"$TMP/free"
	same 150 "sqlite3" 'libsqlite3.so*:sqlite3_step libsqlite3.so*:sqlite3_value_text libsqlite3.so*:sqlite3_malloc64 libsqlite3.so*:sqlite3_free' \
		"$counts" -c "sqlite3 :memory: '.read $TMP/sql'"
	is "sqlite3" "$out" "$(cat "$TMP/free")"
fi

# a process that runs: attached to, and left while it calls
start_waits 4
tell run 10
waits_for "$TMP/said" 'calls 40$' "the first round"
for round in 1 2 3; do
	trace -n 'fpid$target:waits:count_me: { @[probename] = count(); }' -p "$target"
	waits_for "$TMP/err" 'fpid: .* instruction' "round $round"
	tell run 500
	waits_for "$TMP/said" "calls $((round * 2000 + 40))\$" "round $round"
	end_trace
	ends 0 "round $round"
	is "round $round" "$(echo "$out" | awk 'NF == 2 { print $2 }' | sort -u)" 2000
	[ "$(echo "$out" | awk 'NF == 2' | wc -l)" -gt 2 ] || fail "round $round: $out"
done
tell spin
for round in 1 2 3; do
	d -qn 'fpid$target:waits:count_me: { @[probename] = count(); } tick-20ms { exit(0); }' -p "$target"
	ends 0 "left while it calls, round $round"
done
tell halt
waits_for "$TMP/said" 'calls [0-9]*$' "the end"
"$TARGETS/textcheck" "$target" >"$TMP/text" || fail "its code: $(head -3 "$TMP/text")"

# they are hooks where they only count, and nearly all are
d -x fpidfallback=none -n 'fpid$target:t:six: { @[probename] = count(); }' -c "$TARGETS/t 1000 1 quiet"
ends 0 "fpidfallback=none"
like "fpidfallback=none" "$err" "*fpid: * instructions: * hooked, 0 by breakpoint*"
is "fpidfallback=none" "$(echo "$out" | awk 'NF == 2 { print $2 }' | sort -u)" 100
for clause in '@[probename] = sum(arg0);' '@[probename] = count(); trace(arg0);' '@[probename] = count(); @r = sum(uregs[R_RCX]);'; do
	d -x fpidfallback=none -qn "fpid\$target:t:six:[0-9a-f]* { $clause }" -c "$TARGETS/t 10 1 quiet"
	ends 0 "$clause"
	is "$clause" "$err" ""
done
for clause in '@[ustack()] = count();' '@[ucaller] = count();' '@[probename] = count(); ustack(3);'; do
	d -x fpidfallback=none -n "fpid\$target:t:six:[0-9a-f]* { $clause }" -c "$TARGETS/t 10 1 quiet"
	ends 0 "$clause"
	like "$clause" "$err" "*fpid: * instructions: * hooked, 0 by breakpoint*"
done

# callers: as pid finds them, in the middle of pushes and pops, too; where nothing tells it is a breakpoint
same 100 "stacks" 't:branchy t:recurse t:six t:tail' '{ @[probename, ustack(6)] = count(); }' -c "$TARGETS/t 30 1 quiet"
same 100 "stacks of records" 't:branchy t:recurse t:six t:tail' '{ printf("%s %s\n", probefunc, probename); ustack(); }' -c "$TARGETS/t 20 1 quiet"
same 20 "callers of records" 't:branchy t:six' '{ printf("%s %s %x\n", probefunc, probename, ucaller & 0xfff); }' -c "$TARGETS/t 30 1 quiet"
if command -v gcc >/dev/null; then
	cat >"$TMP/deep.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline, noclone)) long sum(const char *s, long a, long b, long c, long d, long e, long f, long g)
{
	char copy[200];
	long r = a + b * c - d * e + f * g;

	strcpy(copy, s);
	for (char *p = copy; *p; p++)
		r += *p;
	return r;
}

__attribute__((noinline, noclone)) long deep(int n)
{
	long v[n + 1];

	v[0] = 1;
	for (int i = 1; i <= n; i++)
		v[i] = v[i - 1] * 3 + i;
	return n ? deep(n - 1) + sum("text", v[n], n, 1, 2, 3, 4, 5) : 0;
}

int main(void)
{
	printf("%ld\n", deep(8) % 1000);
	return 0;
}
C
	for flags in "-O2 -fno-omit-frame-pointer" "-O1" "-O0" "-O2 -mpreferred-stack-boundary=5 -mstackrealign"; do
		# shellcheck disable=SC2086
		gcc -g $flags -o "$TMP/deep" "$TMP/deep.c" || continue
		same 50 "stacks, $flags" 'deep:deep deep:sum deep:main' '{ @[probefunc, probename, ustack()] = count(); }' -c "$TMP/deep"
	done
	gcc -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables -o "$TMP/deep" "$TMP/deep.c"
	d -x fpidfallback=none -n 'fpid$target:deep:deep:0 { @[ustack()] = count(); }' -c "$TMP/deep"
	ends 1 "no call frame information"
	like "no call frame information" "$err" "*failed to create probe at 'deep+0x0': no call frame information tells where the caller of its function is*"
	same 20 "no call frame information" 'deep:deep deep:sum' '{ @[probefunc, probename, ustack(2)] = count(); }' -c "$TMP/deep"
fi
if "$TARGETS/deny" true; then
	"$TARGETS/deny" "$DTRACE" -qn 'fpid$target:t:six:0 { @ = count(); }' -c "$TARGETS/t 1000 3 quiet" >"$TMP/out" 2>"$TMP/err" </dev/null
	is "preloaded" "$(echo $(cat "$TMP/out"))" 300
	"$TARGETS/deny" "$DTRACE" -qn 'fpid$target:t:six:0 { @ = sum(arg0 * 0 + 2); @r = max(uregs[R_RSP] != 0); }' -c "$TARGETS/t 1000 3 quiet" \
		>"$TMP/out" 2>"$TMP/err" </dev/null
	is "preloaded, more than counting" "$(echo $(cat "$TMP/out"))" "600 1"
fi

# and what they cost is told
d -x explain -n 'fpid$target:t:six: { @[probename] = count(); } fpid$target:t:leaf:0 { @s[ustack(3)] = count(); }' -c "$TARGETS/t 10 1 quiet"
like "-x explain" "$err" "*explain: * probes of process *: counted in the target*"
like "-x explain" "$err" "*explain: 1 probe of process *: recorded, *: the callers of an instruction within a function are recorded (such as offset 0 of t\`leaf*"

# programs that are hard to hook say what is right, with each instruction of their own counted
for mode in 'adverse jumps 20' 'adverse contexts 20' 'adverse tails 20' 'adverse blocked 20' 'adverse asm 20' 'adverse values 20' \
	'adverse signals 20' 'adverse stacks 5' 'edges 5' 'fibers 20' 'interpreter 500' 'mishaps threads 1'; do
	d -n 'fpid$target:a.out:: { @[probename] = count(); }' -o "$TMP/agg" -c "$TARGETS/$mode"
	ends 0 "$mode"
	is "$mode" "$(tail -1 "$TMP/out")" right
	like "$mode" "$err" "*fpid: * instructions: *[1-9]* hooked, *"
	case $err in *"pid "*exited* | *terminated*) fail "$mode: $err" ;; esac
done
finish
