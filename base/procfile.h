/*
 * procfile.h: the files of /proc/PID (proc(5)), read and taken apart, by all who need more of them
 * than a line of words. All of it may be out of date when it is returned, and the process may be
 * gone.
 */
#ifndef BASE_PROCFILE_H
#define BASE_PROCFILE_H

#include "base/base.h"

struct strbuf;

/* A file's text, of any length, behind what there is. Errors: -errno. */
int slurp(const char *path, struct strbuf *);
/* As much of it as buf has room for, as a string. Returns its length, or -errno: it is "" then. */
ssize_t slurp_start(const char *path, char *buf, size_t size);
/* The same of /proc/PID/NAME. */
int procfile_slurp(pid_t, const char *name, struct strbuf *);
ssize_t procfile_start(pid_t, const char *name, char *buf, size_t size);

/* Field n of the text of a stat, as proc_pid_stat(5) numbers them, 3 the first; NULL: there is
 * none. */
const char *procstat_field(const char *text, unsigned n);
/* What is behind "NAME:" and blanks in the text of a status or fdinfo; NULL: there is none. */
const char *procstatus_value(const char *text, const char *name);

/* An entry of auxv (getauxval(3)); 0: it has none. */
uint64_t procauxv(pid_t, uint64_t type);

/* A line of maps (proc_pid_maps(5)). */
struct procmap {
	taddr_t start, end;
	bool read, write, exec, shared;
	uint64_t offset, ino;
	unsigned dev_major, dev_minor;
	char *path; /* as it stands there, " (deleted)" and all; "": none */
};

/* The next line of its text, which is cut up for that; *at moves past it. False: that was all. */
bool procmap_next(char **at, struct procmap *);

#endif
