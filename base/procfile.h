/*
 * procfile.h: the files of /proc and /proc/PID (proc(5)), read and taken apart, by all who need
 * more of them than a line of words. All of it may be out of date when it is returned, and the
 * process may be gone.
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
/* The name of a thread by its file ("comm", "task/TID/comm"), as records of the kernel have it:
 * /proc shows behind that of a worker of the kernel what it works at by now. "": there is none. */
void procfile_comm(pid_t, const char *name, char comm[static 16]);
/* Where the link /proc/PID/NAME leads to, as much as buf has room for. Returns its length, or
 * -errno: it is "" then. */
ssize_t procfile_link(pid_t, const char *name, char *buf, size_t size);

/*
 * From now on nothing is told of processes but this one and its parent: events come from a file,
 * and the numbers in it are those of other processes, perhaps of another machine's.
 */
void procfile_hide_others(void);
bool procfile_is_hidden(pid_t);

/* The processes there are, or the threads of one (pid not 0); one that begins or ends meanwhile may
 * be told or not. */
struct procids {
	void *dir;
};

int procids_open(struct procids *, pid_t); /* errors: -errno; then there is none, nor to close */
pid_t procids_next(struct procids *);	   /* 0: that was all */
void procids_close(struct procids *);
/* The number that a name there is. 0: it is none. */
pid_t procid_of(const char *name);

/* Field n of the text of a stat, as proc_pid_stat(5) numbers them, 3 the first; NULL: there is
 * none. */
const char *procstat_field(const char *text, unsigned n);
/* What is behind "NAME:" and blanks in the text of a status or fdinfo; NULL: there is none. */
const char *procstatus_value(const char *text, const char *name);

/* An entry of auxv (getauxval(3)); 0: it has none. */
uint64_t procauxv(pid_t, uint64_t type);

/* A file as maps tell of it. */
struct procmap_file {
	unsigned dev_major, dev_minor;
	uint64_t ino;
};
/*
 * `copy`, a file of ours, is mapped in processes in place of another, as what they run: from now on
 * and until the end of this process it is told to be that one.
 */
void procmap_add_copy(const struct procmap_file *copy, const struct procmap_file *of);
/* What else the kernel tells of mappings. False: it is no copy. */
bool procmap_original(struct procmap_file *);

/* A line of maps (proc_pid_maps(5)). */
struct procmap {
	taddr_t start, end;
	bool read, write, exec, shared;
	bool is_copy; /* of the file that it says it is */
	uint64_t offset, ino;
	unsigned dev_major, dev_minor;
	char *path; /* as it stands there, " (deleted)" and all; "": none */
};

/* The next line of its text, which is cut up for that; *at moves past it. False: that was all. */
bool procmap_next(char **at, struct procmap *);

/* A line of mountinfo (proc_pid_mountinfo(5)); without the kernel's escapes (\040). */
struct procmount {
	int64_t id;
	unsigned dev_major, dev_minor;
	char *root;  /* what is mounted of the file system: "/" all of it */
	char *point; /* where */
	char *type;  /* of the file system */
};

/* Takes a line apart, which is cut up for that. False: it is none. */
bool procmount_parse(char *line, struct procmount *);
/* Calls for each of a process until that returns false: there may be thousands. */
void procmounts_each(pid_t, bool (*fn)(void *arg, const struct procmount *), void *arg);

/* /proc/cpuinfo: what is behind "NAME", blanks and a ":" in its text. NULL: there is none. */
const char *cpuinfo_value(const char *text, const char *name);
/* Is there a flag by that name? What holds for the first processor is taken for all. */
bool cpuinfo_has_flag(const char *text, const char *flag);
/* Room for the text of the first processor. */
#define CPUINFO_TEXT 8192
#define CPUINFO_FILE "/proc/cpuinfo"

#endif
