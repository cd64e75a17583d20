# CPython 3.12 and later with -X perf: each function is known before its first call, and named in
# stacks, which lead through all of them.
. tests/lib/lib.sh

for python in python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || continue
	"$python" -X perf -c 'import os, sys; print(os.getpid()); sys.exit(not sys.is_stack_trampoline_active())' \
		>"$TMP/pids" 2>/dev/null && break
	python=
done
[ -x "$(command -v "${python:-none}")" ] || skip "no CPython 3.12 or later with -X perf"
forget_maps "$TMP/pids"
cat >"$TMP/hot.py" <<'END'
def add(a, b):
    return a + b
class Shop:
    def sell(self, n):
        return add(n, 1)
shop, n = Shop(), 0
for i in range(3000):
    n = shop.sell(n)
print('sum', n)
END
d -qn 'pid$target:jit:add:entry, pid$target:jit:add:return, pid$target:jit:Shop.sell:entry {
		@[probefunc, probename] = count(); }
	pid$target:jit:add:entry /!n++/ { ustack(50); }
	BEGIN { printf("%d\n", $target); }' -c "$python -X perf $TMP/hot.py" -o "$TMP/all"
ends 0 "python"
rm -f "/tmp/perf-$(head -1 "$TMP/all").map"
is "its output" "$out" "sum 3000"
is "counts" "$(awk 'NF == 4 { print $1, $3, $4 }' "$TMP/all" | sort)" "Shop.sell entry 3000
add entry 3000
add return 3000"
like "the stack" "$(cat "$TMP/all")" \
	"*jit\`py::add:$TMP/hot.py*jit\`py::Shop.sell:*jit\`py::<module>:*\`_start+*"
finish
