# vminfo under -Z, beside constants of mmap(2).
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
perl_program maps <<'P'
syscall(9, 0, 12288, 1, 0x22, -1, 0) for 1 .. 10;
P
script pagefaults -c "perl $TMP/maps.pl"
is "mapped" "$(cell private, read only)" 122880
[ "$(cell as_fault)" -gt 0 ] || fail "as_fault: $out"
finish
