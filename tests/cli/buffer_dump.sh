# -B: nothing is printed as usual; each piece of output is shown with what belongs to it.
. tests/lib/lib.sh

d -Bn 'BEGIN { trace(1); printf("hi\n"); @a["k", 5] = count(); @ = sum(3); exit(0); } END { printa("%s %d %@d\n", @a); }'
ends 0 "-B"
is "pieces" "$(grep -c 'Called buffer handler' "$TMP/out")" 4
is "lines without the prefix" "$(grep -cv '^dtrace: ' "$TMP/out")" 0
is "the first" "$(sed -n 1,19p "$TMP/out" | tr ' ' '.')" "$(tr ' ' '.' <<'END'
dtrace: >>> Called buffer handler:
dtrace: 
dtrace:   dtrace_bufdata:
dtrace:       dtbda_buffered => "          1"
dtrace:          dtbda_probe => <non-NULL>
dtrace:        dtbda_aggdata => <NULL>
dtrace:        dtbda_recdesc => <non-NULL>
dtrace:          dtbda_flags => 0x0 
dtrace: 
dtrace:   dtrace_probedesc:
dtrace:        dtpd_provider => "dtrace"
dtrace:             dtpd_mod => ""
dtrace:            dtpd_func => ""
dtrace:            dtpd_name => "BEGIN"
dtrace: 
dtrace:   dtrace_recdesc:
dtrace:          dtrd_action => 1
dtrace:            dtrd_size => 4
dtrace:          dtrd_offset => 0
END
)"
is "texts" "$(sed -n 's/^.*dtbda_buffered => //p' "$TMP/out")" '"          1"
"hi\n"
"k 5 1\n"
"                3\n"'
is "flags" "$(sed -n 's/^.*dtbda_flags => //p' "$TMP/out" | tr ' ' '.')" "0x0.
0x0.
0xc.(AGGFORMAT.|.AGGLAST)
0xa.(AGGVAL.|.AGGLAST)"
is "the last" "$(tail -12 "$TMP/out" | head -11 | tr ' ' '.')" "$(tr ' ' '.' <<'END'
dtrace: 
dtrace:   dtrace_recdesc:
dtrace:          dtrd_action => 0
dtrace:            dtrd_size => 8
dtrace:          dtrd_offset => 0 (data: 03 00 00 00 00 00 00 00)
dtrace: 
dtrace:   dtrace_aggdesc:
dtrace:           dtagd_name => "_"
dtrace:          dtagd_varid => 2
dtrace:             dtagd_id => 2
dtrace:          dtagd_nrecs => 1
END
)"
d -Bn 'BEGIN { @["text", 7] = quantize(3); exit(0); }'
is "keys and a histogram" "$(sed -n 's/^.*dtbda_flags => //p' "$TMP/out")" "0x1 (AGGKEY)
0x1 (AGGKEY)
0xa (AGGVAL | AGGLAST)"
for flags in -Bl -BG -Bh -BA; do
	d $flags -n BEGIN
	ends 2 "$flags"
	is "$flags" "$err" "dtrace: -B not valid in combination with [-Gl] options"
done
d -B -o "$TMP/file" -n BEGIN
ends 2 "-B -o"
is "-B -o" "$err" "dtrace: -B not valid in combination with -o option"
finish
