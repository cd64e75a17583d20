/*
 * watcher FOLDER: watches it by inotify and by fanotify, makes a file there, and reads what both
 * tell; then takes locks and leases on that file. Prints "inotify watches 1 reads 1 events N", the
 * same of fanotify
 * ("fanotify none" where it cannot be had), and "leases N" (of 3 that were asked for).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static char text[4096] __attribute__((aligned(8)));

static int count_inotify(ssize_t n)
{
	int events = 0;

	for (ssize_t at = 0; at < n; events++)
		at += (ssize_t)sizeof(struct inotify_event) +
		      ((struct inotify_event *)(void *)(text + at))->len;
	return events;
}

static int count_fanotify(ssize_t n)
{
	const struct fanotify_event_metadata *m = (void *)text;
	int events = 0;

	for (; FAN_EVENT_OK(m, n); m = FAN_EVENT_NEXT(m, n), events++)
		if (m->fd >= 0)
			close(m->fd);
	return events;
}

/* One that asks for what others may do less: each is seen by what is asked about the file then. */
static void hold(const char *file)
{
	int fd = open(file, O_RDWR), other, n = 0;
	struct stat st;

	if (fd < 0)
		exit(1);
	fstat(fd, &st); /* 7 */
	flock(fd, LOCK_SH);
	fstat(fd, &st); /* 5 */
	flock(fd, LOCK_EX);
	fstat(fd, &st); /* 4 */
	flock(fd, LOCK_UN);
	n += fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
	fstat(fd, &st); /* 4 */
	fcntl(fd, F_SETLEASE, F_UNLCK);
	close(fd);
	other = open(file, O_RDONLY);
	n += fcntl(other, F_SETLEASE, F_RDLCK) == 0;
	fstat(other, &st); /* 5 */
	n += fcntl(other, F_SETLEASE, F_UNLCK) == 0;
	fstat(other, &st); /* 7 */
	close(other);
	printf("leases %d\n", n);
}

int main(int argc, char **argv)
{
	int in = inotify_init1(0), fan = fanotify_init(FAN_CLASS_NOTIF, O_RDONLY), fd;
	char file[4096];

	if (argc < 2 || in < 0)
		return 1;
	if (inotify_add_watch(in, argv[1], IN_CREATE | IN_CLOSE_WRITE) < 0)
		return 1;
	if (fan >= 0 && fanotify_mark(fan, FAN_MARK_ADD, FAN_CLOSE_WRITE | FAN_EVENT_ON_CHILD,
				      AT_FDCWD, argv[1]) < 0) {
		close(fan);
		fan = -1;
	}
	snprintf(file, sizeof(file), "%s/watched", argv[1]);
	fd = open(file, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || close(fd) < 0)
		return 1;
	printf("inotify watches 1 reads 1 events %d\n",
	       count_inotify(read(in, text, sizeof(text))));
	if (fan < 0)
		printf("fanotify none\n");
	else
		printf("fanotify watches 1 reads 1 events %d\n",
		       count_fanotify(read(fan, text, sizeof(text))));
	hold(file);
	return 0;
}
