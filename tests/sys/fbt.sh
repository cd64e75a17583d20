# fbt says why it has no probes, in the words of the kernel's own answer.
. tests/lib.sh
d -n 'fbt::vfs_read:entry { @ = count(); }'
ends 1 "fbt"
case $("$DTRACE" --doctor | grep '^fentry') in
*works*) like "allowed" "$err" "*probe description fbt::vfs_read:entry: fbt is not there yet; *" ;;
*refuses*) like "refused" "$err" "*probe description fbt::vfs_read:entry: this kernel refuses function-entry programs (BPF fentry: *); fbt is unavailable*" ;;
*) like "neither" "$err" "*probe description fbt::vfs_read:entry: *fbt is unavailable*" ;;
esac
d -Zqn 'fbt::vfs_read:entry { @ = count(); } BEGIN { exit(0); }'
ends 0 "with -Z"
finish
