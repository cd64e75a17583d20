# -c splits its argument at blanks; quotes and backslash group; no shell is involved.
# needs: user
. tests/lib/lib.sh

d -qn 'BEGIN { x = 1; }' -c 'echo  a  "b  c"   d'
is "double quotes" "$out" "a b  c d"
d -qn 'BEGIN { x = 1; }' -c "echo 'x  y' \$HOME * a\\ b"
is "nothing is expanded" "$out" 'x  y $HOME * a b'
finish
