# -v reports the stability of each program after it is enabled; with -e, its descriptions too.
. tests/lib/lib.sh

attrs() { # attrs TITLE NAMES DATA CLASS
	printf '\t%s Attributes\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n' "$@"
}
report() { # report NAME, then NAMES DATA CLASS of descriptions, and of statements
	printf '\nStability attributes for %s:\n\n' "$1"
	attrs "Minimum Probe Description" "$2" "$3" "$4"
	echo
	attrs "Minimum Statement" "$5" "$6" "$7"
}
block() { # block NAMES DATA CLASS
	echo
	attrs "Probe Description" "$@"
	echo
	attrs "Argument" "$@"
	printf '\n\tArgument Types\n\t\tNone\n'
}

d -e -v -n 'BEGIN{trace(1)}'
ends 0 "-e -v"
is "-e -v" "$out" "$(report 'description BEGIN' Unstable Unstable Common Stable Stable Common
echo; echo :::BEGIN
block Unstable Unstable Common)"
d -e -v -n 'dtrace:::BEGIN{trace(1)} dtrace:::BEGIN{trace(2)}'
is "one description twice" "$out" "$(report 'description dtrace:::BEGIN' Stable Stable Common Stable Stable Common
echo; echo dtrace:::BEGIN
block Stable Stable Common)"

printf 'dtrace:::BEGIN { trace((curthread == NULL) * 0); exit(0); }\n' >"$TMP/t.d"
d -qv -s "$TMP/t.d"
ends 0 "-qv"
is "-qv" "$out" "$(report "script $TMP/t.d" Stable Stable Common Stable Private Common; echo; echo 0)"

cat >"$TMP/a.d" <<'END'
#pragma D attributes Evolving/Unstable/Common myvar
int myvar;
dtrace:::BEGIN { myvar = pid; exit(0); }
END
d -e -v -s "$TMP/a.d"
like "#pragma D attributes" "$out" "$(report "script $TMP/a.d" Stable Stable Common Evolving Unstable Common)*"
d -e -v -n 'profile:::tick-1s,nosuch::: { }' -Z
like "a provider that is not there" "$out" "$(report 'description profile:::tick-1s,nosuch::: ' Unstable Unstable Common Stable Stable Common)*"
d -e -v -n 'profile:::tick-1s { }'
like "profile" "$out" "$(report 'description profile:::tick-1s ' Evolving Evolving Common Stable Stable Common)*"
d -e -v -n 'pid$target:a.out:main:entry { }' -c "$TARGETS/t 1"
like "pid" "$out" "$(report 'description pid$target:a.out:main:entry ' Private Private Unknown Stable Stable Common)*"
d -e -v -n 'pid$target:::entry { }' -c "$TARGETS/t 1"
like "pid, fields left empty" "$out" "$(report 'description pid$target:::entry ' Evolving Evolving ISA Stable Stable Common)*"
finish
