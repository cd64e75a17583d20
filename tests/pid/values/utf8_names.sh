# Names of more than ASCII, of functions, types and variables, can be written, are listed, and stand in
# columns.
# needs: user
. tests/lib/lib.sh
need gcc python3

cat >"$TMP/p.c" <<'END'
struct größe { int länge; };
__attribute__((noipa)) int größe(struct größe *p) { return p->länge; }
__attribute__((noipa)) int 文字(int x) { __asm__ volatile(""); return x; }
int main(void) { struct größe g = {7}; return größe(&g) + 文字(1) != 8; }
END
gcc -g -O1 "$TMP/p.c" -o "$TMP/p" || skip "a compiler without such names"
d -qn 'pid$target:a.out:größe:entry { printf("%s %d", probefunc, args[0]->länge); }' -c "$TMP/p"
is "a function" "$out" "größe 7"
d -qn 'pid$target:a.out:gr*e:entry,pid$target:a.out:文*:return { printf("%s ", probefunc); }' -c "$TMP/p"
is "patterns" "$out" "größe 文字 "
d -qn 'pid$target:a.out:文字:entry { self->größe = arg0; } pid$target:a.out:文字:return /self->größe == 1/ { printf("%d", arg1); }' -c "$TMP/p"
is "a variable" "$out" 1
d -ln 'pid$target:a.out:größe:entry,pid$target:a.out:文字:entry,pid$target:a.out:main:entry' -c "$TMP/p"
is "columns of -l" "$(echo "$out" | sed 's/^ *[0-9]* *pid[0-9]* *//' | tail -n +2)" \
"p                             größe entry
p                              文字 entry
p                              main entry"
# ends_at WHAT NAME COLUMN: in the line with that name the last word ends there
ends_at() {
	printf '%s\n' "$out" | python3 -c '
import sys, unicodedata
what, name, column = sys.argv[1:]
for line in sys.stdin.read().split("\n"):
    if name in line:
        line = line.rstrip()
        width = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
        sys.exit(0 if width == int(column) else "%s: %d columns: %r" % (what, width, line))
sys.exit(what + ": no " + name)' "$@" || fail "$1"
}
d -qn 'pid$target:a.out:größe:entry,pid$target:a.out:文字:entry { @[probefunc] = count(); @s[ufunc(uregs[R_PC])] = sum(1); }' -c "$TMP/p"
for name in größe 文字; do
	ends_at "a symbol as a key" "p\`$name" 69
done
d -Fn 'pid$target:a.out:größe:entry,pid$target:a.out:文字:entry { trace("x"); }' -c "$TMP/p"
for name in größe 文字; do
	ends_at "-F" "-> $name" 45
done
d -n 'pid$target:a.out:größe:entry,pid$target:a.out:文字:entry { trace("x"); }' -c "$TMP/p"
for name in größe 文字; do
	ends_at "a line" "$name:entry" 36
done
finish
