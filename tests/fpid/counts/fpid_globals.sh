# x[keys], an array of all threads, is kept by the target where only clauses that run there assign its elements: what threads
# add at the same time is all there; the same with claim=off, at breakpoints, and without room for a single record.
# needs: user
# timeout: 240
. tests/lib/lib.sh
. tests/lib/claimed.sh

all='fpid$target:a.out:'
claimed "long s[string]; int c[string, int, string]; $all:entry { n[arg0 & 3]++; s[probefunc] += arg0; c[probefunc, arg0 & 1, \"x\"] -= 2; @ = count(); }
	END { printf(\"%d %d %d %d, %d %d, %d %d %d\\n\", n[0], n[1], n[2], n[3], s[\"leaf\"], s[\"branchy\"], c[\"leaf\", 0, \"x\"], c[\"leaf\", 1, \"x\"], c[\"leaf\", 2, \"x\"]); }"
claimed "char n[uint64_t, string]; $all:entry { n[arg0 & 1, probefunc]++; n[0, \"all\"] = n[0, \"all\"] + 1; @ = count(); }
	END { printf(\"%d %d %d\\n\", n[0, \"leaf\"], n[1, \"leaf\"], n[0, \"all\"]); }"
claimed "$all:entry { t[tid] = timestamp; d[tid, probefunc] = arg0 + 1; } $all:return /t[tid] && d[tid, probefunc]/ {
	@[probefunc] = count(); @low = min(timestamp >= t[tid]); @sum = sum(d[tid, probefunc] * (timestamp >= t[tid])); d[tid, probefunc] = 0; }"
# of functions some of whose returns are breakpoints
claimed "${all}cramped:entry { n[arg0 & 3]++; t[arg0 & 3, tid] = arg0 + 1; @e = count(); }
	${all}cramped:return /t[arg1 & 3, tid]/ { @[t[arg1 & 3, tid], arg1] = count(); t[arg1 & 3, tid] = 0; n[7] += arg1; n[8] = 5; }
	END { printf(\"%d %d %d %d %d\\n\", n[0], n[1], n[2], n[7], n[8]); }" "$TARGETS/cramped 100 3"
# texts of the program
claimed "int n[string, int]; long m[string]; fpid\$target:a.out:take:entry { n[copyinstr(arg0), tid] = n[copyinstr(arg0), tid] + 1;
	m[substr(copyinstr(arg0), 1, 2)] = 3; @[copyinstr(arg0)] = max(n[copyinstr(arg0), tid]); }
	END { printf(\"%d %d %d\\n\", m[\"lp\"], m[\"et\"], m[\"xx\"]); }" "$TARGETS/texts 300 3"
claimed "int n[string], y[string]; char m[string, int]; long s[string]; fpid\$target:a.out:take:entry { x[copyinstr(arg0)]++; n[copyinstr(arg0)] += arg1 & 7;
	m[substr(copyinstr(arg0), 1), tid & 1] -= 3; s[copyinstr(arg0, 3)] += arg1 > 10 ? 1 : 2; y[copyinstr(arg0)] |= 6; @n = count(); }
	END { printf(\"%d %d %d %d %d %d\\n\", x[\"alpha\"], x[\"beta\"], n[\"alpha\"], m[\"lpha\", 0] + m[\"lpha\", 1], s[\"al\"], y[\"beta\"]); }" "$TARGETS/texts 300 3"
claimed "int c[string]; fpid\$target:a.out:take:entry { self->n[copyinstr(arg0)]++; self->m[tid, copyinstr(arg0)]--; @[copyinstr(arg0)] = max(self->n[copyinstr(arg0)]);
	@m[copyinstr(arg0)] = min(self->m[tid, copyinstr(arg0)]); }" "$TARGETS/texts 300 3"
# the value before and behind is of use, too
claimed "int k[int]; $all:entry { @a[n[arg0 & 3]++ >= 0] = count(); @b[++m[arg0 & 3] > 0] = count(); @c = sum((k[0] += 2) > 0); } END { printf(\"%d %d %d\\n\", n[1], m[2], k[0]); }"
# what is read, and more than added to
claimed "int m[int]; $all:entry { m[tid] = m[tid] > 100 ? 0 : m[tid] + 1; @[m[tid] / 10] = count(); }"

# what was put is what is there, and nothing else, wherever the clauses run
truth() { # truth PROV MODE N KEYS OPTIONS...: on the command line
	prov=$1 mode=$2 n=$3 keys=$4
	shift 4
	d "$@" -x fpidfull=wait -qn "$prov\$target:elements:put:entry { a[$keys] = arg1; }
		$prov\$target:elements:get:entry { @n = count(); @wrong = sum(a[$keys] != arg1); }
		END { printa(\"%@d %@d\", @n, @wrong); }" -c "$TARGETS/elements $mode $n"
	ends 0 "$prov $keys $* elements $mode"
	like "$prov $keys $* elements $mode" "$err" ""
	# shellcheck disable=SC2086
	set -- $out
	like "$prov elements $mode, $keys: gets" "$1" "[1-9]*"
	is "$prov elements $mode, $keys: gets, and wrong ones" "$2 $3" "$1 0"
}
for mode in threads signals fork; do
	truth fpid $mode 20000 "tid, arg0" -x fpidbuf=4k
	truth fpid $mode 20000 "copyinstr(arg2), tid" -x fpidbuf=4k -x dynvarsize=8m
	truth fpid $mode 3000 "tid, arg0" -x claim=off
done

# what finds no room is counted, as the engine does
d -x dynvarsize=8k -n 'fpid$target:a.out:step:entry { a[arg0] = 1; @ = count(); }' -c "$TARGETS/storm 20000"
ends 0 "more than dynvarsize has room for"
like "more than dynvarsize has room for" "$err" "*dynamic variable drops*"

# what is added is chosen by branches, which lead between the load and the store: several threads lose nothing
d -qn 'int n[int], m[int]; fpid$target:a.out:leaf:entry { n[1] += arg0 > 50 ? 1 : 2; m[2] += arg0 > 50; m[3] -= (arg0 & 1) && arg0 > 7;
	@ = sum(arg0 > 50 ? 1 : 2); @m = sum(arg0 > 50); @k = sum((arg0 & 1) && arg0 > 7); } END { printf("%d %d %d\n", n[1], m[2], -m[3]); }' -c "$TARGETS/t 100000 4 quiet"
ends 0 "added by branches"
like "added by branches" "$err" ""
is "added by branches" "$(echo "$out" | sed -n 1p)" "$(echo "$out" | awk 'NF == 1 { printf "%s%d", s, $1; s = " " }')"

# ticks see what there is, and those that others assign are no arrays of the target
d -qn 'fpid$target:a.out:leaf:entry { n[1]++; @ = count(); } tick-1ms { @most = max(n[1]); } END { printf("%d\n", n[1]); printa("%@d", @); }' -c "$TARGETS/t 3000 4 quiet"
ends 0 "ticks"
is "ticks" "$(echo "$out" | sed -n '/^[0-9]/p' | sort -u | wc -l)" 1
for who in 'BEGIN { n[1] = 5; }' 'pid$target:a.out:branchy:entry { n[1]++; }' 'fpid$target:a.out:branchy:entry { printf("%d", n[1]); }'; do
	d -x explain -qn 'fpid$target:a.out:leaf:entry { n[1]++; @ = count(); } '"$who" -c "$TARGETS/t 10 1 quiet"
	like "explain, $who" "$err" "*the array n is used by clauses that run elsewhere*"
done
d -x explain -qn 'fpid$target:a.out:leaf:entry { n[arg0]++; } END { printf("%d", n[1]); }' -c "$TARGETS/t 10 1 quiet"
like "explain" "$err" "*leaf:entry at line 1: runs in the target*"
finish
