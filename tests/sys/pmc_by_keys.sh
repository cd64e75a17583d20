# Samples of pmc and cpc that clauses only aggregate by keys are kept in the kernel: perf's numbers, as records have them, and
# no record comes; a key without room becomes one.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need perf

cat >"$TMP/keys.d" <<'END'
pmc:::page-faults { @["faults", execname] = count(); @twos["twos", execname] = sum(2); @at["at", execname, arg0] = count(); }
pmc:::minor-faults-16 { @each["each 16", execname] = count(); }
cpc:::faults-user-1 { @user["user", execname] = count(); @where["where", execname, arg1] = count(); }
END
for claim in on off; do
	d -v -x claim=$claim -s "$TMP/keys.d" -c "perf stat -x, -e page-faults -o $TMP/perf $TARGETS/counters 3000"
	ends 0 "claim=$claim"
	case $err in *drop*) fail "claim=$claim: $err" ;; esac
	said=$(awk -F, '/page-faults/ { print $1 }' "$TMP/perf")
	# what the parent is called until it has executed it, and where its pages are touched
	awk -v said="$said" '$2 == "counters" { n[$1] = $NF } $3 == "counters" { n[$1] = $NF } $1 == "at" && $2 == "counters" { at += $NF; if ($NF == 3000) hot++ }
		$1 == "where" && $2 == "counters" { where += $NF; if ($NF == 3000) hot++ }
		END { print n["faults"] - said, n["twos"] - 2 * n["faults"], at - n["faults"], (n["user"] == where), hot, (n["each"] >= 185 && n["each"] <= n["faults"] / 16 + 2) }' \
		"$TMP/out" >"$TMP/told"
	read -r more rest <"$TMP/told"
	is "claim=$claim, page faults of perf: $said" "$rest" "0 0 1 2 1"
	[ "${more#-}" -le 30 ] || fail "claim=$claim: $more faults more than perf stat has counted"
	[ "$claim" = off ] || like "no record" "$err" "*records read: * of perf events, 0 of BPF programs*"
done

# an exact predicate is asked there, too; others' processes are not meant
d -v -n 'pmc:::page-faults /execname == "counters"/ { @[pid == $target] = count(); }' -c "$TARGETS/counters 300"
ends 0 "a key that is calculated has records"
d -v -n 'pmc:::page-faults /execname == "counters"/ { @[pid, tid, cpu] = count(); }' -c "sh -c '$TARGETS/counters 300'"
ends 0 "a predicate"
like "a predicate: no record" "$err" "*records read: 0 of perf events, 0 of BPF programs*"
n=$(awk 'NF == 4 { n += $4 } END { print n + 0 }' "$TMP/out")
[ "$n" -ge 300 ] && [ "$n" -lt 600 ] || fail "a predicate: $n"

# more keys than there is room for
d -v -x aggsize=64m -n 'pmc:::page-faults /execname == "threads"/ { @[tid] = count(); @all["all"] = count(); } END { printa(@all); clear(@all); }' \
	-c "$TARGETS/threads 20000 touch"
ends 0 "many keys"
awk '$1 == "all" { all = $2 } NF == 2 && $1 + 0 { n += $2; keys++ } END { print (keys > 16384), n == all }' "$TMP/out" >"$TMP/told"
is "many keys" "$(cat "$TMP/told")" "1 1"
case $err in *drop*) fail "many keys: $err" ;; esac
like "many keys" "$err" "*records read: * of perf events, [1-9]* of BPF programs*"

# of the whole machine: of processes that are no target
d -w -x quiet -n 'BEGIN { system("%s 700 >%s", $$1, $$2); } pmc:::page-faults { @[execname] = count(); }
	proc:::exit /execname == "counters" && ++ended == 2/ { exit(0); }' "$TARGETS/counters" "$TMP/said"
ends 0 "the whole machine"
n=$(awk '$1 == "counters" { print $2 }' "$TMP/out")
[ "${n:-0}" -ge 700 ] && [ "$n" -lt 1000 ] || fail "the whole machine: $n faults of the program: $err"
finish
