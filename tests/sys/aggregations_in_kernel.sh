# Aggregations and variables of all threads, of clauses that run whole in the kernel: each call is in the answer, whoever counts at the same time.
# needs: root
# timeout: 240
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/in_kernel.sh
need_perf_system
need_bpf

both "deviations" 2 "$at { @a = stddev(arg1); this->x = (arg1 - 150) * 0x123456789abcLL; @b[arg1 & 1] = stddev(this->x * this->x); @c = stddev(-arg1); } syscall::lseek:return /pid == \$target/ { @d = stddev(arg1 & 1 ? -1LL << 63 : 1LL << 63); @e = stddev(-1LL); @n[arg1 & 3] = count(); }"
both "values with a weight" 1 "$at { @a = quantize(arg1, arg1 & 7); @b[execname] = lquantize(arg1, 0, 300, 50, -arg1); @c[stack(2)] = llquantize(arg1, 10, 0, 3, 10, 3); self->n++; @d = quantize(self->n++, self->n++); }"
both "keys that assign" 1 "int n; $at { @[n & 1, n++, n & 1] = count(); }"
both "variables of all threads" 2 "int all; char c; long far; BEGIN { all = 7; c = 120; } $at { all += arg1; c++; far -= all; --far; } syscall::lseek:return /all % 3/ { @[c & 7] = count(); @m = max(far); last = all; } END { printf(\"%d %d %d %d\", all, c, far, last); }"
both "set by the run" 2 "int at; BEGIN { at = \$target; limit = 100; } $at { calls++; } syscall::lseek:entry /pid == at && calls > limit/ { @ = count(); limit = arg1 > 250 ? limit + 10 : limit; } END { printf(\"%d %d\", calls, limit); }"

both "stacks of the kernel" 2 "$at { @[stack(), arg1 & 3, execname] = sum(arg1); @b[stack(2)] = max(arg1); } syscall::lseek:return /pid == \$target/ { @c[stack()] = count(); }"
both "clauses without variables, of several predicates" 2 "$at { @a[arg1 % 7] = min(arg1); } syscall::lseek:entry /pid == \$target && arg1 % 3/ { @b[arg1 & 1 ? -1 : 1] = count(); }"

both "one of some texts" 2 "$at { @[arg1 % 3 ? arg1 % 3 == 1 ? \"one\" : \"two\" : \"none\", arg1 & 1, execname == \"keyed\" ? \"us\" : \"\", execname] = count(); } int all; syscall::lseek:return /pid == \$target/ { @b[arg1 < 0 ? \"fails\" : \"works\", stack(1)] = sum(1); all += arg1 > 100 ? 2 : -1; } END { printf(\"%d\", all); }"

# threads add to one variable, and a clause of the run takes from it: nothing is lost
d -q -x evaltime=exec -n 'long n; long taken; syscall::getppid:entry { n++; } tick-5ms { taken += n; n = 0; } END { printf("%d", taken + n); }' -c "$TARGETS/getppids 200000 4"
ends 0 "many that add"
is "many that add" "$out" 1000000

d -q -x evaltime=exec -n 'long n[int, string]; syscall::getppid:entry { n[3, execname]++; n[4, execname] -= 2; } syscall::exit_group:entry /pid == $target/ { @[n[3, execname], n[4, execname]] = count(); }' -c "$TARGETS/getppids 200000 4"
ends 0 "many that add to an element"
is "many that add to an element" "$(echo $out)" "1000000 -2000000 1"

# under full load: each call is in the answer, and none of them was a record
d -x evaltime=exec -n 'syscall:::entry { self->t = timestamp; } syscall:::return /self->t/ { @n[probefunc] = count(); @q[execname, probefunc] = quantize(timestamp - self->t); self->t = 0; }' \
	-c "$TARGETS/getppids 1000000"
ends 0 "a million pairs"
is "a million pairs: all of them" "$(awk '$1 == "getppid" && NF == 2 { print $2 }' "$TMP/out")" 1000000
lacks "a million pairs: no drops" "drop"

