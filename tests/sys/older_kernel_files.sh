# The kernel of Debian 12 (6.1), in an emulated machine, accepts the programs of fsinfo and reg.
# needs: root
# timeout: 450
. tests/lib/lib.sh
. tests/lib/guest.sh
export LIMIT=370
in_guest tests/sys/programs_load_files.sh
finish
