# Programs and libraries of the distribution that have static probes.
# needs: user
. tests/lib/lib.sh

tried=0
has_notes() { # has_notes FILE: it is there, with notes
	[ -e "$1" ] && readelf -SW "$1" 2>/dev/null | grep -q '\.note\.stapsdt' && tried=1
}

if has_notes "$(readlink -f /usr/bin/python3 2>/dev/null)"; then
	printf 'import gc\nfor i in range(5): gc.collect()\nimport colorsys\n' >"$TMP/t.py"
	d -qn 'python$target:::gc-start { @gc[arg0] = count(); }
		python$target:::import-find-load-start { @[copyinstr(arg0)] = count(); }
		END { printa("%s %@d\n", @); printa("gc %d %@d\n", @gc); }' -c "/usr/bin/python3 $TMP/t.py"
	ends 0 python
	like "python: imports" "$out" "*colorsys 1*"
	like "python: full collections" "$out" "*gc 2 [5-9]*"
fi

lib=$(ls /usr/lib/x86_64-linux-gnu/libstdc++.so.6 2>/dev/null)
if has_notes "$lib" && command -v g++ >/dev/null; then
	printf 'int main() { for (int i = 0; i < 25; i++) try { throw i; } catch (int) { } }' >"$TMP/t.cc"
	g++ -O1 -o "$TMP/throws" "$TMP/t.cc"
	d -qn 'libstdcxx$target:::throw,libstdcxx$target:::catch { @[probename] = count(); }
		END { printa("%s %@d\n", @); }' -c "$TMP/throws"
	ends 0 "libstdc++"
	is "libstdc++" "$(echo "$out" | sort | grep .)" "catch 25
throw 25"
fi

jvm=$(ls /usr/lib/jvm/*/lib/server/libjvm.so 2>/dev/null | head -1)
if [ -n "$jvm" ] && has_notes "$jvm"; then
	java=${jvm%/lib/server/libjvm.so}/bin/java
	d -Zqn 'hotspot$target:::vm-init-begin,hotspot$target:::vm-init-end { printf("%s\n", probename); }' \
		-c "$java -Xshare:auto -version"
	ends 0 java
	is "java" "$(echo "$out" | grep -v '^$')" "vm-init-begin
vm-init-end"
fi
lib=$(ls /usr/lib/x86_64-linux-gnu/libruby-*.so.?.? 2>/dev/null | head -1)
if [ -n "$lib" ] && has_notes "$lib" && command -v ruby >/dev/null; then
	d -Zqn 'ruby$target:::string-create { @ = count(); } ruby$target:::require-entry { printf("%s\n", copyinstr(arg0)); }' \
		-c "ruby --disable-gems -e 'require %q(abbrev); 100.times { String.new }'"
	ends 0 ruby
	like "ruby" "$(echo "$out" | tr '\n' ' ')" "*abbrev *[1-9][0-9][0-9]*"
fi

if has_notes "$(readlink -f "$(command -v php)" 2>/dev/null)"; then # they fire when this is asked for
	d -qn 'php$target:::function-entry { printf("%s\n", copyinstr(arg0)); }' -x setenv=USE_ZEND_DTRACE=1 \
		-c "php -n -r 'function paint() { return 1; } paint(); paint();'"
	ends 0 php
	is "php" "$(echo "$out" | grep paint | tr '\n' ' ')" "paint paint "
fi
[ $tried = 1 ] || skip "no program with static probes"
finish
