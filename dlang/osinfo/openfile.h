/*
 * openfile.h: what /proc says of a file that a process has open, for fds[] (dscripts/lib/files.d).
 * It is read when a member asks, once a firing for one descriptor: at a stop of the process that is
 * the file of the event, in an event that is read later the one that is open by then.
 */
#ifndef DLANG_OSINFO_OPENFILE_H
#define DLANG_OSINFO_OPENFILE_H

#include "base/arena.h"

/* The rows of fdnum[] and fdtext[], whose index is descriptor << 2 | row; files.d has the same
 * list. */
enum fdnum {
	FDNUM_OPEN, /* 1, or 0: there is no such descriptor, or no such process any more */
	FDNUM_OFFSET,
	FDNUM_OFLAGS,
	FDNUM_NROWS
};
enum fdtext {
	FDTEXT_PATH, /* or "pipe:[8]" and the like; "": not open */
	FDTEXT_FS,   /* kind of file system; "": it is mounted nowhere (pipes, sockets) */
	FDTEXT_MOUNT,
	FDTEXT_NROWS
};
#define FDROW_BITS 2

#define OPENFILE_TEXT 4096

struct openfile {
	bool have;
	pid_t pid;
	int64_t fd;
	bool is_open;
	int64_t offset, oflags, mnt_id;
	bool have_mount;
	char path[OPENFILE_TEXT], fs[64], mount[OPENFILE_TEXT];
};

struct openfile *openfile_new(struct arena *);
void openfile_begin_firing(struct openfile *);
/* Another file is asked for: nothing is known of it. False: it is the one that was. */
bool openfile_turn_to(struct openfile *, pid_t pid, int64_t fd);
/* Asks /proc; where it is mounted is asked when that is wanted. */
void openfile_look(struct openfile *);
void openfile_look_for_mount(struct openfile *);
int64_t openfile_number(const struct openfile *, enum fdnum);
/* Valid until another file is asked for. */
const char *openfile_text(struct openfile *, enum fdtext);

#endif
