/*
 * langbench: the language without any source of events: a script of a thousand clauses compiled,
 * events through event_fire(), records through the consumer. Each row is the median of RUNS and its
 * spread.
 */
#include <stdlib.h>
#include <time.h>

#include "base/strbuf.h"
#include "dlang/print/consume.h"
#include "dlang/dlang.h"
#include "providers/providers.h"

enum { RUNS = 5, CLAUSES = 1000, EVENTS = 2000000, RECORDS = 1000000, BATCH = 4000, KEYS = 64 };

static int enable(struct probe *p UNUSED, struct err *err UNUSED)
{
	return 0;
}

static int provide(struct session *s, const struct probe_desc *d UNUSED, int *tag UNUSED,
		   struct err *err UNUSED);

static const struct provider bench = {.name = "bench", .provide = provide, .enable = enable};
static const struct provider *const list[] = {&prov_dtrace, &bench};

static struct probe *hit;

static int provide(struct session *s, const struct probe_desc *d UNUSED, int *tag UNUSED,
		   struct err *err UNUSED)
{
	hit = probe_create(s, &bench, "bench", "module", "function", "hit", NULL);
	return 0;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static struct session *new_session(struct arena *a)
{
	struct session *s;
	struct err err;

	if (arena_init_shared(a, (size_t)4 << 30, &err) < 0)
		die("%s", err.text);
	s = session_new(a, "langbench");
	s->providers = list;
	s->nproviders = ARRAY_SIZE(list);
	session_init_engine(s);
	s->options.num[OPT_QUIET] = 1;
	if (probes_provide(s, &err) < 0)
		die("%s", err.text);
	return s;
}

static struct program *compile(struct session *s, const char *text)
{
	struct source *src = ARENA_NEW(s->arena, struct source);
	struct program *program;
	struct err err;

	*src = (struct source){.kind = SOURCE_SCRIPT,
			       .name = "bench.d",
			       .text = text,
			       .length = strlen(text),
			       .arg0 = "bench.d"};
	if (dlang_compile(s, src, &program, &err) < 0)
		die("%s", err.text);
	return program;
}

static struct session *start(struct arena *a, const char *text)
{
	struct session *s = new_session(a);
	struct err err;

	session_enable(s, compile(s, text));
	if (session_start(s, &err) < 0)
		die("%s", err.text);
	return s;
}

static void fire(struct session *s, uint64_t n)
{
	struct event ev = {.probe = hit, .pid = 1, .tid = 1};

	for (uint64_t i = 0; i < n; i++) {
		ev.args[0] = i % KEYS;
		event_fire(s, &ev);
	}
}

/* ---- what is measured: seconds ---- */

static double compile_script(void)
{
	struct strbuf text;
	struct arena a;
	struct session *s;
	double begin, seconds;

	strbuf_init(&text);
	for (int i = 0; i < CLAUSES; i++)
		strbuf_addf(&text,
			    "bench::f*:hit\n/self->x%d && pid == %d/\n{\n"
			    "\t@c%d[probefunc, execname] = count();\n"
			    "\tprintf(\"%%d %%s %%d\\n\", pid, execname, arg%d + %d);\n"
			    "\tself->x%d = timestamp;\n}\n",
			    i % 50, i, i % 20, i % 10, i, i % 50);
	s = new_session(&a);
	begin = now();
	compile(s, text.s);
	seconds = now() - begin;
	arena_release(&a);
	strbuf_release(&text);
	return seconds;
}

static double count_events(void)
{
	struct arena a;
	struct session *s = start(&a, "bench:::hit { @[arg0] = count(); }");
	double begin = now(), seconds;

	fire(s, EVENTS);
	seconds = now() - begin;
	arena_release(&a);
	return seconds;
}

/* Nobody aggregates here. */
static struct aggtable *no_snapshot(void *arg UNUSED)
{
	return NULL;
}

static double print_records(void)
{
	struct arena a;
	struct session *s = start(&a, "bench:::hit { printf(\"%d %s:%s %d\\n\", pid, probefunc, "
				      "probename, arg0); }");
	FILE *out = fopen("/dev/null", "w");
	struct consumer *c = consumer_new(s, out, "/dev/null", no_snapshot, NULL);
	double begin, seconds = 0;
	struct err err;

	for (unsigned i = 0; i < RECORDS / BATCH; i++) {
		fire(s, BATCH);
		begin = now();
		if (consumer_work(c, &err) < 0)
			die("%s", err.text);
		seconds += now() - begin;
	}
	for (unsigned cpu = 0; cpu < SESSION_MAX_CPUS; cpu++)
		if (s->buffer_drops[cpu])
			die("records were dropped");
	consumer_free(c);
	fclose(out);
	arena_release(&a);
	return seconds;
}

/* ---- rows ---- */

static int by_value(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return d < 0 ? -1 : d > 0;
}

static void measure(const char *what, double (*seconds)(void), double scale, const char *unit)
{
	double v[RUNS];

	for (unsigned i = 0; i < RUNS; i++)
		v[i] = seconds() * scale;
	qsort(v, RUNS, sizeof(*v), by_value);
	printf("%-40s %8.1f %s  (%.1f .. %.1f)\n", what, v[RUNS / 2], unit, v[0], v[RUNS - 1]);
}

int main(void)
{
	measure("a script of 1,000 clauses, compiled", compile_script, 1e3, "ms");
	measure("@[arg0] = count(), an event fired", count_events, 1e9 / EVENTS, "ns");
	measure("printf() of four values, consumed", print_records, 1e9 / RECORDS, "ns");
	return 0;
}
