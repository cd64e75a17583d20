# What a new user tries first, without privileges: the first command of the README, help, lists, a
# typo, a pipe that closes, files of output, completion, the examples.
# needs: user
# timeout: 120
. tests/lib/lib.sh
unset _DTRACE_TESTING

d -V
is "-V" "$out" "dtrace: Oracle D 2.0"
d --version
is "--version" "$out" "dtrace: Oracle D 2.0"
d -n 'pid$target:::entry { @[probefunc] = count(); }' -c /bin/ls
ends 0 "the first command"
like "the first command" "$err" "dtrace: description 'pid\$target:::entry ' matched * probes*"
is "its table is sorted" "$(awk 'NF == 2 && $2 ~ /^[0-9]+$/ { print $2 }' "$TMP/out" | sort -n | cksum)" \
	"$(awk 'NF == 2 && $2 ~ /^[0-9]+$/ { print $2 }' "$TMP/out" | cksum)"
like "its table" "$out" "*malloc*"

# No argument: a screen of usage on standard error that ends with examples; --help has a line for each option, too, on standard output.
d
ends 2 "dtrace alone"
is "the end of the usage text" "$(tail -5 "$TMP/err" | sed 's/^	//; s/ .*//' | tr '\n' ' ')" "Examples: dtrace dtrace dtrace More: "
[ "$(wc -l <"$TMP/err")" -lt 24 ] || fail "dtrace alone: more than a screen: $err"
cp "$TMP/err" "$TMP/usage"
d --help
ends 0 --help
for part in head tail; do
	is "--help: its $part" "$($part -5 "$TMP/out")" "$($part -5 "$TMP/usage")"
done
grep -q '^	-b  set the size' "$TMP/out" || fail "--help: no line of -b: $out"
d -h
ends 2 "-h alone"
is "-h alone" "$(head -1 "$TMP/err"; tail -n +2 "$TMP/err" | cksum)" "dtrace: -h requires one or more scripts or enabling options
$(cksum <"$TMP/usage")"
sed -n "/^Examples:/,/^More/s/^	dtrace//p" "$TMP/usage" | while read -r line; do
	eval "\"\$DTRACE\" $line" >"$TMP/out" 2>"$TMP/err" </dev/null || echo "$line: $(cat "$TMP/err")"
done >"$TMP/failed"
is "examples of the usage text" "$(cat "$TMP/failed")" ""
d --list-providers
like "--list-providers" "$out" "dtrace*profile*pid*fpid*usdt*"
d --doctor
like "--doctor" "$out" "ptrace *"

# A list that nobody reads to its end; arguments of a function; a typo.
"$DTRACE" -ln 'pid$target:::entry' -c /bin/ls 2>"$TMP/err" | head -2 >"$TMP/out"
is "-l | head" "$(cat "$TMP/err")" ""
d -lvn 'pid$target:a.out:leaf:entry' -c "$TARGETS/t"
like "types" "$out" "*args\[0\]: long*"
d -n 'pid$target:a.out:laef:entry { trace("never"); }' -c "$TARGETS/t 1"
ends 1 "a typo"
like "a typo" "$err" "*failed to lookup 'laef' in module 'a.out'; did you mean leaf?*"
is "nothing was run" "$out" ""

# Output is on standard output or in the file, messages on standard error, colours nowhere.
d -n 'BEGIN { trace("data"); exit(0); }'
is "messages" "$err" "dtrace: description 'BEGIN ' matched 1 probe"
! grep -q "$(printf '\033')" "$TMP/out" "$TMP/err" || fail "there are escape sequences"
d -qn 'pid$target:a.out:leaf:entry { trace("data"); exit(0); }' -o "$TMP/file" -c "$TARGETS/t 1"
is "-o separates" "$(grep -c data "$TMP/file") $(grep -c data "$TMP/out")" "1 0"
d -n 'BEGIN { }' -c "sh -c 'exit 7'"
ends 0 "a program that fails"
like "it is reported" "$err" "*exited with status 7"
echo input >"$TMP/in"
is "input goes to the program" "$("$DTRACE" -qn 'END { }' -c cat <"$TMP/in" 2>&1 | head -1)" input

