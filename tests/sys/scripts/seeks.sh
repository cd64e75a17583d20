# Names of constants from an array filled in BEGIN; fi_offset and basename() in predicates.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script seeks -c "$work"
is "SEEK_SET" "$(cell SEEK_SET)" 4
is "SEEK_CUR" "$(cell SEEK_CUR)" 2
is "SEEK_END" "$(cell SEEK_END)" 1
is "farthest" "$(cell farthest)" 10
is "behind the fourth byte before it is sought" "$(cell past)" 4
finish
