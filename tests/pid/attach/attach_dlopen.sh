# A library that a running process loads after we have come: its probes are armed before it runs, by the
# words of the dynamic linker, found through DT_DEBUG.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

start_waits 1
trace -qn 'BEGIN { printf("armed\n"); } pid$target:libz.so.1:zlibVersion:entry,pid$target:libm.so.6:cos:entry { }
	pid$target:ld-linux-x86-64.so.2:_dl_catch_exception:entry { @["caught"] = count(); }
	pid$target:libm.so.6:_init:entry,pid$target:liblzma.so.5::entry { @["loaded"] = count(); }' -Z -p "$target"
traced
tell load liblzma.so.5
waits_for "$TMP/said" '^loaded\|liblzma' "load"
grep -q '^loaded' "$TMP/said" || {
	tell quit
	skip "no liblzma.so.5"
}
end_trace
ends 0 "^C"
like "functions of the new library" "$out" "*loaded*"
unharmed "$target" "afterwards"
tell quit
target_ends
finish
