# The scripts of dscripts/bin about counters, configuration and runtimes, on programs that tell what they did.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

d -s dscripts/bin/hello.d
ends 0 hello
is hello "$(echo "$out" | grep .)" "Hello World"

d -s dscripts/bin/perf.d -c "$TARGETS/counters 400"
ends 0 perf
is "perf: faults" "$(awk '/`touch$/ { print $1 }' "$TMP/out")" 400
told=$(awk '/^switches/ { print $2 }' "$TMP/out") seen=$(awk '$2 == "context-switches" { print $1 }' "$TMP/out")
# the waits of the program itself, and of its child
[ "$seen" -ge "$told" ] || fail "perf: $seen switches, the program has $told"
# a program and what it makes, beside perf
if command -v perf >/dev/null; then
	perf stat -x, -o "$TMP/stat" -e minor-faults,context-switches sh -c "$TARGETS/counters 300; $TARGETS/counters 200" >/dev/null 2>&1
	d -s dscripts/bin/perf.d -c "sh -c '$TARGETS/counters 300; $TARGETS/counters 200'"
	ends 0 "perf, of several"
	for name in minor-faults context-switches; do
		of_perf=$(awk -F, -v name=$name '$3 == name { print $1 }' "$TMP/stat") ours=$(awk -v name=$name '$2 == name { print $1 }' "$TMP/out")
		[ "$ours" -ge $((of_perf * 9 / 10)) ] && [ "$ours" -le $((of_perf * 13 / 10)) ] || fail "perf: $ours $name, perf stat has $of_perf"
	done
fi
d -s dscripts/bin/perf.d -c "$TARGETS/counters 400"
like "perf" "$out" "*cpu-migrations*minor-faults*major-faults*msec task-clock*msec elapsed*"
is "perf: time" "$(awk '$2 == "msec" && $3 == "elapsed" { print ($1 > 0), ($1 < 60000) }' "$TMP/out")" "1 1"

d -s dscripts/bin/pmc.d 60 -c "$TARGETS/counters 400"
ends 0 pmc
like pmc "$out" "*source task-clock, each 1000000*counter page-faults*page faults between two switches*milliseconds*"
[ "$(awk '/^page faults$/ { on = 1 } on && $2 == "counters" { print $1 }' "$TMP/out")" -ge 400 ] || fail "pmc: $out"

d -s dscripts/bin/numa.d 1
ends 0 numa
is "numa: CPUs" "$(awk '$1 == "CPUs" { n += $4 } END { print n }' "$TMP/out")" "$(getconf _NPROCESSORS_CONF)"

d -s dscripts/bin/hwconfig.d
ends 0 hwconfig
is "hwconfig: processors" "$(grep -c '^processor' "$TMP/out")" "$(getconf _NPROCESSORS_CONF)"
like hwconfig "$out" "*kernel *$(uname -r)*cpu  *interface *lo: 00:00:00:00:00:00 127.0.0.1*network *$(uname -n)*"

d -s dscripts/bin/diag.d -n 'pid$target:counters:touch:entry /0/ { x = 1; }' -c "$TARGETS/counters 3"
ends 0 diag
is diag "$(awk '$1 ~ /^pid/ { print $2, $3 }' "$TMP/out" | sort)" "events 1
ignored 1"

python=$(readlink -f /usr/bin/python3 2>/dev/null)
if [ -e "$python" ] && readelf -SW "$python" | grep -q '\.note\.stapsdt'; then
	echo 'import colorsys, gc; gc.collect(); gc.collect()' >"$TMP/t.py"
	d -s dscripts/bin/dnet.d -c "$python $TMP/t.py"
	ends 0 dnet
	like dnet "$out" "*python *gc *gc-start*python *loader *module-load*collections, microseconds*"
fi
finish
