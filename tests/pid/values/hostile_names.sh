# A program that gives its symbols, types, files and itself names with escape sequences, newlines and
# markup: none of them reaches a terminal or breaks a format; what is shown is what is matched.
# needs: user
. tests/lib/lib.sh
need gcc python3

esc=$(printf '\033')
cat >"$TMP/m.c" <<'END'
__attribute__((noipa)) void inner(void) { __asm__ volatile(""); }
struct odd_XYZWtype { int badXYZWmember; };
__attribute__((noipa)) int typed(struct odd_XYZWtype *p) { return p->badXYZWmember; }
#define FUNCTION(name) __attribute__((noipa)) void name(void) { inner(); __asm__ volatile(""); }
FUNCTION(bad1XYZW1)
FUNCTION(bad2XYZW_script_alert_1___script_)
FUNCTION(bad3XYZW__quote)
FUNCTION(bad4XYZWW_umlaut)
int main(void)
{
	struct odd_XYZWtype t = {7};

	bad1XYZW1();
	bad2XYZW_script_alert_1___script_();
	bad3XYZW__quote();
	bad4XYZWW_umlaut();
	return typed(&t) != 7;
}
END
(cd "$TMP" && gcc -g -O1 -fno-omit-frame-pointer m.c -o p) || fail "cannot build"
# four bytes each: ESC [ and a newline and DEL; in the last CSI as U+009B, and a right-to-left override
python3 - "$TMP/p" <<'END'
import sys
b = open(sys.argv[1], 'rb').read()
b = b.replace(b'_script_alert_1___script_', b'<script>alert(1)</script>').replace(b'__quote', b"'&quote")
b = b.replace(b'bad4XYZWW', b'bad4\xc2\x9b\xe2\x80\xae').replace(b'XYZW', b'\x1b[\n\x7f')
open(sys.argv[1], 'wb').write(b)
END
odd=$(printf 'p\033]0;title\007')
cp "$TMP/p" "$TMP/$odd" && chmod +x "$TMP/$odd"

# plain WHAT TEXT...: no byte in it acts on a terminal
plain() {
	python3 - "$@" <<'END' || fail "$1: bytes that act on a terminal"
import sys
for path in sys.argv[2:]:
    data = open(path, 'rb').read()
    text = data.decode('utf-8') # raises
    for c in text:
        if (ord(c) < 32 and c not in '\n\t') or 0x7f <= ord(c) <= 0x9f or 0x202a <= ord(c) <= 0x202e:
            sys.exit('%s: %r in %r' % (path, c, text[:3000]))
END
}
all() { # all WHAT ARGS...: both streams are plain
	what=$1
	shift
	d "$@"
	plain "$what" "$TMP/out" "$TMP/err"
}
p=$TMP/$odd
all "-l" -ln 'pid$target:p*:bad*:entry' -c "$p"
is "-l: names" "$(grep -c 'bad[1-4]' "$TMP/out")" 4
like "-l: escapes" "$out" '*"bad1\\x1b[[]\\x0a\\x7f1" entry*'
like "-l: C1 and right-to-left" "$out" '*"bad4\\u009b\\u202e_umlaut" entry*'
like "-l: module" "$out" '*p\\x1b]0;title\\x07*'
all "-lv" -lvn 'pid$target:a.out:bad*:entry' -c "$p"
all "default" -n 'pid$target:a.out:bad*:entry' -c "$p"
like "default: line" "$out" '*bad2\\x1b[[]\\x0a\\x7f<script>alert(1)</script>:entry*'
all "-F" -Fn 'pid$target:a.out:bad*:entry,pid$target:a.out:bad*:return' -c "$p"
all "probefunc" -qn 'pid$target:a.out:bad*:entry { printf("%s %s\n", probefunc, probemod); @[probefunc] = count(); }' -c "$p"
all "stacks" -qn 'pid$target:a.out:inner:entry { ustack(); @[ustack(3)] = count(); }' -c "$p"
like "stacks: frame" "$out" '*`bad3\\x1b[[]\\x0a\\x7f'"'"'&quote+*'
all "symbols" -qn 'pid$target:a.out:bad*:entry { usym(uregs[R_PC]); printf(" "); umod(uregs[R_PC]); printf(" %A\n", uregs[R_PC]);
	@[usym(uregs[R_PC])] = count(); @b[ufunc(uregs[R_PC]), umod(uregs[R_PC]), uaddr(uregs[R_PC])] = count(); }' -c "$p"
all "matched by what is shown" -qn 'pid$target:a.out:bad1\\x1b*:entry { printf("%s", probefunc); }' -c "$p"
is "matched by what is shown" "$out" 'bad1\x1b[\x0a\x7f1'
all "pasted back" -qn 'pid$target:a.out:"bad1\x1b[\x0a\x7f1":entry { printf("%s", probefunc); }' -c "$p"
is "pasted back" "$out" 'bad1\x1b[\x0a\x7f1'
all "types" -qn 'pid$target:a.out:typed:entry { print(args[0]); print(*args[0]); }' -c "$p"
like "types: member" "$out" '*bad\\x1b[[]\\x0a\\x7fmember*'
all "did you mean" -qn 'pid$target:a.out:bad2XYZW:entry { trace(1); }' -c "$p"
all "an error" -qn 'pid$target:a.out:bad1*:entry { trace(*(int *)0); }' -c "$p"
all "-v" -vqn 'fpid$target:a.out:bad*:entry { @[probefunc, ustack()] = count(); }' -c "$p"
all "no such file" -qn 'pid$target:a.out:main:entry' -c "$TMP/none$esc[31m"

d -qn 'pid$target:a.out:inner:entry { printf("%s", copyinstr(arg0)); trace(stringof("a\n")); }' -c "$p" # D's own texts
for format in json xml html; do
	d -x oformat=$format -n 'pid$target:a.out:bad*:entry { ustack(); usym(uregs[R_PC]); printf("%s", probefunc); @[probefunc, usym(uregs[R_PC])] = count();
		@s[ustack()] = count(); } END { printa(@); }' -c "$p"
	ends 0 "$format"
	plain "$format" "$TMP/out" "$TMP/err"
	python3 - $format "$TMP/out" <<'END' || fail "$format cannot be read"
import json, sys, xml.dom.minidom
kind, path = sys.argv[1:]
text = open(path, encoding='utf-8').read()
if '<script>alert' in text and kind != 'json':
    sys.exit('markup')
if kind == 'json':
    parsed = json.dumps(json.loads(text))
else:
    start = text.index('<', text.index('<!DOCTYPE') + 1) if '<!DOCTYPE' in text else 0
    parsed = xml.dom.minidom.parseString(text if kind == 'xml' else text[start:]).toxml()
for i in range(1, 5):
    if 'bad%d' % i not in parsed:
        sys.exit('bad%d is missing' % i)
END
done
finish
