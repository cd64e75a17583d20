/* A recording that is written anew: whatever it was, the copy is one that is whole: its records are
 * read to the end, as many samples as have been written; a copy without changes has the bytes of
 * the records. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "providers/perfdata/perfdata.h"
#include "providers/perfwrite/perfcopy.h"

static void count(void *arg, const char *text UNUSED)
{
	++*(unsigned *)arg;
}

/* All of it is there: what is said of the copy is what late records make of it, at most. */
static void check(const char *path, const struct perfcopy *c)
{
	struct perfdata *d = NULL;
	struct perfdata_record r;
	uint64_t nsamples = 0;
	unsigned ntroubles = 0;
	struct err err;

	if (perfdata_open(path, &d, &err) < 0)
		abort();
	while (perfdata_peek(d, &r)) {
		nsamples += r.h->type == PERF_RECORD_SAMPLE;
		perfdata_skip(d);
	}
	perfdata_each_trouble(d, "", count, &ntroubles);
	if (nsamples != perfcopy_nsamples(c))
		abort();
	perfdata_free(d);
}

static void add(struct perfcopy *c, const struct perfdata_record *r)
{
	const uint32_t number = perfcopy_number(c);
	char *format = xasprintf("name: own\nID: %u\nformat:\n\nprint fmt: \"\"\n", number);
	const unsigned own = perfcopy_tracepoint(c, "fuzz", "own", number, format),
		       like = perfcopy_like(c, r->event, "fuzz", "like");
	const struct perfcopy_sample s = {1, 2, 0, r->time_ns, "12345678", 8};

	free(format);
	perfcopy_sample(c, own, &s);
	perfcopy_name(c, 1, 2, "name", r->time_ns);
	if (r->h->type == PERF_RECORD_SAMPLE)
		perfcopy_record(c, r, like + 1);
}

static void copy(struct perfdata *d, const char *path, bool is_changed)
{
	struct perfcopy *c = perfcopy_new(path, d);
	struct perfdata_record r;
	bool has_added = false;
	struct err err;

	if (is_changed && perfcopy_map(c, "/bin/true@0x400000", &err) < 0)
		abort();
	if (perfcopy_make(c, is_changed, &err) == 0) {
		while (perfdata_peek(d, &r)) {
			if (is_changed && !has_added && r.event &&
			    r.h->type < PERFDATA_HEADER_ATTR) {
				has_added = true;
				add(c, &r);
			}
			perfcopy_record(c, &r, 0);
			perfdata_skip(d);
		}
		if (perfcopy_end(c, &err) < 0)
			abort();
		check(path, c);
		unlink(path);
	}
	perfcopy_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	int fd = memfd_create("fuzz_perfcopy", 0);
	struct perfdata *d;
	char path[160], out[64];
	struct err err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(out, sizeof(out), "/tmp/fuzz_perfcopy.%d", getpid());
	if (write(fd, data, n) != (ssize_t)n)
		abort();
	if (n % 3 == 0) { /* twice, as one */
		const size_t len = strlen(path);

		path[len] = ',';
		memcpy(path + len + 1, path, len);
		path[2 * len + 1] = '\0';
	}
	if (perfdata_open(path, &d, &err) == 0) {
		unlink(out);
		copy(d, out, n % 2);
		perfdata_free(d);
	}
	close(fd);
	return 0;
}
