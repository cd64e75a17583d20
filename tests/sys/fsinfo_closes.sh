# A file is closed and cleaned up once, with its last reference, and that ends once: of dup(), fork(), close_range(), exec, and the end of a process.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need gcc

cat >"$TMP/closes.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static int opened(const char *dir, const char *name, int flags)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open(path, O_RDWR | O_CREAT | flags, 0600);
}
int main(int argc, char **argv)
{
	const char *dir = argv[1];
	int fd, copy;
	if (argc > 2)
		return 0;
	fd = opened(dir, "duplicate", 0);
	copy = dup(fd);
	close(fd); /* not the last */
	close(copy);
	fd = opened(dir, "inherited", 0);
	if (fork() == 0) {
		close(fd); /* nor this */
		_exit(0);
	}
	wait(0);
	close(fd);
	fd = opened(dir, "by_child", 0);
	if (fork() == 0) {
		while (getppid() != 1 && syscall(SYS_tgkill, getppid(), getppid(), 0) == 0 && lseek(fd, 0, SEEK_CUR) == 0)
			usleep(1000);
		_exit(0); /* whoever is last: its end, or what the parent closes */
	}
	lseek(fd, 1, SEEK_SET);
	close(fd);
	wait(0);
	fd = opened(dir, "range_one", 0);
	opened(dir, "range_two", 0);
	syscall(SYS_close_range, fd, fd + 1, 0);
	opened(dir, "by_exec", O_CLOEXEC);
	opened(dir, "at_the_end", 0);
	execl(argv[0], argv[0], dir, "again", (char *)0);
	return 1;
}
END
gcc -O1 -o "$TMP/closes" "$TMP/closes.c" || fail "no program"
mkdir "$TMP/files"
d -qn 'fsinfo:::close, fsinfo:::cleanup /progenyof($target) && args[0]->fi_dirname == "'"$TMP"'/files"/ { @[args[0]->fi_name, probename] = count(); }' \
	-x strsize=1k -c "$TMP/closes $TMP/files"
ends 0 "closes"
for name in duplicate inherited by_child range_one range_two by_exec at_the_end; do
	for what in close cleanup; do
		is "$name: $what" "$(echo "$out" | awk -v n="$name" -v w="$what" '$1 == n && $2 == w { print $3 }')" 1
	done
done
# each has its end, of the same name; with done alone, too
d -qn 'fsinfo:::cleanup /progenyof($target) && args[0]->fi_dirname == "'"$TMP"'/files"/ { irps[args[0]->fi_irp] = 1; }
	fsinfo:::done /progenyof($target) && args[0]->fi_dirname == "'"$TMP"'/files" && irps[args[0]->fi_irp]/
	{ irps[args[0]->fi_irp] = 0; @[args[0]->fi_name, args[0]->fi_rstatus] = count(); }' -x strsize=1k -c "$TMP/closes $TMP/files"
ends 0 "ends of closes"
for name in duplicate inherited by_child range_one range_two by_exec at_the_end; do
	is "$name: done" "$(echo "$out" | awk -v n="$name" '$1 == n { print $2, $3 }')" "0 1"
done
d -qn 'fsinfo:::done /progenyof($target) && args[0]->fi_dirname == "'"$TMP"'/files" && args[0]->fi_name == "by_exec"/ { @ = count(); }
	fsinfo:::done /progenyof($target)/ { @all = count(); }' -x strsize=1k -c "$TMP/closes $TMP/files"
is "by an exec: opened and closed" "$(echo "$out" | awk 'NF { print $1; exit }')" 2
finish
