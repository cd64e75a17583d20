# What the first five minutes must hold, by number, as far as no other test is about it (first_five_minutes.sh: 2 to 4, 7, 8, 12, 14, 15, 18;
# doctor.sh: 5; caret.sh: 9; progress.sh: 11; summary.sh and interrupt.sh: 13; drops_by_probe.sh: 15; live.sh and nothing_left_behind.sh: 20).
# timeout: 120
. tests/lib/lib.sh
unset _DTRACE_TESTING

# 1: what is copied from the README ends with the version, in at most three commands; and there is a way without root
awk '/^    / { block = block $0 "\n"; next } block ~ /make install/ { printf "%s", block; exit } { block = "" }' README.md >"$TMP/install"
n=$(grep -c . "$TMP/install")
[ "$n" -ge 1 ] && [ "$n" -le 3 ] || fail "1: the block of the README that installs: $(cat "$TMP/install")"
like "1: its last command" "$(tail -n 1 "$TMP/install")" "    dtrace -V*"
grep -q 'make static' README.md || fail "1: the README has no way without root"

# 4: what is asked by long names
for option in --help --version --list-providers --doctor; do
	d $option
	ends 0 "4: $option"
	is "4: $option: errors" "$err" ""
done

# 5: a line for each facility, with what is to be done where it does not work
d --doctor
for facility in ptrace 'perf events' tracefs BTF debuginfod seccomp container; do
	line=$(grep "^$facility " "$TMP/out")
	case $line in
	"$facility"*' works '* | "$facility"*' limited '* | "$facility"*' missing '*) ;;
	*) fail "5: $facility: $out" ;;
	esac
done

# 6: a list of 10,000 functions has each; who reads no more than its head hears nothing else
if command -v gcc >/dev/null; then
	awk 'BEGIN {
		print ".globl main\n.type main,@function\nmain:\n\txor %eax,%eax\n\tret\n.size main,.-main\n.section .note.GNU-stack\n.text"
		for (i = 0; i < 10000; i++)
			printf ".type many%d,@function\nmany%d:\n\tpush %%rbp\n\tpop %%rbp\n\tret\n.size many%d,.-many%d\n", i, i, i, i
	}' >"$TMP/many.s"
	gcc -o "$TMP/many" "$TMP/many.s" || fail "6: no program"
	d -ln 'pid$target:a.out:many*:entry' -c "$TMP/many"
	is "6: functions" "$(grep -c ' many[0-9]* entry$' "$TMP/out")" 10000
	"$DTRACE" -ln 'pid$target:a.out:many*:entry' -c "$TMP/many" 2>"$TMP/err" </dev/null | head -n 1 >"$TMP/out"
	is "6: its head" "$(cat "$TMP/out" "$TMP/err" | wc -l)" 1
fi

# 8: a typo in a function, in a module and without one: the nearest, nothing is run
for module in a.out ''; do
	d -n 'pid$target:'$module':laef:entry { trace("never"); }' -c "touch $TMP/ran"
	ends 1 "8: a typo"
done
d -n 'pid$target::laef:entry { }' -c "$TARGETS/t 1"
like "8: a typo in no module" "$err" "*
dtrace: did you mean leaf?*"
[ ! -e "$TMP/ran" ] || fail "8: it was run"

# 9: an error of a script has its file and line; on a terminal the line and a mark follow; the tag is explained
printf 'BEGIN\n{\n\ttrace(1)\n\ttrace(2);\n}\n' >"$TMP/wrong.d"
d -x errtags -s "$TMP/wrong.d"
ends 1 "9: a syntax error"
like "9: a syntax error" "$err" "dtrace: failed to compile script $TMP/wrong.d: *line 4: syntax error near \"trace\"*"
tag=$(sed -n 's/.*: \[\(D_[A-Z_]*\)\].*/\1/p' "$TMP/err")
d --explain "$tag"
ends 0 "9: --explain $tag"
like "9: --explain" "$out" "*$tag*"

# 10: what is not permitted is told with what permits it, or what works now
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	sleep 1000 &
	other=$!
	setpriv --reuid=65534 --regid=65534 --clear-groups "$DTRACE" -n 'pid$target:::entry { }' -p $other >"$TMP/out" 2>"$TMP/err" </dev/null && fail "10: somebody else's process"
	kill $other
	like "10: somebody else's process" "$(cat "$TMP/err")" "*needs root or CAP_SYS_PTRACE*"
fi

# 16: one-liners of the README, each with what it prints (tests/run runs them)
n=$(grep -c '^\$ .*dtrace' README.md)
[ "$n" -ge 25 ] || fail "16: only $n examples in the README"

# 17: a page for each provider, each tool, the language and the scripts, with examples; each option is in one
for provider in $("$DTRACE" --list-providers 2>/dev/null | awk '/^[a-z]/ { print $1 }'); do
	case $provider in ID | rawtp | linux*) continue ;; esac
	[ -e "docs/dtrace-$provider.7" ] || echo "$provider"
done >"$TMP/pages"
is "17: providers without a page" "$(tr '\n' ' ' <"$TMP/pages")" ""
for page in docs/dtrace-[a-z]*.7; do
	grep -q '^\.SH EXAMPLE\|^\.EX' "$page" || echo "$page"
done >"$TMP/pages"
is "17: pages without an example" "$(tr '\n' ' ' <"$TMP/pages")" ""
for tool in $("$DTRACE" --tools | awk '{ print $1 }'); do
	grep -q '^## Examples' "docs/tools/$tool.md" || fail "17: $tool has no page with examples"
done

# 18: fish
if command -v fish >/dev/null; then
	PATH=$(dirname "$DTRACE"):$PATH fish -c "source dscripts/completion/dtrace.fish; complete -C 'dtrace --doc'" >"$TMP/out" 2>&1
	like "18: fish" "$(cat "$TMP/out")" "--doctor*"
fi

# 19: ten lessons, each a line and what it prints, on a program of the tree
is "19: lessons" "$(grep -c '^## [0-9]* ' docs/TUTORIAL.md)" 10
is "19: what they print" "$(awk '/^## [0-9]/ { n++ } /^```console/ { has[n] = 1 } END { for (i = 1; i <= n; i++) c += has[i]; print c }' docs/TUTORIAL.md)" 10
finish
