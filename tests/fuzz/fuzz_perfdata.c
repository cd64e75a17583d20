/* A recording: it opens or it does not; its records come in order, can be decoded, and shown by the
 * formats in it. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/recording/recfields.h"
#include "providers/kernel/perfdecode.h"
#include "providers/kernel/tracefs/tracefs.h"
#include "providers/perfdata/perfdata.h"

static void parse(void *arg, const char *system, const char *text)
{
	tpformat_parse(arg, system, text);
}

static void read_text(void *arg, const char *text)
{
	*(uint64_t *)arg += strlen(text);
}

static uint64_t decode(struct recfields *rf, const struct perfdata_record *r)
{
	struct strbuf text;

	struct userstack user = {0};
	struct perf_record other;
	struct perf_sample sm;
	uint64_t sum = 0;

	if (!r->event)
		return 0;
	if (r->h->type == PERF_RECORD_SAMPLE) {
		perf_decode(r->h, &r->event->layout, &sm, &user);
		for (unsigned i = 0; i < sm.nkpcs; i++)
			sum += sm.kpcs[i];
		for (unsigned i = 0; i < user.nchain; i++)
			sum += user.chain[i];
		for (unsigned i = 0; i < sm.ncounts; i++)
			sum += sm.counts[i * sm.stride];
		for (uint32_t i = 0; i < sm.rawlen; i++)
			sum += ((const unsigned char *)sm.raw)[i];
		strbuf_init(&text);
		strbuf_adds(&text, recfields_name(rf, r->event));
		recfields_all(rf, r->event, &sm, &text);
		recfields_one(rf, r->event, &sm, "text", &text);
		sum += text.len;
		for (const char *p = text.s; *p; p++)
			if ((unsigned char)*p < ' ' || *p == 127)
				abort(); /* it would act on a terminal */
		strbuf_release(&text);
		for (uint64_t i = 0; user.stack && i < user.len; i++)
			sum += (unsigned char)user.stack[i];
	} else if (perf_decode_record(r->h, &r->event->layout, &other)) {
		if (other.type == PERF_RECORD_MMAP2 || other.type == PERF_RECORD_MMAP)
			sum += strlen(other.mapping.path);
		for (unsigned i = 0; other.type == PERF_RECORD_MMAP2 && i < other.build_id_size;
		     i++)
			sum += other.build_id[i];
	}
	return sum;
}

/* As many are late if nobody asks for them. */
static void check_unasked(const char *path, uint64_t nlate)
{
	struct perfdata_record r;
	struct perfdata *d;
	uint64_t offset;
	struct err err;

	if (perfdata_open(path, &d, &err))
		return;
	while (perfdata_peek(d, &r)) {
		if (r.event)
			r.event->is_unasked = true;
		perfdata_skip(d);
	}
	if (nlate != perfdata_nlate(d, &offset))
		abort();
	perfdata_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	int fd = memfd_create("fuzz_perfdata", 0);
	uint64_t last_ns = 0, sum = 0, nlate = 0, offset;
	struct perfdata_record r;
	struct recfields *rf;
	struct perfdata *d;
	struct arena arena;
	char path[64];
	struct err err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, n) != (ssize_t)n)
		abort();
	if (n % 3 == 0) { /* twice, as one */
		const size_t len = strlen(path);

		path[len] = ',';
		memcpy(path + len + 1, path, len);
		path[2 * len + 1] = '\0';
	}
	if (perfdata_open(path, &d, &err) == 0) {
		arena_init(&arena);
		perfdata_each_format(d, parse, &arena, &err);
		for (int i = 0; i < PERFDATA_FEATURES; i++)
			perfdata_text(d, i);
		perfdata_file(d, "/bin/true", NULL, 0, 0);
		rf = recfields_new(d);
		while (perfdata_peek(d, &r)) {
			sum += decode(rf, &r);
			nlate += r.time_ns && r.time_ns < last_ns;
			last_ns = r.time_ns > last_ns ? r.time_ns : last_ns;
			perfdata_skip(d);
		}
		if (nlate != perfdata_nlate(d, &offset))
			abort();
		perfdata_each_trouble(d, "", read_text, &sum);
		recfields_free(rf);
		perfdata_free(d);
		arena_release(&arena);
		check_unasked(path, nlate);
	}
	close(fd);
	return sum == 1;
}
