# Time with and without what is called: self-> arrays by depth; the parts add up to the whole.
. tests/lib/lib.sh
. tests/lib/scripts.sh
script exclusive -c "$TARGETS/t 100"
is "calls" "$(cell calls branchy) $(cell calls hidden) $(cell calls work)" "$(said branchy) $(said hidden) 1"
is "the sum of exclusive times" "$(cell total)" "$(cell incl work)"
is "of the leaf" "$(cell excl hidden)" "$(cell incl hidden)"
is "of the middle" "$(($(cell excl branchy) + $(cell incl hidden)))" "$(cell incl branchy)"
finish
