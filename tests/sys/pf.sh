# Page faults: each kind as often as a program makes it that counts its own; what it maps and gives back.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# shellcheck disable=SC2016
"$DTRACE" -qo "$TMP/out" -n '
	pf:::dzero_flt, pf:::cow_flt, pf:::trans_flt, pf:::gp_flt, pf:::hp_flt, pf:::av_flt /pid == $target/
	{ @[strjoin(probename, lltostr(arg0 >> 40)), args[1] >= 0x400000, args[2]] = count(); }
	pf:::hardflt /pid == $target/
	{ @h[args[0], args[1] >> 40, args[3] == (args[1] & 0xffffffffff), args[4] == tid] = count(); }
	pf:::hardflt /pid == $target && !args[2]/ { @z["no time"] = count(); }
	pf:::valloc, pf:::vfree /pid == $target && args[1] == pid && arg0 >= 0x690000000000 && arg0 < 0x6a0000000000/
	{ printf("%s %x %d %d %x\n", probename, args[0] & 0xffffff, args[2] / 4096, arg3 >> PF_PROT_SHIFT, arg3 & 0xffff); }
	pf:::valloc, pf:::vfree /pid == $target/ { @all[probename] = count(); }
	pf:::valloc, pf:::vfree /pid == $target && arg2 == 5 * 4096 && arg0 < 0x610000000000/
	{ printf("%s brk %#lx\n", probename, args[0]); }' \
	-c "$TARGETS/faults $TMP/data" >"$TMP/said" 2>"$TMP/err" || fail "$(cat "$TMP/err")"

said() { # said KIND: how many the program says it has made
	awk -v k="$1" '$1 == k { print $2 }' "$TMP/said"
}

seen() { # seen PROBE RANGE IN_KERNEL: how many there were, from code that can be
	awk -v k="$1$((${2} >> 40))" -v in_kernel="$3" '$1 == k && $2 == 1 && $3 == in_kernel { n = $4 } END { print n + 0 }' "$TMP/out"
}

is "fresh pages" "$(seen dzero_flt 0x610000000000 0)" "$(said zero)"
is "fresh pages, all" "$(said zero)" 64
is "fresh pages that are read" "$(seen dzero_flt 0x620000000000 0)" "$(said zero-read)"
is "and then written" "$(seen cow_flt 0x620000000000 0)" "$(said upgrade)"
is "pages of a child" "$(seen cow_flt 0x630000000000 0)" "$(said copy)"
is "pages of the cache" "$(seen trans_flt 0x640000000000 0)" "$(said transition)"
is "copies of a file's pages" "$(seen cow_flt 0x640000000000 0)" "$(said copy-file)"
is "areas that are replaced" "$(seen dzero_flt 0x6b0000000000 0) $(seen trans_flt 0x6b0000000000 0)" "$(said replaced) 100"
is "a stack that grows" "$(seen gp_flt 0x650000000000 0)" "$(said guard)"
is "no zeros in it but the first" "$(seen dzero_flt 0x660000000000 0)" 1
is "violations" "$(seen av_flt 0x670000000000 0)" "$(said violation)"
is "no others of these" "$(grep av_flt "$TMP/out" | awk '{ n += $4 } END { print n }')" "$(said violation)"
is "pages that the kernel fills" "$(awk '$1 == "dzero_flt'$((0x680000000000 >> 40))'" && $3 == 1 { print $4 }' "$TMP/out")" "$(said zero-kernel)"
if [ "$(said hard)" -gt 0 ]; then
	is "hard" "$(awk -v f="$(realpath "$TMP/data")" '$1 == f && $2 == 101 && $3 == 1 && $4 == 1 { print $5 }' "$TMP/out")" "$(said hard)"
	is "their beginnings" "$(seen hp_flt 0x650000000000 0)" "$(said hard)"
	is "with a time" "$(grep -c 'no time' "$TMP/out")" 0
fi
is "mapped and given back" "$(grep -E '^v(alloc|free) [0-9a-f]+ [0-9]' "$TMP/out")" "valloc 0 10 1 22
valloc a000 20 1 22
vfree 19000 5 1 22
vfree 0 3 1 8022
vfree 0 25 1 22"
is "the break" "$(grep brk "$TMP/out")" "valloc brk $(said brk)
vfree brk $(said brk)"

