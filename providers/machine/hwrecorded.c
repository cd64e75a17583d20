/*
 * hwrecorded.c: what a recording tells of the machine that it was made on.
 */
#include <stdlib.h>

#include "base/cleanname.h"
#include "base/strbuf.h"
#include "providers/machine/hwconfig.h"
#include "providers/perfdata/perfdata.h"

/* Up to one of these characters. */
static void copy_text(char missing[128], const char *member, const struct perfdata *d,
		      enum perfdata_feature which, const char *ends, char *to, size_t size)
{
	const char *text = perfdata_text(d, which);
	struct strbuf clean;

	strbuf_init(&clean);
	if (text)
		name_clean(&clean, text, strcspn(text, ends));
	snprintf(to, size, "%s", clean.s);
	strbuf_release(&clean);
	if (!to[0])
		hw_missing(missing, member);
}

void hw_recorded_cpu(const struct perfdata *d, hw_fn *fn, void *arg)
{
	struct hw_cpu r = {0};
	uint32_t ncpus[2] = {0};
	uint64_t kib = 0;
	const char *bytes;
	size_t size;

	bytes = perfdata_feature(d, PERFDATA_F_NRCPUS, &size);
	if (bytes && size >= sizeof(ncpus))
		memcpy(ncpus, bytes, sizeof(ncpus));
	else
		hw_missing(r.missing, "ncpus nonline");
	r.ncpus = (int32_t)ncpus[0];
	r.nonline = (int32_t)ncpus[1];
	bytes = perfdata_feature(d, PERFDATA_F_TOTAL_MEM, &size);
	if (bytes && size >= sizeof(kib))
		memcpy(&kib, bytes, sizeof(kib));
	else
		hw_missing(r.missing, "memory");
	r.memory = kib * 1024;
	copy_text(r.missing, "model", d, PERFDATA_F_CPUDESC, "\n", r.model, sizeof(r.model));
	copy_text(r.missing, "vendor", d, PERFDATA_F_CPUID, ",", r.vendor, sizeof(r.vendor));
	copy_text(r.missing, "host", d, PERFDATA_F_HOSTNAME, "\n", r.host, sizeof(r.host));
	hw_missing(r.missing, "domain page_size mhz physical_bits virtual_bits");
	fn(arg, &r, sizeof(r));
}

void hw_recorded_boot(const struct perfdata *d, hw_fn *fn, void *arg)
{
	struct hw_boot r = {.missing = ""};

	copy_text(r.missing, "release", d, PERFDATA_F_OSRELEASE, "\n", r.release,
		  sizeof(r.release));
	hw_missing(r.missing, "time version command");
	fn(arg, &r, sizeof(r));
}

/*
 * Features of more than a text are numbers of 32 and 64 bits, and texts with their length before
 * them, one behind the other (perf.data-file-format.txt). What does not fit is the end.
 */
struct section {
	const char *at, *end;
};

/* Each processor looks at all of them: a file that is made up must not keep us busy. */
#define SECTION_MAX (512 << 10)
#define CPUS_MAX    1024

static struct section section_of(const struct perfdata *d, enum perfdata_feature which)
{
	size_t size = 0;
	const char *bytes = perfdata_feature(d, which, &size);

	if (!bytes || size > SECTION_MAX)
		bytes = "", size = 0;
	return (struct section){bytes, bytes + size};
}

static bool take(struct section *s, void *to, size_t size)
{
	if ((size_t)(s->end - s->at) < size)
		return false;
	if (to)
		memcpy(to, s->at, size);
	s->at += size;
	return true;
}

/* A text; *to has a NUL behind it within its length, or "" instead. */
static bool take_text(struct section *s, const char **to)
{
	uint32_t len;

	if (!take(s, &len, sizeof(len)))
		return false;
	*to = (size_t)(s->end - s->at) >= len && memchr(s->at, '\0', len) ? s->at : "";
	return take(s, NULL, len);
}

/* "0,2-3" */
static bool has_cpu(const char *list, long cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (cpu >= first && cpu <= last)
			return true;
		list = *end == ',' ? end + 1 : "";
	}
	return false;
}

static void find_node(struct hw_processor *r, struct section s)
{
	uint32_t n, node;
	const char *cpus;

	r->node = -1;
	if (take(&s, &n, sizeof(n)))
		for (; n && take(&s, &node, sizeof(node)) && take(&s, NULL, 16) &&
		       take_text(&s, &cpus) && r->node < 0;
		     n--)
			if (has_cpu(cpus, r->cpu))
				r->node = (int)node;
	if (r->node < 0)
		hw_missing(r->missing, "node");
}

static void find_caches(struct hw_processor *r, struct section s)
{
	const char *kind, *size, *cpus;
	uint32_t head[2], one[4]; /* version, how many; level, size of a line, sets, ways */

	if (take(&s, head, sizeof(head)))
		for (; head[1] && take(&s, one, sizeof(one)) && take_text(&s, &kind) &&
		       take_text(&s, &size) && take_text(&s, &cpus);
		     head[1]--)
			if (has_cpu(cpus, r->cpu))
				hw_set_cache(r, one[0], kind[0], size);
	hw_missing_caches(r);
}

/* Of the lists of threads of a core that with the processor; behind them there is what each is. */
static bool find_siblings(struct hw_processor *r, struct section *s)
{
	const char *list;
	uint32_t n;

	r->siblings[0] = '\0';
	for (unsigned i = 0; i < 2; i++) { /* of packages, of cores */
		if (!take(s, &n, sizeof(n)))
			return false;
		for (; n; n--) {
			if (!take_text(s, &list))
				return false;
			if (i == 1 && has_cpu(list, r->cpu))
				snprintf(r->siblings, sizeof(r->siblings), "%.*s",
					 (int)strspn(list, "0123456789,-"), list);
		}
	}
	return true;
}

void hw_recorded_processors(const struct perfdata *d, hw_fn *fn, void *arg)
{
	uint32_t ncpus = 0, place[2]; /* core, package */
	struct section s = section_of(d, PERFDATA_F_NRCPUS);

	take(&s, &ncpus, sizeof(ncpus));
	for (uint32_t i = 0; i < MIN(ncpus, CPUS_MAX); i++) {
		struct hw_processor r = {.missing = "is_online max_khz", .cpu = (int)i};

		s = section_of(d, PERFDATA_F_CPU_TOPOLOGY);
		if (!find_siblings(&r, &s) || !take(&s, NULL, i * sizeof(place)) ||
		    !take(&s, place, sizeof(place)))
			return;
		r.core = (int32_t)place[0];
		r.package = (int32_t)place[1];
		if (!r.siblings[0])
			hw_missing(r.missing, "siblings");
		find_node(&r, section_of(d, PERFDATA_F_NUMA_TOPOLOGY));
		find_caches(&r, section_of(d, PERFDATA_F_CACHE));
		fn(arg, &r, sizeof(r));
	}
}
