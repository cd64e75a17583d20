# The machine and what lies below it calls no libc, but for the mem* functions a compiler may call itself.
. tests/lib.sh
need nm

objects="vm vmmem dynvars spec buffer subrs strsubrs memsubrs pathsubrs jsonsubrs inetsubrs aggfuncs agg bucket"
# what is called before tracing starts
known='arena_alloc|arena_try|err_set'
for o in $objects vars; do
	[ -f "build/dlang/$o.o" ] || skip "build/dlang/$o.o is not built"
	nm --defined-only -g "build/dlang/$o.o" | awk '{ print $3 }'
done >"$TMP/ours"
nm --defined-only -g build/dlang/builtins.o build/dlang/osinfo.o build/dlang/lives.o build/dlang/psinfo.o build/dlang/openfile.o build/dlang/session.o build/symbols/types*.o \
	build/base/hash.o | awk 'NF == 3 { print $3 }' >>"$TMP/ours"
for o in $objects vars; do
	foreign=$(nm -u "build/dlang/$o.o" | awk '{ print $2 }' | grep -vxE "mem(cmp|cpy|move|set)|$known" |
		grep -vxFf "$TMP/ours" | tr '\n' ' ')
	is "libc functions that $o.o calls" "$foreign" ""
done
finish
