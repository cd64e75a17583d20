# Collections and modules of Python by its static probes.
. tests/lib/lib.sh
. tests/lib/scripts.sh
py=/usr/bin/python3
[ -x $py ] || skip "no $py"
"$DTRACE" -ln 'python$target:::' -c "$py -V" 2>/dev/null | grep -q gc-start || skip "$py has no static probes"
cat >"$TMP/gc.py" <<'P'
import gc
import colorsys
gc.disable()
for i in range(6):
    gc.collect(1)
for i in range(4):
    gc.collect(0)
print("g0", gc.get_stats()[0]["collections"])
print("g1", gc.get_stats()[1]["collections"])
P
script pygc -c "$py -S $TMP/gc.py"
is "generation 1" "$(cell generation 1)" "$(said g1)"
is "generation 0" "$(cell generation 0)" "$(said g0)"
is "a module" "$(cell import colorsys)" 1
finish
