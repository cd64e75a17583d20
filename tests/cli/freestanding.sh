# The machine and what lies below it calls no libc, but for the mem* functions a compiler may call itself.
. tests/lib/lib.sh
need nm

objects="vm vmmem dynvars speculation buffer subrs strsubrs memsubrs pathsubrs jsonsubrs inetsubrs locksubrs aggfuncs aggtable histogram"
# what is called before tracing starts
known='arena_alloc|arena_try|err_set|stackids_new'
for o in $objects vars; do
	[ -f "build/dlang/run/$o.o" ] || skip "build/dlang/run/$o.o is not built"
	nm --defined-only -g "build/dlang/run/$o.o" | awk '{ print $3 }'
done >"$TMP/ours"
nm --defined-only -g build/dlang/run/builtins.o build/dlang/run/storevalue.o build/dlang/osinfo/osinfo.o build/dlang/osinfo/tidreuse.o build/dlang/osinfo/psinfo.o build/dlang/osinfo/openfile.o build/dlang/session.o build/symbols/dwarf/types.o build/symbols/dwarf/typefacts.o \
	build/base/hash.o | awk 'NF == 3 { print $3 }' >>"$TMP/ours"
for o in $objects vars; do
	foreign=$(nm -u "build/dlang/run/$o.o" | awk '{ print $2 }' | grep -vxE "mem(cmp|cpy|move|set)|$known" |
		grep -vxFf "$TMP/ours" | tr '\n' ' ')
	is "libc functions that $o.o calls" "$foreign" ""
done
finish
