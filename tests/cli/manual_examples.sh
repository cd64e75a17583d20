# The examples of the manual pages of providers: each compiles, begins and ends well, with a program or process of ours where the page says one.
# needs: root
# timeout: 300
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need python3

cat >"$TMP/examples.py" <<'PY'
"""Each example of pages as a command line of sh: lines of .EX that begin with "dtrace", to the quote that ends them."""
import re, sys

for page in sys.argv[1:]:
    for block in re.findall(r"^\.EX\n(.*?)^\.EE", open(page).read(), flags=re.S | re.M):
        open_one = ""
        for line in block.replace("\\-", "-").replace("\\e", "\\").replace("\\&", "").split("\n"):
            line = re.sub(r"^[$#] (?=dtrace )", "", line)
            if open_one or re.match(r"dtrace .*-[a-zA-Z]*n ", line):
                open_one += (" " if open_one else "") + line.strip()
                if open_one.count("'") % 2 == 0:
                    print(page, open_one)
                    open_one = ""
PY
pages=$(for provider in fsinfo reg pf tcpip udpip ip tcp udp dpc isr lockstat vminfo sysinfo rawtp linux pmc hwconfig dnet diag io sched proc profile \
	syscall fpid pid dtrace; do echo "docs/dtrace-$provider.7"; done)
# shellcheck disable=SC2086
python3 "$TMP/examples.py" $pages >"$TMP/examples"
for page in $pages; do
	grep -q "^$page " "$TMP/examples" || fail "$page has no example"
done

cp "$TARGETS/counters" "$TMP/program"
cp "$TARGETS/counters" "$TMP/prog"
cp "$TARGETS/faults" "$TMP/faults"
echo 'profile-97 { @programs[execname] = count(); }' >"$TMP/script.d"
echo 'import colorsys' >"$TMP/program.py"
echo 'null' >"$TMP/program.js"
echo 'public class Program { public static void main(String[] a) { } }' >"$TMP/Program.java"
sleep 1000 &
sleeper=$!
dtrace() { # as the page has it, for a moment
	"$DTRACE" -n 'tick-30ms { exit(0); }' "$@"
}
cd "$TMP" || exit 1
while read -r page line; do
	case $line in
	*' -c '*java\ *) command -v java >/dev/null || continue ;;
	*' -c '*node\ *) command -v node >/dev/null || continue ;;
	*fbt:*) "$DTRACE" --doctor | grep -q '^fentry *works' || continue ;;
	esac
	line=$(printf '%s\n' "$line" | sed "s/-p 1234/-p $sleeper/; s/-c \.\/prog\(ram\)\{0,1\}\$/-c '.\/program 3'/; s/-c \.\/faults\$/-c '.\/faults data'/")
	(eval "$line") >out 2>err </dev/null
	status=$?
	case $line in
	*'ERROR {'*) # it shows a fault
		is "$page: $line" "$status $(grep -c divide-by-zero err)" "1 1"
		continue
		;;
	esac
	is "$page: status of $line" "$status" 0
	is "$page: $line" "$(grep -Ev "^dtrace: (description|script) '.*' matched [0-9]+ probes?|^dtrace: pid [0-9]+ has exited|drops? |dropped|hits found the ring of their thread full|^dtrace: records were lost; |^dtrace: .*unrecorded events?|^dtrace: fpid: [0-9]+ functions?: |has no such event; it never fires|^[a-zA-Z ]+ [0-9]+|^$" err)" ""
done <examples
kill $sleeper
[ "$(wc -l <examples)" -ge 60 ] || fail "$(wc -l <examples) examples"
finish
