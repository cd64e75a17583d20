# Functions of PHP by its static probes.
. tests/lib/lib.sh
. tests/lib/scripts.sh
need php
cat >"$TMP/p.php" <<'P'
<?php
function twice($x) { return 2 * $x; }
$n = 0;
for ($i = 0; $i < 25; $i++) { $n++; twice($i); }
echo "twice $n\n";
P
export USE_ZEND_DTRACE=1
"$DTRACE" -ln 'php$target:::' -c "php -v" 2>/dev/null | grep -q function-entry || skip "php has no static probes"
script phpcalls -c "php -n $TMP/p.php"
is "calls" "$(cell twice)" "$(said twice)"
is "returns" "$(cell returns twice)" "$(said twice)"
finish
