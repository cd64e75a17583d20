#include "dlang/osinfo/osinfo.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/helper.h"
#include "base/procfile.h"

#define CMDLINE_MS    200U /* of a process whose memory does not come */
#define WALL_NOISE_NS 1000
#define WALL_TRIES    3

struct osinfo *osinfo_new(struct arena *a)
{
	struct osinfo *os = ARENA_NEW(a, struct osinfo);

	memcpy(os->zonename, "global", sizeof("global"));
	return os;
}

void osinfo_begin_firing(struct osinfo *os)
{
	os->have_ids = false;
}

size_t osinfo_read(pid_t pid, const char *name, char *buf, size_t size)
{
	return (size_t)MAX(0, procfile_start(pid, name, buf, size));
}

const char *osinfo_comm(struct osinfo *os, pid_t pid, uint32_t aspace)
{
	if (os->comm_pid == pid && os->comm_aspace == aspace && os->comm[0])
		return os->comm;
	procfile_comm(pid, "comm", os->comm);
	os->comm_pid = pid;
	os->comm_aspace = aspace;
	return os->comm;
}

const char *osinfo_set_comm(struct osinfo *os, const char comm[static 16])
{
	memcpy(os->comm, comm, 16);
	os->comm[16] = '\0';
	os->comm_pid = 0;
	return os->comm;
}

static uint64_t parse_number(const char *p)
{
	uint64_t v = 0;

	while (*p == ' ' || *p == '\t')
		p++;
	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	return v;
}

/* The first number of a line of /proc/PID/status. */
static uint64_t status_field(const char *status, const char *name)
{
	const char *p = procstatus_value(status, name);

	return p ? parse_number(p) : 0;
}

static void read_ids(pid_t pid, struct osinfo_ids *ids)
{
	char status[2048];

	osinfo_read(pid, "status", status, sizeof(status));
	ids->ppid = (pid_t)status_field(status, "PPid");
	ids->uid = (uid_t)status_field(status, "Uid");
	ids->gid = (gid_t)status_field(status, "Gid");
}

const struct osinfo_ids *osinfo_ids(struct osinfo *os, pid_t pid)
{
	if (!os->have_ids)
		read_ids(pid, &os->ids);
	os->have_ids = true;
	return &os->ids;
}

pid_t osinfo_ppid(pid_t pid)
{
	struct osinfo_ids ids;

	read_ids(pid, &ids);
	return ids.ppid;
}

void osinfo_cmdline(pid_t pid, char *buf, size_t size)
{
	char path[64];
	ssize_t got;
	size_t n;

	/* it is in the memory of the process */
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	got = procfile_is_hidden(pid) ? 0 : helper_file(path, buf, size - 1, CMDLINE_MS);
	n = got > 0 ? (size_t)got : 0;
	buf[n] = '\0';
	while (n && !buf[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';
}

uint64_t osinfo_cputime(pid_t pid, pid_t tid)
{
	char name[64], buf[64];

	/* A thread's CPU clock can be read by its own process only (clock_gettime(2)), schedstat by
	 * us. */
	snprintf(name, sizeof(name), "task/%d/schedstat", (int)tid);
	osinfo_read(pid, name, buf, sizeof(buf));
	return parse_number(buf);
}

static int64_t read_wall_offset(void)
{
	return (int64_t)(clock_ns(CLOCK_REALTIME) - now_mono());
}

/* It changes when the clock is set: smaller differences are in the reading, which makes it less. */
int64_t osinfo_wall_offset_ns(void)
{
	static _Atomic int64_t last;
	int64_t was = last, offset = read_wall_offset();

	for (unsigned i = 0; i < WALL_TRIES && llabs(offset - was) > WALL_NOISE_NS; i++)
		offset = MAX(offset, read_wall_offset());
	if (llabs(offset - was) <= WALL_NOISE_NS)
		return was;
	last = offset;
	return offset;
}
