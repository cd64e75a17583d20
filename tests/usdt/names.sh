# A note of the program is a probe: the provider it names with the process ID behind, the object, the
# function around it, and its name with - for __.
# needs: user
. tests/lib/lib.sh

d -ln 'shop$target:::' -c "$TARGETS/usdt"
ends 0 list
is "the list" "$(echo "$out" | awk 'NR > 1 { sub(/[0-9]+$/, "N", $2); print $2, $3, $4, $5 }' | sort)" \
	"shopN usdt constants constants
shopN usdt constants symbols
shopN usdt memory memory
shopN usdt open_shop open
shopN usdt registers registers
shopN usdt sell sell-it"

# matched SPEC N: so many probes are matched
matched() {
	d -n "$1 { @ = count(); }" -c "$TARGETS/usdt 2" -x zdefs
	echo "$err" | grep -qF "description '$1 ' matched $2 probe" || fail "$1: $err"
}
matched 'shop$target:::open' 1
matched 'shop$target:usdt:open_shop:open' 1
matched 'shop$target:a.out::s*' 2
matched 'shop$target:::sell-it' 1
matched 'shop$target:::sell__it' 0
matched 'shop*:::open' 1
matched 'sh?p*:::' 6
matched 'usdt:open_shop:' 1
matched ':open_shop:open' 1
matched 'shop$target:libc.so.6::open' 0
matched 'shoq$target:::open' 0
matched 'xshop$target:::open' 0
matched 'shop*:::[op]*' 1

# All that is known: static probes of -c and -p are.
d -l -c "$TARGETS/usdt"
is "a list of all" "$(grep -c '^ *[0-9]*  *shop[0-9]* ' "$TMP/out")" 6

# One probe of two locations in one function fires at both.
d -n 'shop$target:::sell-it { @[probefunc] = count(); }' -c "$TARGETS/usdt 10"
like "matched" "$err" "*matched 1 probe"
like "fired" "$out" "*sell * 10"

d -n 'shop$target:::open { exit(0); }'
ends 1 "no process"
is "no process" "$err" "dtrace: invalid probe specifier shop\$target:::open { exit(0); }: 'shop0' does not contain a valid pid
dtrace: \$target is a process of -c or -p, and neither is given"
d -n 'shop4194304:::open { exit(0); }'
ends 1 "another process"
is "a process that is not there" "$err" "dtrace: invalid probe specifier shop4194304:::open { exit(0); }: failed to grab process 4194304"
d -n 'shop$target:::nosuch { exit(0); }' -c "$TARGETS/usdt"
ends 1 "no such probe"
like "no such probe" "$err" "*: probe description shop*:::nosuch does not match any probes"
finish
