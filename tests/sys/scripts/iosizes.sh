# Histograms of three kinds over known sizes, with $$1 as the name of a file.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script iosizes -c "$work" data
bins=$(echo "$out" | awk '/^(even|ten|two) *$/ { k = $1 } /^(even|ten|two) / { k = $1 } /\|/ && $NF > 0 { gsub(/\|@* */, " "); print k, $1, $NF }')
is "bins" "$bins" "even 0 20
even 5000 5
ten 100 20
ten 5000 5
two 64 20
two 4096 5"
is "deviation" "$(cell deviation)" 1960
is "normalized" "$(cell fives)" 5
finish
