/*
 * writestate.c: what there is when a file begins: the kernel's code, the processes with their
 * threads, and the code that they have mapped, as records without a time, which perf writes in the
 * same way (perf-record(1), --synth).
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/pulse.h"
#include "providers/perfdata/perfdata.h"
#include "providers/perfwrite/perfwrite_priv.h"

#define TARGETS_MAX 128
#define OF_PID	    (-1) /* the kernel's mappings */

/* A text as records have it: with a NUL, and up to 8 bytes. */
static size_t add_name(char *to, const char *s, size_t room)
{
	const size_t n = MIN(strlen(s), room - 1), padded = (n + 8) & ~(size_t)7;

	snprintf(to, room, "%s", s);
	memset(to + n, 0, padded - n);
	return padded;
}

#define NAME_MAX_BYTES 4096

/* `fixed` bytes are there; a name follows, then the trailer. */
static void finish(struct perfwrite *w, char *record, size_t fixed, const char *name,
		   uint64_t time_ns)
{
	const struct write_trailer t = write_trailer_at(w, time_ns);
	struct perf_event_header *h = (void *)record;
	size_t n = fixed;

	if (name)
		n += add_name(record + n, name, NAME_MAX_BYTES);
	memcpy(record + n, &t, sizeof(t));
	h->size = (uint16_t)(n + sizeof(t));
	write_bytes(w, record, h->size);
}

static void add_comm(struct perfwrite *w, pid_t pid, pid_t tid, const char *name, uint64_t time_ns)
{
	union {
		struct {
			struct perf_event_header h;
			int32_t pid, tid;
		} r;
		char bytes[256];
	} u = {.r = {{PERF_RECORD_COMM, 0, 0}, pid, tid}};
	char comm[16];

	snprintf(comm, sizeof(comm), "%.15s", name);
	finish(w, u.bytes, sizeof(u.r), comm, time_ns);
}

/* The child has mappings of its own in what follows. */
#define FORK_EXEC 0x2000 /* PERF_RECORD_MISC_FORK_EXEC */

static void add_fork(struct perfwrite *w, pid_t pid, pid_t ppid, pid_t tid, pid_t ptid)
{
	union {
		struct {
			struct perf_event_header h;
			int32_t pid, ppid, tid, ptid;
			uint64_t time_ns;
		} r;
		char bytes[256];
	} u = {.r = {{PERF_RECORD_FORK, FORK_EXEC, 0}, pid, ppid, tid, ptid, 0}};

	finish(w, u.bytes, sizeof(u.r), NULL, 0);
}

struct map_record {
	struct perf_event_header h;
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t dev_major, dev_minor;
	uint64_t ino, generation;
	uint32_t prot, flags;
};

static void add_map(struct perfwrite *w, pid_t pid, const struct procmap *m)
{
	union {
		struct map_record r;
		char bytes[sizeof(struct map_record) + NAME_MAX_BYTES + 256];
	} u;

	u.r = (struct map_record){
		.h = {PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 0},
		.pid = pid,
		.tid = pid,
		.addr = m->start,
		.len = m->end - m->start,
		.pgoff = m->offset,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.ino = m->ino,
		.prot = PROT_EXEC | (m->read ? PROT_READ : 0U) | (m->write ? PROT_WRITE : 0U),
		.flags = m->shared ? MAP_SHARED : MAP_PRIVATE,
	};
	finish(w, u.bytes, sizeof(u.r), m->path[0] ? m->path : "//anon", 0);
	write_note_image(w, m->path, m->ino);
}

static void add_kernel(struct perfwrite *w, uint64_t start, uint64_t end)
{
	union {
		struct {
			struct perf_event_header h;
			int32_t pid, tid;
			uint64_t addr, len, pgoff;
		} r;
		char bytes[256];
	} u = {.r = {{PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, 0},
		     OF_PID,
		     0,
		     start,
		     end - start,
		     start}};

	if (start && end > start)
		finish(w, u.bytes, sizeof(u.r), "[kernel.kallsyms]_text", 0);
}

/* Whom perf has been told to record: a number of threads, and their names. */
static void add_targets(struct perfwrite *w, const struct perfwrite_start *start)
{
	struct {
		struct perf_event_header h;
		uint64_t n;
		struct {
			uint64_t tid;
			char comm[16];
		} of[TARGETS_MAX];
	} r = {.h = {PERFDATA_THREAD_MAP, 0, 0}, .n = MIN(start->ntargets, TARGETS_MAX)};

	if (!r.n)
		return;
	for (unsigned i = 0; i < r.n; i++)
		r.of[i].tid = (uint64_t)start->targets[i];
	r.h.size = (uint16_t)(offsetof(typeof(r), of) + r.n * sizeof(r.of[0]));
	write_bytes(w, &r, r.h.size);
}

static void add_threads(struct perfwrite *w, pid_t pid, pid_t ppid)
{
	struct procids tids;
	char comm[16], name[64];
	pid_t tid;

	if (procids_open(&tids, pid) < 0)
		return;
	while ((tid = procids_next(&tids))) {
		snprintf(name, sizeof(name), "task/%d/comm", tid);
		procfile_comm(pid, name, comm);
		if (!comm[0])
			continue;
		add_fork(w, pid, tid == pid ? ppid : pid, tid, tid == pid ? ppid : pid);
		add_comm(w, pid, tid, comm, 0);
	}
	procids_close(&tids);
}

static void add_maps(struct perfwrite *w, pid_t pid)
{
	struct strbuf text;
	struct procmap m;
	char *at;

	strbuf_init(&text);
	if (procfile_slurp(pid, "maps", &text) == 0)
		for (at = text.s; procmap_next(&at, &m);)
			if (m.exec)
				add_map(w, pid, &m);
	strbuf_release(&text);
}

static pid_t parent_of(pid_t pid)
{
	char text[4096];
	const char *field;

	if (procfile_start(pid, "stat", text, sizeof(text)) <= 0)
		return 0;
	field = procstat_field(text, 4);
	return field ? (pid_t)strtol(field, NULL, 10) : 0;
}

void write_state(struct perfwrite *w, const struct perfwrite_start *start)
{
	const struct perf_event_header end = {PERFDATA_FINISHED_INIT, 0, sizeof(end)};
	struct procids pids;
	pid_t pid;

	add_targets(w, start);
	add_kernel(w, start->kernel_start, start->kernel_end);
	if (procids_open(&pids, 0) == 0) {
		while ((pid = procids_next(&pids))) {
			pulse();
			add_threads(w, pid, parent_of(pid));
			add_maps(w, pid);
		}
		procids_close(&pids);
	}
	write_bytes(w, &end, sizeof(end));
}

void write_mark(struct perfwrite *w, uint64_t time_ns)
{
	char comm[16];

	procfile_comm(w->self, "comm", comm);
	if (comm[0])
		add_comm(w, w->self, w->self, comm, time_ns);
}
