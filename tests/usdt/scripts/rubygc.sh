# Collections of Ruby, which counts them itself.
. tests/lib/lib.sh
. tests/lib/scripts.sh
need ruby
"$DTRACE" -ln 'ruby$target:::' -c "ruby -v" 2>/dev/null | grep -q gc-mark-begin || skip "ruby has no static probes"
echo 'n = GC.count; 5.times { GC.start }; puts "marked #{GC.count - n}"' >"$TMP/gc.rb"
script rubygc -c "ruby --disable-gems $TMP/gc.rb"
[ "$(cell marked)" -ge "$(said marked)" ] || fail "marked $(cell marked), ruby says $(said marked)"
[ "$(cell marked)" -le "$(($(said marked) + 3))" ] || fail "marked $(cell marked), ruby says $(said marked)"
is "time" "$(cell in no time)" 0
finish
