# A target that fails is reported by a notice; its status never becomes the command's.
# needs: user
. tests/lib/lib.sh

d -n 'BEGIN { x = 1; }' -c 'sh -c "exit 3"'
ends 0 "exit 3"
like "exit 3" "$err" "*dtrace: pid [0-9]* exited with status 3"
d -n 'BEGIN { x = 1; }' -c 'sh -c "kill -9 \$\$"'
ends 0 "killed"
like "killed" "$err" "*dtrace: pid [0-9]* terminated by SIGKILL"
d -n 'BEGIN { x = 1; }' -c /bin/true
is "exit 0 says nothing but matched" "$err" "dtrace: description 'BEGIN ' matched 1 probe"
d -qn 'BEGIN { x = 1; }' -c 'sh -c "exit 3"'
is "quiet says nothing" "$err" ""
d -n 'BEGIN { exit(7); }' -c 'sh -c "exit 3"'
ends 7 "exit() in the program"
finish
