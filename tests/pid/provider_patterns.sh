# A pattern that begins with "pid" or "fpid" means all processes that are traced, those that come from them too;
# other patterns mean none, and a process that has no such function is passed over.
# needs: user
. tests/lib/lib.sh

for provider in pid fpid; do
	rm -f "$TMP/agg"
	d -qn "$provider*:a.out:leaf:entry, $provider[0-9]*:a.out:nest:entry { @[probefunc, probeprov] = count(); }
		END { printa(\"%s %s %@d\n\", @); }" -c "$TARGETS/t 10" -c "$TARGETS/jumps 5" -o "$TMP/agg"
	ends 0 "$provider*"
	like "$provider*: both" "$(grep . "$TMP/agg" | sort)" "leaf $provider[0-9]* 11
nest $provider[0-9]* [0-9]*"
done
leaf=$(d -qln 'pid*:a.out:leaf:entry,pid*:a.out::0' -c "$TARGETS/t 1" -c "$TARGETS/jumps 1" && grep -c ' leaf ' "$TMP/out")
is "listed" "$leaf" 2

d -x errtags -n 'pid*:a.out:leaf:entry { }' -c "$TARGETS/jumps 1"
ends 1 "a function none of them has"
like "a function none of them has" "$err" "*\[D_PDESC_ZERO\] probe description pid\*:a.out:leaf:entry does not match any probes"
for other in 'p*' '*' '*pid*'; do
	d -n "$other:a.out:leaf:entry { }" -c "$TARGETS/t 1"
	ends 1 "$other"
done
d -Zqn 'pid*:a.out:leaf:entry { } BEGIN { printf("none\n"); exit(0); }'
is "no process at all" "$out" none

# what stands before the digits may be a pattern; libraries that come later count, too
for provider in 'p*d' 'p?[c-e]' 'f*d' 'fpi*'; do
	rm -f "$TMP/agg"
	d -qn "$provider\$target:a.out:leaf:entry { @[probeprov] = count(); } END { printa(\"%s %@d\n\", @); }" \
		-c "$TARGETS/t 10" -o "$TMP/agg"
	ends 0 "$provider\$target"
	case $provider in
	f*) like "$provider\$target" "$(cat "$TMP/agg")" "fpid[0-9]* 11" ;;
	*) like "$provider\$target" "$(cat "$TMP/agg")" "pid[0-9]* 11" ;;
	esac
done
d -Zqn 'p*d$target:libresolv.so.2:ns_get16:entry { @ = count(); } END { printa("%@d\n", @); }' \
	-c "$TARGETS/lazy 2" -o "$TMP/late"
ends 0 "a library that comes later"
is "a library that comes later" "$(cat "$TMP/late")" 6

d -x follow -qn 'pid*:a.out:touch:entry { @ = count(); }' -c "$TARGETS/kids 3" -o "$TMP/kids"
ends 0 "-x follow"
is "children" "$(tr -d ' \n' <"$TMP/kids")" "$(d -x follow -qn 'pid$target:a.out:touch:entry { @ = count(); }' \
	-c "$TARGETS/kids 3" -o "$TMP/named" && tr -d ' \n' <"$TMP/named")"
finish
