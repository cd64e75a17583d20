# profile-N by perf: as many samples of the program as it has had CPU time, its code and not another's.
# needs: user
. tests/lib/lib.sh

d -qn 'profile-997 /arg1/ { @n[pid == $target, execname] = count(); }' -c "$TARGETS/burn 0.6"
ends 0 "a program that burns"
[ "$status" = 0 ] || finish
ms=$(sed -n 's/^cpu //p' "$TMP/out")
got=$(awk '$1 == 1 && $2 == "burn" { print $3 }' "$TMP/out")
[ "${got:-0}" -gt $((ms / 2)) ] && [ "${got:-0}" -lt $((ms * 3 / 2)) ] || fail "$got samples in $ms ms: $out"

# where it was
d -qn 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); }' -c "$TARGETS/burn 0.6"
like "the function" "$out" "*burn\`burn *"

# children too
d -qn 'profile-997 { @[execname] = count(); }' -c "sh -c '$TARGETS/burn 0.4; :'"
like "a child" "$out" "*burn *"

# without a program and without privileges: a timer for each CPU
d -qn 'profile-97 { @[cpu] = count(); } tick-300ms { exit(0); }'
ends 0 "no program"
is "each CPU" "$(echo "$out" | grep -c '[0-9]')" "$(getconf _NPROCESSORS_ONLN)"
finish
