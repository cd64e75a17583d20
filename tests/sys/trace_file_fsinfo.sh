# Operations on files of a recording: those that the program has made, with their numbers and results.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf gcc

cat >"$TMP/files.c" <<'END_C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char buf[100] = "";
	int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0640), other;
	for (int i = 0; i < 7; i++) if (write(fd, buf, 10 + i) < 0) return 1;
	for (int i = 0; i < 5; i++) if (pread(fd, buf, 20, 30 + i) < 0) return 1;
	other = open("/nowhere/at/all", O_RDONLY);
	mkdir(argv[1], 0700);
	fsync(fd);
	ftruncate(fd, 12);
	rename(argv[1], argv[1]);
	unlink(argv[1]);
	close(fd);
	printf("%d\n", fd);
	return argc != 2 || other >= 0;
}
END_C
gcc -O1 -o "$TMP/files$$" "$TMP/files.c" || fail "no program"
fd=$(perf record -q -o "$TMP/f.data" -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- "$TMP/files$$" "$TMP/made" 2>/dev/null) || skip "perf record does not work here"
d -qE "$TMP/f.data" -n 'int none, there, at;
	fsinfo:::write /execname == $$1 && args[0]->fi_name == $$2/ { @["write", args[0]->fi_bcount] = count(); }
	fsinfo:::read /execname == $$1 && args[0]->fi_bcount == 20/ { @["read", args[0]->fi_bcount] = count(); at += args[0]->fi_offset; }
	fsinfo:::create /execname == $$1 && args[0]->fi_aflags == 0640/ { @["create", args[0]->fi_cflags] = count(); }
	fsinfo:::done /execname == $$1 && args[0]->fi_rstatus == -ENOENT && args[0]->fi_name == "<unknown>"/ { none = 1; }
	fsinfo:::done /execname == $$1 && args[0]->fi_rstatus == -EEXIST/ { there = 1; }
	fsinfo:::done /execname == $$1 && args[0]->fi_name == $$2 && args[0]->fi_offset == 34/ { @["done", args[0]->fi_extinfo] = count(); }
	fsinfo:::flush, fsinfo:::setinfo, fsinfo:::cleanup /execname == $$1 && args[0]->fi_name == $$2/ { last[probename]++; }
	fsinfo:::rename, fsinfo:::delete /execname == $$1/ { @[probename, 0] = count(); }
	END { printf("%d %d %d: %d %d", none, there, at, last["flush"], last["setinfo"]); printa("\n%s %d %@d", @); }' "files$$" "<fd $fd>"
ends 0 "operations"
is "operations" "$(echo "$out" | sort)" "1 1 160: 1 1
create 3 1
delete 0 1
done 20 1
read 20 5
rename 0 1
write 10 1
write 11 1
write 12 1
write 13 1
write 14 1
write 15 1
write 16 1"
finish
