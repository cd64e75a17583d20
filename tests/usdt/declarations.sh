# A provider declaration of the program gives args[] of static probes their types, also translated ones.
# needs: user
. tests/lib/lib.sh

cat >"$TMP/decl.d" <<'END'
struct info { int n; string w; };
translator struct info < long v > { n = v * 10; w = "of ten"; };
provider shop { probe sell__it(long i, char *what) : (struct info i, char *what); };
shop$target:::sell-it { printf("%d %s %s\n", args[0].n, args[0].w, stringof(args[1])); }
END
d -qs "$TMP/decl.d" -o "$TMP/traced" -c "$TARGETS/usdt 3"
ends 0 "translated"
is "translated" "$(grep . "$TMP/traced")" "0 of ten apple
10 of ten pear
20 of ten fig"
d -lvs "$TMP/decl.d" -c "$TARGETS/usdt"
is "types" "$(echo "$out" | sed -n 's/^.*\(args\[\)/\1/p')" "args[0]: struct info
args[1]: char *"
d -qn 'provider shop { probe nothing(int); }; shop$target:::open { printf("%d\n", args[0]); exit(0); }' -c "$TARGETS/usdt"
ends 0 "one that is not declared"
is "one that is not declared" "$(echo "$out" | grep -v open | head -1)" 1
finish
