# Fields of a description are filled from the right, at the level of the option.
. tests/lib/lib.sh

for spec in '-n BEGIN' '-n :::BEGIN' '-n dtrace:::BEGIN' '-n dtrace:::' '-P dtrace' '-i 1' '-n B*' '-n BE[A-Z]IN' '-n ?EGIN' '-n BEGI[!M]'; do
	# shellcheck disable=SC2086
	d -l $spec
	ends 0 "$spec"
	grep -q ' BEGIN$' "$TMP/out" || fail "$spec: $out$err"
done
d -lP dtrace
is "-lP dtrace" "$(sort "$TMP/out")" "    1     dtrace                                                     BEGIN
    2     dtrace                                                     END
    3     dtrace                                                     ERROR
   ID   PROVIDER            MODULE                          FUNCTION NAME"
d -ln 'BEGIN{trace(1);} BEGIN{trace(2);}'
is "a probe is listed once per clause" "$(grep -c BEGIN "$TMP/out")" 2
d -ln BEGIN -n BEGIN
is "and per description" "$(grep -c BEGIN "$TMP/out")" 2
d -lm x
is "-lm x" "$err" "dtrace: failed to match :x::: No probe matches description"
d -ln x
is "-ln x" "$err" "dtrace: failed to match :::x: No probe matches description"
for spec in '-P a:b' '-m a:b:c' '-f a:b:c:d' '-n a:b:c:d:e'; do
	# shellcheck disable=SC2086
	d $spec
	ends 1 "$spec"
	is "$spec" "$err" "dtrace: invalid probe specifier ${spec#* }: invalid probe description \"${spec#* }\": Overspecified probe description"
done
d -P 1
like "an id with -P" "$err" "dtrace: invalid probe specifier 1: probe identifier 1 not permitted when specifying providers"
d -i 0
ends 1 "-i 0"
is "-i 0" "$err" "dtrace: invalid probe specifier 0: invalid probe identifier 0: Unknown probe identifier"
d -i foo
is "-i with a name" "$err" "dtrace: invalid probe specifier foo: probe description :::foo does not match any probes"
d -n ''
is "empty" "$err" "dtrace: invalid probe specifier : empty D program translation unit"
d -n '{ exit(0); }'
is "no description" "$err" 'dtrace: invalid probe specifier { exit(0); }: syntax error near "{"'
finish