# new pages and copies alone are told when they begin, and are as many in each place
d -qn 'pf:::dzero_flt, pf:::cow_flt /pid == $target/ { @[strjoin(probename, lltostr(arg0 >> 40)), args[1] >= 0x400000, args[2]] = count(); }' \
	-c "$TARGETS/faults $TMP/data"
ends 0 "at their beginning"
by_place() { # the ranges that the program has for itself, where there is a kind of its own
	awk -v first=$((0x610000000000 >> 40)) -v last=$((0x6b0000000000 >> 40)) '
		$1 ~ /^(dzero|cow)_flt/ { at = $1; sub(/.*flt/, "", at); if (at >= first && at <= last) print }' | sort
}
is "at their beginning" "$(echo "$out" | by_place)" "$(by_place <"$TMP/out")"

# violations by the page: as many as signals of the kernel's own codes (nothing there, not for this, beyond a file's end)
d -qn 'pf:::av_flt /pid == $target/ { @["seen", (arg0 - 0x670000000000) >> 12] = count(); }
	vminfo:::prot_fault /pid == $target/ { @f["forbidden"] = count(); }
	proc:::fault /pid == $target/ { @s["signals", args[1]->si_signo, args[1]->si_code] = count(); }' -c "$TARGETS/faults $TMP/data"
ends 0 "violations"
is "by the page" "$(echo "$out" | awk '$1 == "seen" { print $2, $3 }' | sort)" \
	"$(echo "$out" | awk '$1 == "violation-at" { print $2, 5 }' | sort)"
is "by the code" "$(echo "$out" | awk '$1 == "signals" { print $2, $3, $4 }' | sort)" \
	"$(echo "$out" | awk '$1 == "violation-at" { n[$3 " " $4] += 5 } END { for (k in n) print k, n[k] }' | sort)"
is "forbidden ones" "$(echo "$out" | awk '$1 == "forbidden" { print $2 }')" \
	"$(echo "$out" | awk '$1 == "violation-at" && $3 == 11 && $4 == 2 { n += 5 } END { print n }')"

# a file that is mapped as code, a library that is loaded when the program runs
d -qn 'pf:::imgload /pid == $target && args[0] == $$1/ { @[args[1], args[2], args[3]] = count(); }' -c "$TARGETS/sysnumbers code $TMP/data" \
	"$(realpath "$TMP")/data"
is "code" "$(echo "$out" | awk 'NF == 4 { print $1, $2, $3, $4 }')" "2 $(stat -c '%Hd %Ld' "$TMP/data") 20"
d -qn 'pf:::imgload /pid == $target/ { @[basename(args[0])] = count(); }' -c "$TARGETS/lazy 7"
case $out in *ns_get16*) is "a library" "$(echo "$out" | awk '$1 == "libresolv.so.2" { print $2 }')" 7 ;; esac

d -qn 'pf:::imgload /execname == "true"/ { @[basename(args[0]), args[1] & 2, args[2] << 20 | args[3]] = count(); }' -c "sh -c '/bin/true; :'"
like "images" "$out" "*libc.so.6 *2 *1*"
like "the program" "$out" "* true *2 *1*"

# only what is asked for: another process is left out
d -qn 'pf:::dzero_flt /pid == $target && arg0 >= 0x610000000000 && arg0 < 0x610000040000/ { @ = count(); }' -c "$TARGETS/faults $TMP/data"
like "64 fresh pages" "$out" "* 64*"

# many threads that map and unmap while others fault: nothing is missing
d -qn 'pf:::dzero_flt /pid == $target && arg0 >= 0x610000000000 && arg0 < 0x620000000000/ { @ = count(); }' -c "$TARGETS/crowded 4 2000"
pages=$(echo "$out" | awk '$1 == "pages" { print $2 }')
is "in a crowd" "$(echo "$out" | awk 'NF == 1 { print $1 }')" "$pages"
# samples of stacks fault, too, where nothing is: in the middle of a fault of the process
d -qn 'profile-4999 { @s[ustack()] = count(); } END { trunc(@s); }
	pf:::dzero_flt /pid == $target && arg0 >= 0x610000000000 && arg0 < 0x620000000000/ { @ = count(); }' -c "$TARGETS/crowded 2 100000"
is "beside samples of stacks" "$(echo $out)" "pages 200000 200000"
finish
