# make deb: a package that lintian has nothing against, equal for equal trees, whose command runs where it is unpacked; make html: the
# manual as one page, all of whose links lead somewhere within it.
# timeout: 240
. tests/lib/lib.sh

[ -z "$SAN" ] || skip "once is enough"
unset MAKEFLAGS MFLAGS MAKELEVEL
need make
if command -v dpkg-shlibdeps >/dev/null 2>&1; then
	packaging/deb "$TMP/a" >"$TMP/log" 2>&1 || fail "make deb: $(cat "$TMP/log")"
	deb=$TMP/a/dtrace_2.0_amd64.deb
	if command -v lintian >/dev/null 2>&1; then
		lintian --allow-root "$deb" >"$TMP/lintian" 2>&1 || fail "lintian: $(cat "$TMP/lintian")"
		grep '^[EW]:' "$TMP/lintian" && fail "lintian complains"
	fi
	dpkg-deb -x "$deb" "$TMP/unpacked"
	got=$(cd / && "$TMP/unpacked/usr/bin/dtrace" -qn 'BEGIN { printf("%s %d", curpsinfo->pr_fname, ENOENT); exit(0); }')
	is "the command of the package" "$got" "dtrace 2"
	dpkg-deb -f "$deb" Depends | grep -q 'libdw1.*libelf1\|libelf1.*libdw1' || fail "Depends: $(dpkg-deb -f "$deb" Depends)"
	for file in usr/share/man/man1/dtrace.1.gz usr/share/bash-completion/completions/dtrace usr/include/dtrace/probe.h usr/share/doc/dtrace/copyright; do
		[ -s "$TMP/unpacked/$file" ] || fail "$file is not in the package"
	done
	[ "$(stat -c %s "$deb")" -lt 6000000 ] || fail "size: $(stat -c %s "$deb")"
	(cd "$TMP/unpacked" && find . -perm /022 ! -type l | grep .) && fail "files that others may write"
	packaging/deb "$TMP/b" >"$TMP/log" 2>&1
	cmp "$deb" "$TMP/b/dtrace_2.0_amd64.deb" || fail "two packages of one tree differ"
fi
if command -v mandoc >/dev/null 2>&1 && command -v cmark-gfm >/dev/null 2>&1; then
	packaging/html "$TMP/manual.html" >"$TMP/log" 2>&1 || fail "make html: $(cat "$TMP/log")"
	/usr/bin/python3 - "$TMP/manual.html" <<'END' || fail "manual.html"
import collections, html.parser, sys
ids, links, outside = collections.Counter(), [], []
class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                ids[value] += 1
            if name == "href":
                links.append(value)
            if name in ("src", "srcset") or tag in ("script", "link", "img", "iframe") or name.startswith("on"):
                outside.append((tag, name, value))
Page().feed(open(sys.argv[1], encoding="utf-8").read())
assert not outside, outside
assert not [i for i, n in ids.items() if n > 1], [i for i, n in ids.items() if n > 1]
assert len(ids) > 300 and len(links) > 300
dangling = [l for l in links if l.startswith("#") and l[1:] not in ids]
assert not dangling, dangling
END
	for page in docs/*.[17] dtrace-tools.7 $(cd docs/tools && printf 'dtrace-%s\n' *.md | sed 's/md$/8/'); do
		grep -q "id=\"$(basename "$page" | tr . -)\"" "$TMP/manual.html" || fail "$page is not in it"
	done
fi
finish
