# The kernel of Debian 12 (6.1), in an emulated machine: the tests of what differs there, and of fbt, which newer
# kernels may refuse.
# needs: root
# timeout: 450
. tests/lib/lib.sh
. tests/lib/guest.sh
in_guest tests/sys/network.sh tests/sys/network_members.sh tests/sys/fbt.sh tests/sys/rawtp.sh tests/sys/programs_load.sh \
	tests/sys/counted_by_keys.sh tests/sys/syscall_texts.sh
finish
