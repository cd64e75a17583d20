# Files as they are opened, with the flags; an argument that may be missing (defaultargs).
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script opens -c "$work"
is "opened and not there" "$(echo "$out" | grep -c " -1   2 r-- $dir/none\$")" "$(said noent)"
is "opened but a directory" "$(echo "$out" | grep -c " -1  21 w-- $dir\$")" "$(said isdir)"
is "created" "$(echo "$out" | grep -c "[0-9]   0 wct $dir/data\$")" 1
is "read" "$(echo "$out" | grep -c "[0-9]   0 r-- $dir/data\$")" 1
script opens -c "$work" nosuchprogram
is "nothing of another name" "$(echo "$out" | grep -c "$dir")" 0
script opens -c "$work" perl
is "by name" "$(echo "$out" | grep -c " $dir/data\$")" 2
finish
