# Failed system calls by the name of the error: an inline with parameters.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script errnames -c "$work"
is "ENOENT 7 times at least" "$([ "$(cell perl openat ENOENT 2)" -ge "$(said noent)" ] && echo yes)" yes
is "EISDIR" "$(cell perl openat EISDIR 21)" "$(said isdir)"
finish
