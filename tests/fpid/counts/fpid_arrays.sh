# self->x[key] by a number that is known when it happens is kept by the target, for each thread: programs know what they
# have put there; the same with claim=off, at breakpoints, and without room for a single record.
# needs: user
# timeout: 200
. tests/lib/lib.sh
. tests/lib/claimed.sh

all='fpid$target:a.out:'
claimed "$all:entry { self->t[arg0] = arg0 + 1; } $all:return /self->t[arg1 - 1]/ {
	@[probefunc] = sum(self->t[arg1 - 1]); self->t[arg1 - 1] = 0; }"
claimed "self char n[int]; $all:entry { self->n[arg0 & 7]++; self->n[-1] += self->n[arg0 & 3]; }
	$all:return { @[probefunc] = max(self->n[arg1 & 7]); @a = sum(self->n[-1]); @b = sum(self->n[4294967295]); }"
claimed "${all}recurse:entry { self->depth[arg0] = arg0 * 2; } ${all}recurse:return /self->depth[self->depth[3] / 2]/ {
	@[self->depth[arg1 & 7]] = count(); }"
# of functions some of whose returns are breakpoints, whose clauses assign others, too
claimed "${all}cramped:entry { self->t[arg0] = arg0 + 1; self->u[arg0] = 5; @e = count(); }
	${all}cramped:return /self->t[arg1 % 100]/ { @[self->t[arg1 % 100], arg1] = count(); self->t[arg1 % 100] = 0;
		self->u[arg1 + 1] = arg1; @u = sum(self->u[1]); self->u[0] = 0; }" "$TARGETS/cramped 300 3"

# what was put is what is there, and nothing else, wherever the clauses run
known='PROV$target:elements:put:entry { self->a[arg0] = arg1; }
	PROV$target:elements:get:entry { @n = count(); @wrong = sum(self->a[arg0] != arg1); }
	END { printa("%@d %@d", @n, @wrong); }'
truth() { # truth PROV MODE N OPTIONS...: on the command line
	prov=$1 mode=$2 n=$3
	shift 3
	d "$@" -x fpidfull=wait -qn "$(echo "$known" | sed "s/PROV/$prov/g")" -c "$TARGETS/elements $mode $n"
	ends 0 "$prov $* elements $mode"
	like "$prov $* elements $mode" "$err" ""
	# shellcheck disable=SC2086
	set -- $out
	like "$prov elements $mode: gets" "$1" "[1-9]*"
	is "$prov elements $mode: gets, and wrong ones" "$2 $3" "$1 0"
}
for mode in threads signals fork; do
	truth fpid $mode 20000 -x fpidbuf=4k
	truth fpid $mode 3000 -x claim=off
done
truth pid fork 500

# what finds no room is counted, as the engine does
d -x dynvarsize=8k -n 'fpid$target:a.out:step:entry { self->a[arg0] = 1; @ = count(); }' -c "$TARGETS/storm 20000"
ends 0 "more than dynvarsize has room for"
like "more than dynvarsize has room for" "$err" "*dynamic variable drops*"

# where it runs is told
d -x explain -qn 'fpid$target:a.out:leaf:entry { self->a[arg0] = 1; } fpid$target:a.out:leaf:return /self->a[3]/ { @ = count(); }' -c "$TARGETS/t 10 1 quiet"
like "explain" "$err" "*leaf:entry at line 1: runs in the target*leaf:return at line 1: runs in the target*"
d -x explain -qn 'fpid$target:a.out:leaf:entry { self->a[arg0 ? "x" : "y"] = 1; @ = count(); }' -c "$TARGETS/t 10 1 quiet"
like "explain, a text that is chosen" "$err" "*keys of self->a\[\] are neither numbers nor texts that are known or read*"
d -x explain -qn 'fpid$target:a.out:leaf:entry { self->a[arg0] = 1; } fpid$target:a.out:leaf:return { printf("%d", self->a[3]); }' -c "$TARGETS/t 10 1 quiet"
like "explain, of others" "$err" "*or it is used by clauses that run elsewhere*"

if "$TARGETS/deny" true; then # threads take their blocks themselves
	for mode in threads signals; do
		"$TARGETS/deny" "$DTRACE" -x fpidbuf=4k -qn "$(echo "$known" | sed "s/PROV/fpid/g")" \
			-c "$TARGETS/elements $mode 20000" >"$TMP/out" 2>"$TMP/err" </dev/null
		# shellcheck disable=SC2046
		set -- $(cat "$TMP/out")
		is "ptrace is forbidden, elements $mode: gets, and wrong ones" "$2 $3" "$1 0"
	done
fi
finish
