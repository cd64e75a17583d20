/*
 * hwrecorded.c: what a recording tells of the machine that it was made on.
 */
#include "base/cleanname.h"
#include "base/strbuf.h"
#include "providers/machine/hwconfig.h"
#include "providers/perfdata/perfdata.h"

/* Up to one of these characters. */
static void copy_text(struct hw_cpu *r, const char *member, const struct perfdata *d,
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
		hw_missing(r->missing, member);
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
	copy_text(&r, "model", d, PERFDATA_F_CPUDESC, "\n", r.model, sizeof(r.model));
	copy_text(&r, "vendor", d, PERFDATA_F_CPUID, ",", r.vendor, sizeof(r.vendor));
	copy_text(&r, "host", d, PERFDATA_F_HOSTNAME, "\n", r.host, sizeof(r.host));
	hw_missing(r.missing, "domain page_size mhz physical_bits virtual_bits");
	fn(arg, &r, sizeof(r));
}
