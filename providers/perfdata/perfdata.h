/*
 * perfdata.h: a file as "perf record" writes it, or the same through a pipe: which events it has,
 * what it says of the machine, and its records in the order of time. The format: the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt; TRACING_DATA: trace-cmd.dat(5).
 *
 * All of it is hostile: sizes and offsets are checked before they are used, records are aligned and
 * no shorter than their header. What is wrong in the middle ends the reading there: what came
 * before is good (perfdata_each_trouble). One thread.
 */
#ifndef PROVIDERS_PERFDATA_PERFDATA_H
#define PROVIDERS_PERFDATA_PERFDATA_H

#include "base/err.h"
#include "providers/perfdata/perflayout.h"

/* Records of perf itself (tools/lib/perf/include/perf/event.h). */
enum {
	PERFDATA_HEADER_ATTR = 64,
	PERFDATA_TRACING_DATA = 66,
	PERFDATA_BUILD_ID = 67,
	PERFDATA_FINISHED_ROUND = 68,
	PERFDATA_ID_INDEX = 69,
	PERFDATA_AUXTRACE_INFO = 70,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_THREAD_MAP = 73,
	PERFDATA_EVENT_UPDATE = 78,
	PERFDATA_HEADER_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_FINISHED_INIT = 82,
	PERFDATA_COMPRESSED2 = 83,
};

/* Features: sections behind the records, or records of a pipe. */
/* PERFDATA_F_VERSION of a file that is not perf's but ours. */
#define PERFDATA_OURS "dtrace"

enum perfdata_feature {
	PERFDATA_F_TRACING_DATA = 1,
	PERFDATA_F_BUILD_ID = 2,
	PERFDATA_F_HOSTNAME = 3,
	PERFDATA_F_OSRELEASE = 4,
	PERFDATA_F_VERSION = 5,
	PERFDATA_F_ARCH = 6,
	PERFDATA_F_NRCPUS = 7,
	PERFDATA_F_CPUDESC = 8,
	PERFDATA_F_CPUID = 9,
	PERFDATA_F_TOTAL_MEM = 10,
	PERFDATA_F_CMDLINE = 11,
	PERFDATA_F_EVENT_DESC = 12,
	PERFDATA_F_CPU_TOPOLOGY = 13,
	PERFDATA_F_NUMA_TOPOLOGY = 14,
	PERFDATA_F_GROUP_DESC = 17,
	PERFDATA_F_AUXTRACE = 18,
	PERFDATA_F_STAT = 19,
	PERFDATA_F_CACHE = 20,
	PERFDATA_F_SAMPLE_TIME = 21,
	PERFDATA_F_CLOCKID = 23,
	PERFDATA_F_DIR_FORMAT = 24,
	PERFDATA_F_COMPRESSED = 27,
	PERFDATA_F_CLOCK_DATA = 29,
	PERFDATA_FEATURES = 256,
};

struct perfdata;

/* One event that was recorded. */
struct perfdata_event {
	struct perf_event_attr attr; /* what the file does not have of it is 0 */
	struct perf_layout layout;
	const char *name;  /* "sched:sched_switch", as perf was asked for it; NULL: not told */
	uint64_t nsamples; /* read so far */
	void *arg;	   /* the caller's */
	bool is_unasked;   /* the caller's: what is read of its samples from now on is left out, but
			      for a few that tell how time goes on */
	const void *bytes; /* its attributes as they stand in the file, so many of them */
	size_t nbytes;
	const uint64_t *ids;
	unsigned nids;
};

/* A record: its bytes are valid until perfdata_skip(). */
struct perfdata_record {
	const struct perf_event_header *h;
	struct perfdata_event *event; /* that it is of, or by which its trailer is read */
	uint64_t time_ns;	      /* 0: it has none; of several files: on the clock of all */
	struct perfdata *file;	      /* that it is of */
};

/*
 * path "-": the standard input. Several, with commas between them, are read as one, in the order of
 * time: of several machines by what they tell of their clocks (CLOCK_DATA). What stands before the
 * records is read. Errors: the file cannot be opened, is none of perf's, or is of a kind that is
 * not read; the sentence names it.
 */
int perfdata_open(const char *path, struct perfdata **, struct err *);
void perfdata_free(struct perfdata *);
/* What is to be said of how they were put together, one sentence each. NULL: that was all. */
const char *perfdata_note(const struct perfdata *, unsigned i);

unsigned perfdata_nevents(const struct perfdata *);
struct perfdata_event *perfdata_event(const struct perfdata *, unsigned i);
/* That with this id, of the file that a record is of; NULL: none. */
struct perfdata_event *perfdata_event_of_id(struct perfdata *, uint64_t id);
/* The bytes of a feature (of several files, of that whose clock is that of all), with a NUL behind
 * them; NULL: the file has none. */