# what another clause reads as well has to be the engine's
d -v -x evaltime=exec -n "$at { self->n = arg1; @a = count(); } syscall::lseek:return /self->n == 7/ { printf(\"%d\", self->n); }" -c "$keyed 100"
ends 0 "shared with a record"
lacks "shared with a record" "run in the kernel: "
d -v -x evaltime=exec -n "$at { self->n = arg1; @a = count(); } profile:::tick-1s { trace(self->n); }" -c "$keyed 100"
like "shared with another provider: why" "$err" "*makes records: the clause of syscall::lseek:entry at line 1: what others use shares its variables or its probes*"
lacks "shared with another provider" "run in the kernel: "

# what happens behind exit() at an event must not count
d -v -x evaltime=exec -n "$at { n++; @a = count(); } syscall::lseek:return /pid == \$target && n == 50/ { exit(0); } END { printf(\"\\n%d\\n\", n); }" -c "$keyed 5000"
ends 0 "ended by an event"
is "ended by an event" "$(echo "$out" | awk 'NF == 1 { print $1 }' | tail -2 | tr "\n" " ")" "50 50 "
like "ended by an event: why" "$err" "*makes records: the clause of syscall::lseek:entry at line 1: exit() at an event*"
d -v -x evaltime=exec -n "$at { n++; @a = count(); } proc:::exit /pid == \$target/ { exit(0); } END { printf(\"\\n%d\\n\", n); }" -c "$keyed 300"
like "ended by another's event" "$err" "*run in the kernel: 1 clause of syscall*"
is "ended by another's event" "$(echo "$out" | awk 'NF == 1 { print $1 }' | tail -2 | tr "\n" " ")" "300 300 "

d -v -x evaltime=exec -n "$at { self->n = arg1; } syscall::lseek:return /self->n/ { @ = min(self->n); } END { clear(@); }" -c "$keyed 10"
like "what it may not have" "$err" "*makes records: the clause of syscall::lseek:return at line 1: an aggregating function that cannot forget*"
d -v -x evaltime=exec -n "int n; $at { @[n & 1 ? \"odd\" : \"even\", n++] = count(); }" -c "$keyed 4"
like "keys whose order shows" "$err" "*makes records: the clause of syscall::lseek:entry at line 1: a key that assigns*"
is "keys whose order shows" "$(echo "$out" | grep -E '^ *(odd|even)' | sort | tr -s ' ' | tr '\n' ',')" " even 0 1, even 2 1, odd 1 1, odd 3 1,"

# threads and children have variables of their own
d -q -x evaltime=exec -n 'syscall::getppid:entry { self->n++; @m[tid == pid] = max(self->n); @c = count(); }' -c "$TARGETS/getppids 500 4"
ends 0 "threads"
is "threads: each from the beginning" "$(awk 'NF == 2 { print $2 }' "$TMP/out" | sort -u | tr '\n' ' ')" "500 "
is "threads: all" "$(awk 'NF == 1 { print $1 }' "$TMP/out")" 2500

# no room: values are lost, and told
d -x aggsize=1k -x evaltime=exec -n "$at { self->n = arg1; } syscall::lseek:return /self->n/ { @[self->n] = count(); self->n = 0; }" -c "$keyed 3000"
like "no room" "$err" "*aggregation drop*"
got=$(awk 'NF == 2 && $2 == 1 { n++ } END { print n + 0 }' "$TMP/out")
lost=$(echo "$err" | awk '/aggregation drops? on CPU/ { n += $2 } END { print n + 0 }')
[ $((got + lost)) -eq 2999 ] || fail "no room: $got came and $lost were lost, of 2999"
is "no room: the probe is named" \
	"$(echo "$err" | awk '/@ is incomplete: .* hits of syscall:vmlinux:lseek:return / { n += $5 } END { print n + 0 }')" "$lost"

d -x dynvarsize=160 -x evaltime=exec -n "$at { t[arg1] = 1; } syscall::lseek:return /t[arg1]/ { @c = count(); }" -c "$keyed 25"
like "no room for elements" "$err" "*15 dynamic variable drops*"
is "those that had room" "$(awk 'NF == 1 && !/[^ 0-9]/ { print $1 }' "$TMP/out" | sort -n | head -1)" 10

# cleared: what came before is forgotten
d -q -x evaltime=exec -n "$at { self->n = arg1; @s = sum(self->n); @m = max(self->n); } END { clear(@s); clear(@m); }" -c "$keyed 100"
ends 0 "cleared"
is "cleared" "$(echo $out)" "4950 0 -9223372036854775808"
finish