# A loss is said, with how much.
d -qn 'BEGIN { @[1] = count(); @[2] = count(); @[3] = count(); exit(0); }' -x aggsize=64
like "a loss" "$err" "dtrace: * aggregation drop* on CPU *"

# Every example compiles.
d --examples
ends 0 --examples
n=$(grep -c '^	dtrace' "$TMP/out")
[ "$n" -ge 25 ] || fail "only $n examples"
sed -n 's/^	dtrace//p' "$TMP/out" >"$TMP/examples"
while read -r line; do
	case $line in *-ln* | *-lvn* | *-Zln*) ;; *) line="$line -e" ;; esac
	case $line in *python3* | *-p*) continue ;; esac
	eval "\"\$DTRACE\" $line" >"$TMP/out" 2>"$TMP/err" </dev/null || echo "dtrace$line: $(cat "$TMP/err")"
done <"$TMP/examples" >"$TMP/failed"
is "examples that do not compile" "$(cat "$TMP/failed")" ""
d --examples histogram
like "--examples word" "$out" "sizes that are asked of malloc, as a histogram:
	dtrace *"
d --examples xyzzy
ends 1 "--examples of nothing"

# Many probes: on a terminal, and there only, how many there are and how long that took.
if command -v script >/dev/null; then
	printf '%s' "$DTRACE -n 'pid\$target:libc::entry, pid\$target:libc::return { }' -c /bin/true" >"$TMP/line"
	script -qec "$(cat "$TMP/line")" "$TMP/typescript" </dev/null >/dev/null 2>&1
	n=$(sed -n "s/.*description .* matched \([0-9]*\) probes.*/\1/p" "$TMP/typescript")
	[ "${n:-0}" -gt 500 ] || fail "only $n probes: $(cat "$TMP/typescript")"
	grep -q "dtrace: $n probes on [0-9]* functions in [0-9.]* s" "$TMP/typescript" || fail "many probes: $(cat "$TMP/typescript")"
	d -n 'pid$target:libc::entry, pid$target:libc::return { }' -c /bin/true
	case $err in *" s") fail "told in a file: $err" ;; esac
fi

# Completion.
if command -v bash >/dev/null; then
	complete() { # complete WORD...: what the last word may become
		bash -c '. dscripts/completion/dtrace.bash
			COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dtrace; printf "%s\n" "${COMPREPLY[@]}"' bash "$DTRACE" "$@" |
			tr '\n' ' '
	}
	like "completion of options" "$(complete --d)" "--doctor "
	like "completion of providers" "$(complete -n prof)" "profile: "
	like "completion of functions" "$(complete -c "$TARGETS/t" -n 'pid$target:a.out:le')" 'pid$target:a.out:leaf: '
	like "completion of names" "$(complete -c "$TARGETS/t" -n 'pid$target:a.out:leaf:e')" 'pid$target:a.out:leaf:entry '
fi
if command -v zsh >/dev/null; then
	complete() { # as bashcompinit calls it
		zsh -fc 'autoload -Uz bashcompinit compinit; compinit -u -D; bashcompinit
			. dscripts/completion/dtrace.bash
			words=("$@") CURRENT=$#
			COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
			compgen -F _dtrace -- "${words[CURRENT]}"' zsh "$DTRACE" "$@" | tr '\n' ' '
	}
	like "options in zsh" "$(complete --d)" "*--doctor *"
	like "providers in zsh" "$(complete -n prof)" "*profile: *"
	like "functions in zsh" "$(complete -c "$TARGETS/t" -n 'pid$target:a.out:le')" '*pid$target:a.out:leaf: *'
fi
finish
