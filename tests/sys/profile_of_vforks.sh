# Sampling a program that makes many processes holds none of them: in vfork() a thread does not stop before its child,
# which waits for us.
# needs: user
. tests/lib/lib.sh

# shellcheck disable=SC2016
d -qn 'profile-4999 { @[ustack(2)] = count(); } END { printf("end\n"); }' \
	-c "sh -c 'i=0; while [ \$i -lt 150 ]; do /bin/true; i=\$((i+1)); done; echo all 150'"
ends 0 "many vforks"
like "they all run" "$out" "*all 150*end*"
finish