const char *perfdata_feature(const struct perfdata *, enum perfdata_feature, size_t *size);
/* A feature that is a text; NULL: none. */
const char *perfdata_text(const struct perfdata *, enum perfdata_feature);
/* The machine on which one of its files was recorded, if it is not x86_64: registers and numbers of
 * system calls are others. NULL: it is, or is not told. */
const char *perfdata_foreign(const struct perfdata *);
/* Formats of tracepoints as the machine that recorded them had them. Errors: TRACING_DATA is
 * damaged: those before that have been visited. */
int perfdata_each_format(const struct perfdata *,
			 void (*fn)(void *arg, const char *system, const char *text), void *arg,
			 struct err *);

/* The number that a format tells; *rest: what follows that in the text. False: it tells none. */
bool perfdata_format_number(const char *text, uint32_t *number, const char **rest);

/*
 * Of what it is made, to write it anew: files (one: itself), what is added to the times of the
 * records of one; of several, the formats that one's TRACING_DATA does not have, with the numbers
 * that they have in all of them. Those of tracepoints whose fields differ are among them.
 */
unsigned perfdata_nparts(const struct perfdata *);
struct perfdata *perfdata_part(struct perfdata *, unsigned i);
int64_t perfdata_shift(const struct perfdata *part);
void perfdata_each_other_format(const struct perfdata *, const struct perfdata *part,
				void (*fn)(void *arg, const char *system, const char *text),
				void *arg);
/* Where in TRACING_DATA the number of its systems stands (32 bits), and where they end. False: it
 * has none, or is damaged. */
bool perfdata_systems(const struct perfdata *part, size_t *number, size_t *end);

/*
 * The oldest record that has not been skipped. Records that have no time come as soon as they are
 * read; of equal times, in the order of the file. False: that was all (perfdata_each_trouble).
 */
bool perfdata_peek(struct perfdata *, struct perfdata_record *);
void perfdata_skip(struct perfdata *);
/* When the first of them happened, for what begins before it; 1: none says. */
uint64_t perfdata_first_ns(struct perfdata *);

/* The process that it is of, as far as has been read; 0: the machine, or it is not told. */
pid_t perfdata_target(const struct perfdata *);

/* How many bytes have been read of all files so far, and how many there are (*of; 0: a pipe, nobody
 * knows). */
uint64_t perfdata_nread(const struct perfdata *, uint64_t *of);

#define PERFDATA_BUILD_ID_MAX 20

/* A mapped file as it is here. */
struct perfdata_file {
	const char *path; /* as recorded, or a copy of it that perf has kept, or debuginfod has */
	uint64_t ino, changed_ns;
	unsigned dev_major, dev_minor;
	const char *why; /* it is not the one that was recorded: the reason; NULL: it is */
	bool was_told;	 /* for the caller: that reason has been given */
};

/* id: its build-id of n bytes, 0: the record does not tell; ino: its inode then, 0: the same. The
 * answer is kept, as long as the perfdata. */
struct perfdata_file *perfdata_file(struct perfdata *, const char *path, const uint8_t *id,
				    unsigned n, uint64_t ino);

/* CLOCK_REALTIME at time 0 of its clock, from CLOCK_DATA (perf record -k). False: it does not tell.
 */
bool perfdata_wall_offset(const struct perfdata *, int64_t *offset);
/* By its build-id, the recorded kernel is the one that runs, or it is not told. id: that of n bytes
 * which a record tells; 0: that of the file. */
bool perfdata_may_be_running(const struct perfdata *, const uint8_t *id, unsigned n);

/* Records that came after younger ones had been given out; the offset of the first. */
uint64_t perfdata_nlate(const struct perfdata *, uint64_t *offset);
/* What is wrong with each of its files once all has been read, one sentence each: what is late or
 * left out, with an offset, and why the reading ended early, with `done` behind it. */
void perfdata_each_trouble(const struct perfdata *, const char *done,
			   void (*fn)(void *arg, const char *text), void *arg);
/* -x strict: all of it is read once, before anything is made of it, and its troubles are told.
 * Errors: there are some; it cannot be opened; it is a pipe. */
int perfdata_check(const char *path, void (*fn)(void *arg, const char *text), void *arg,
		   struct err *);
const char *perfdata_path(const struct perfdata *);
/* When the file was last written, CLOCK_REALTIME; 0: a pipe. */
uint64_t perfdata_mtime_ns(const struct perfdata *);

#endif
