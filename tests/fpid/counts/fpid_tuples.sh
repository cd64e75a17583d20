# self->x[keys] by several keys, or by texts, that are known when it happens is kept by the target, for each thread: programs
# know what they have put there; the same with claim=off, at breakpoints, and without room for a single record.
# needs: user
# timeout: 240
. tests/lib/lib.sh
. tests/lib/claimed.sh

all='fpid$target:a.out:'
claimed "$all:entry { self->t[arg0, arg0 & 3] = arg0 + 1; } $all:return /self->t[arg1 - 1, (arg1 - 1) & 3]/ {
	@[probefunc] = sum(self->t[arg1 - 1, (arg1 - 1) & 3]); self->t[arg1 - 1, (arg1 - 1) & 3] = 0; }"
claimed "self char n[string, int]; $all:entry { self->n[probefunc, arg0 & 7]++; self->n[\"x\", -1] += self->n[probefunc, arg0 & 3]; }
	$all:return { @[probefunc] = max(self->n[probefunc, arg1 & 7]); @a = sum(self->n[\"x\", -1]); @b = sum(self->n[\"\", 3]); }"
claimed "$all:entry { self->ts[probefunc, tid, arg0 & 7] = timestamp; } $all:return /self->ts[probefunc, tid, (arg1 - 1) & 7]/ {
	@[probefunc] = count(); self->ts[probefunc, tid, (arg1 - 1) & 7] = 0; }"
# of functions some of whose returns are breakpoints, whose clauses assign others, too
claimed "${all}cramped:entry { self->t[probefunc, arg0 & 3] = arg0 + 1; self->u[arg0 & 7, 1] = 5; @e = count(); }
	${all}cramped:return /self->t[probefunc, arg1 & 3]/ { @[self->t[probefunc, arg1 & 3], arg1] = count();
		self->t[probefunc, arg1 & 3] = 0; self->u[(arg1 + 1) & 7, 2] = arg1; @u = sum(self->u[1, 2]); self->u[0, 1] = 0; }" "$TARGETS/cramped 100 3"

# texts of the program
take='fpid$target:a.out:take'
texts="$TARGETS/texts 300 3"
claimed "$take:entry { self->n[copyinstr(arg0)] = arg1; @[self->n[\"alpha\"], self->n[\"beta\"]] = count(); }" "$texts"
claimed "$take:entry { self->n[arg1 & 3, substr(copyinstr(arg0), 1, 3), copyinstr(arg0, 5)] = arg1; }
	$take:entry /self->n[arg1 & 3, \"lph\", \"alph\"]/ { @[copyinstr(arg0)] = sum(self->n[2, \"lph\", \"alph\"]); self->n[2, \"lph\", \"alph\"] = 0; }" "$texts"

# what was put is what is there, and nothing else, wherever the clauses run
truth() { # truth PROV MODE N KEYS OPTIONS...: on the command line
	prov=$1 mode=$2 n=$3 keys=$4
	shift 4
	d "$@" -x fpidfull=wait -qn "$prov\$target:elements:put:entry { self->a[$keys] = arg1; }
		$prov\$target:elements:get:entry { @n = count(); @wrong = sum(self->a[$keys] != arg1); }
		END { printa(\"%@d %@d\", @n, @wrong); }" -c "$TARGETS/elements $mode $n"
	ends 0 "$prov $keys $* elements $mode"
	like "$prov $keys $* elements $mode" "$err" ""
	# shellcheck disable=SC2086
	set -- $out
	like "$prov elements $mode, $keys: gets" "$1" "[1-9]*"
	is "$prov elements $mode, $keys: gets, and wrong ones" "$2 $3" "$1 0"
}
for mode in threads signals fork; do
	truth fpid $mode 20000 "arg0, 7" -x fpidbuf=4k
	truth fpid $mode 20000 "copyinstr(arg2)" -x fpidbuf=4k
	truth fpid $mode 20000 "arg0 & 1, copyinstr(arg2), \"x\"" -x fpidbuf=4k
	truth fpid $mode 3000 "arg0, copyinstr(arg2)" -x claim=off -x dynvarsize=32m
done

faults= messages=
# what is not there faults once for each hit, and assigns nothing
for how in on off; do
	d -x claim=$how -x fpidfull=wait -qn "$take:entry { self->n[copyinstr(arg0)] = 1; @ = count(); @n = sum(self->n[\"beta\"]); } ERROR { @e = count(); }" \
		-c "$TARGETS/texts 50 1 faults"
	ends 0 "faults, claim=$how"
	is "faults, claim=$how: messages" "$(echo "$err" | sed 's/(ID [^)]*)//' | sort | uniq -c)" "${messages:-$(echo "$err" | sed 's/(ID [^)]*)//' | sort | uniq -c)}"
	messages=$(echo "$err" | sed 's/(ID [^)]*)//' | sort | uniq -c)
	is "faults, claim=$how" "$(echo $out)" "${faults:-$(echo $out)}"
	like "faults, claim=$how" "$(echo $out)" "*[1-9]* *[1-9]* *[1-9]*"
	faults=$(echo $out)
done

# what finds no room is counted, as the engine does
d -x dynvarsize=8k -n 'fpid$target:a.out:step:entry { self->a[arg0, 1] = 1; @ = count(); }' -c "$TARGETS/storm 20000"
ends 0 "more than dynvarsize has room for"
like "more than dynvarsize has room for" "$err" "*dynamic variable drops*"

# where it runs is told
d -x explain -qn 'fpid$target:a.out:leaf:entry { self->a[arg0, tid] = 1; } fpid$target:a.out:leaf:return /self->a[3, tid]/ { @ = count(); }' -c "$TARGETS/t 10 1 quiet"
like "explain" "$err" "*leaf:entry at line 1: runs in the target*leaf:return at line 1: runs in the target*"

if "$TARGETS/deny" true; then # threads take their blocks themselves
	for mode in threads signals; do
		"$TARGETS/deny" "$DTRACE" -x fpidbuf=4k -qn 'fpid$target:elements:put:entry { self->a[arg0, 7] = arg1; }
			fpid$target:elements:get:entry { @n = count(); @wrong = sum(self->a[arg0, 7] != arg1); } END { printa("%@d %@d", @n, @wrong); }' \
			-c "$TARGETS/elements $mode 20000" >"$TMP/out" 2>"$TMP/err" </dev/null
		# shellcheck disable=SC2046
		set -- $(cat "$TMP/out")
		is "ptrace is forbidden, elements $mode: gets, and wrong ones" "$2 $3" "$1 0"
	done
fi
finish
