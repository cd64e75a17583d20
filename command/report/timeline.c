#include "command/report/timeline.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/procfile.h"
#include "command/report/recordvalues.h"
#include "dlang/print/keytext.h"
#include "dlang/run/buffer.h"
#include "symbols/symbols.h"

#define NAME_MAX_BYTES 256
#define TEXT_MAX_BYTES 4096
#define ARGS_MAX       64
#define DEPTH_MAX      10000 /* slices of a thread that are open */

void timeline_init(struct timeline *t, const struct session *s, uint64_t size_max)
{
	*t = (struct timeline){.session = s, .size_max = size_max};
	arena_init(&t->arena);
	strmap_init(&t->texts);
	hash_init(&t->tracks);
	t->tail = &t->first;
}

void timeline_release(struct timeline *t)
{
	for (struct tl_track *track = t->first; track; track = track->next)
		free(track->open);
	strmap_release(&t->texts);
	hash_release(&t->tracks);
	arena_release(&t->arena);
	free(t->events);
}

/* ---- texts ---- */

/* As it may stand in a line: what is no UTF-8 is U+FFFD. */
static const char *text_of(struct timeline *t, const char *text)
{
	const char *known = strmap_get(&t->texts, text);
	struct strbuf clean;
	size_t n = strlen(text);

	if (known)
		return known;
	strbuf_init(&clean);
	keytext_add_line(&clean, text, n);
	known = arena_strdup(&t->arena, clean.s);
	strmap_put(&t->texts, strcmp(text, known) ? arena_strdup(&t->arena, text) : known,
		   (void *)(uintptr_t)known);
	strbuf_release(&clean);
	t->size += 2 * n + 64;
	return known;
}

/* At most so many bytes, without what ends a line. */
static const char *line_of(struct timeline *t, const struct strbuf *from, size_t max)
{
	const char *start = from->s, *known;
	char *text;
	size_t n = from->len;

	while (n && isspace((unsigned char)start[n - 1]))
		n--;
	while (n && isspace((unsigned char)*start)) {
		start++;
		n--;
	}
	n = MIN(n, max);
	while (n && n < from->len && ((unsigned char)start[n] & 0xc0) == 0x80)
		n--; /* not within a character */
	text = xmalloc(n + 1);
	memcpy(text, start, n);
	text[n] = '\0';
	known = text_of(t, text);
	free(text);
	return known;
}

/* ---- tracks ---- */

/* As the kernel has it now; "": it is gone, or of a recording. */
static const char *comm_of(struct timeline *t, uint32_t pid, uint32_t tid)
{
	char name[64], comm[16] = "";

	snprintf(name, sizeof(name), "task/%u/comm", tid);
	if (!t->session->recorded_ns && pid && !procfile_is_hidden((pid_t)pid))
		procfile_comm((pid_t)pid, name, comm);
	return text_of(t, comm);
}

/* A process that is gone has its program's name, threads that are gone have their process's. */
static void name_thread(struct timeline *t, struct tl_track *track)
{
	track->name = comm_of(t, track->pid, track->tid);
	track->process = comm_of(t, track->pid, track->pid);
	if (!*track->process)
		track->process = text_of(t, aspace_program(t->session->aspaces, (pid_t)track->pid));
	if (!*track->name)
		track->name = track->process;
}

/* A program that executes another one has another name from then on. */
void timeline_renew_names(struct timeline *t)
{
	for (struct tl_track *track = t->first; track; track = track->next) {
		const char *name =
			track->kind == TL_THREAD ? comm_of(t, track->pid, track->tid) : "";

		if (!*name)
			continue;
		track->name = name;
		track->process = comm_of(t, track->pid, track->pid);
	}
}

static struct tl_track *track_of(struct timeline *t, int kind, uint32_t pid, uint32_t tid)
{
	uint64_t key = (uint64_t)kind << 32 | tid;
	struct tl_track *track = hash_get(&t->tracks, key);

	if (track)
		return track;
	track = ARENA_NEW(&t->arena, struct tl_track);
	*track = (struct tl_track){.kind = kind, .pid = pid, .tid = tid, .name = "", .process = ""};
	if (kind == TL_THREAD) {
		name_thread(t, track);
	} else {
		track->name = kind == TL_OWN ? "dtrace" : arena_printf(&t->arena, "CPU %u", tid);
	}
	hash_put(&t->tracks, key, track);
	*t->tail = track;
	t->tail = &track->next;
	t->size += sizeof(*track) + 64;
	return track;
}

/* ---- events ---- */

static struct tl_event *put(struct timeline *t, uint64_t time_ns, enum tl_kind kind,
			    struct tl_track *track)
{
	struct tl_event *e;

	if (t->nevents == t->room) {
		t->room = MAX(2 * t->room, 1024);
		t->events = xrealloc(t->events, t->room * sizeof(*t->events));
	}
	e = &t->events[t->nevents++];
	*e = (struct tl_event){.time_ns = time_ns, .kind = kind, .track = track};
	if (track->last)
		t->events[track->last - 1].next = t->nevents;
	else
		track->first = t->nevents;
	track->last = t->nevents;
	t->size += sizeof(*e);
	return e;
}

static void begin(struct timeline *t, uint64_t time_ns, struct tl_track *track, const char *name,
		  const char *category)
{
	struct tl_event *e = put(t, time_ns, TL_BEGIN, track);

	e->name = name;
	e->category = category;
	if (track->nopen == track->room) {
		track->room = MAX(2 * track->room, 16);
		track->open = xrealloc(track->open, track->room * sizeof(*track->open));
	}
	track->open[track->nopen++] = name;
}

static void end(struct timeline *t, uint64_t time_ns, struct tl_track *track, bool is_unwound)
{
	static struct tl_arg unwound = {.name = "unwound", .number = 1};
	struct tl_event *e = put(t, time_ns, TL_END, track);

	track->nopen--;
	if (is_unwound) {
		e->args = &unwound;
		e->nargs = 1;
	}
}

/* The innermost slice of that name ends, and what is open above it. False: there is none. */
static bool end_named(struct timeline *t, uint64_t time_ns, struct tl_track *track,
		      const char *name)
{
	unsigned at = track->nopen;

	while (at && track->open[at - 1] != name)
		at--;
	if (!at)
		return false;
	while (track->nopen > at)
		end(t, time_ns, track, true);
	end(t, time_ns, track, false);
	return true;
}

/* ---- what a record holds ---- */

struct values {
	struct timeline *t;
	struct printer pr;
	struct strbuf text;
	struct tl_arg args[ARGS_MAX];
	unsigned n, nunnamed;
	const char *printed; /* the first printf(); NULL: none */
	bool is_return;
};

static void add_value(void *arg, const struct stmt *st UNUSED, const struct action *act,
		      const char *data)
{
	struct values *v = arg;
	const char *name = keytext_expr_name(act->difo);
	struct tl_arg *value = &v->args[v->n];
	char number[24];

	if (v->n == ARGS_MAX)
		return;
	v->nunnamed++;
	snprintf(number, sizeof(number), "value%u", v->nunnamed);
	if (name && v->is_return && !strcmp(name, "arg1"))
		name = "return";
	*value = (struct tl_arg){.name = text_of(v->t, name ? name : number)};
	if (act->rec.kind == REC_INT) {
		value->number = (int64_t)rec_int(&act->rec, data + act->rec.offset, NULL);
	} else {
		strbuf_clear(&v->text);
		keytext_add(&v->pr, &v->text, &act->rec, data + act->rec.offset);
		value->text = line_of(v->t, &v->text, TEXT_MAX_BYTES);
	}
	v->n++;
}

static void add_printed(void *arg, const struct stmt *st, const char *data)
{
	struct values *v = arg;

	if (v->printed)
		return;
	strbuf_clear(&v->text);
	record_add_printed(&v->pr, &v->text, st, data);
	v->printed = line_of(v->t, &v->text, NAME_MAX_BYTES);
}

/* ---- what a probe is ---- */

enum role { ROLE_INSTANT, ROLE_ENTRY, ROLE_RETURN, ROLE_ON_CPU, ROLE_OFF_CPU };

/* Does it end so? The rest, in the timeline's texts; NULL: no. */
static const char *without(struct timeline *t, const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);
	char rest[128];

	if (n <= m || n - m >= sizeof(rest) || strcmp(name + n - m, suffix) != 0)
		return NULL;
	memcpy(rest, name, n - m);
	rest[n - m] = '\0';
	return text_of(t, rest);
}

/* Static probes of programs come in pairs, too, by what their names end with. */
static enum role pair_of(struct timeline *t, const struct probe *p, const char **name)
{
	static const struct {
		const char *suffix;
		enum role role;
	} ends[] = {
		{"-start", ROLE_ENTRY},	  {"-done", ROLE_RETURN},  {"-entry", ROLE_ENTRY},
		{"-return", ROLE_RETURN}, {"__entry", ROLE_ENTRY}, {"__return", ROLE_RETURN},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(ends); i++) {
		*name = without(t, p->name, ends[i].suffix);
		if (*name)
			return ends[i].role;
	}
	return ROLE_INSTANT;
}

static enum role role_of(struct timeline *t, const struct probe *p, const char **name)
{
	const char *provider = p->provider ? p->provider->name : p->prov;

	*name = text_of(t, p->func);
	if (!strcmp(p->name, "entry"))
		return ROLE_ENTRY;
	if (!strcmp(p->name, "return"))
		return ROLE_RETURN;
	if (!strcmp(p->prov, "sched") && !strcmp(p->name, "on-cpu"))
		return ROLE_ON_CPU;
	if (!strcmp(p->prov, "sched") && !strcmp(p->name, "off-cpu"))
		return ROLE_OFF_CPU;
	return !strcmp(provider, "usdt") ? pair_of(t, p, name) : ROLE_INSTANT;
}

/* The provider without the number of a process. */
static const char *category_of(struct timeline *t, const struct probe *p)
{
	char text[64];
	size_t n = strcspn(p->prov, "0123456789");

	snprintf(text, sizeof(text), "%.*s", (int)MIN(n, sizeof(text) - 1), p->prov);
	return text_of(t, n ? text : p->prov);
}

static void add_instant(struct timeline *t, const struct values *v, const struct rec_head *head,
			const struct probe *p, struct tl_track *track)
{
	struct tl_event *e;
	char name[512];

	snprintf(name, sizeof(name), "%s%s%s", p->func, *p->func ? ":" : "", p->name);
	e = put(t, head->time_ns, TL_INSTANT, track);
	e->name = v->printed && *v->printed ? v->printed : text_of(t, name);
	e->category = v->printed ? "printf" : category_of(t, p);
}

/* A thread begins to run on a CPU, or ceases to. */
static void add_run(struct timeline *t, const struct rec_head *head, bool is_on)
{
	struct tl_track *cpu = track_of(t, TL_CPU, 0, (uint32_t)head->cpu);
	const char *thread;
	char name[128];

	while (cpu->nopen)
		end(t, head->time_ns, cpu, false);
	if (!is_on)
		return;
	thread = track_of(t, TL_THREAD, head->pid, head->tid)->name;
	snprintf(name, sizeof(name), "%s%s%u", thread, *thread ? " " : "tid ", head->tid);
	begin(t, head->time_ns, cpu, text_of(t, name), "sched");
}

static void add_firing(struct timeline *t, const struct values *v, const struct rec_head *head,
		       const struct probe *p)
{
	bool is_own = p->is_timer || !strcmp(p->prov, "dtrace");
	struct tl_track *track =
		is_own ? track_of(t, TL_OWN, 0, 0) : track_of(t, TL_THREAD, head->pid, head->tid);
	const char *name;
	enum role role = role_of(t, p, &name);

	if (role == ROLE_ON_CPU || role == ROLE_OFF_CPU) {
		add_run(t, head, role == ROLE_ON_CPU);
		if (!v->printed)
			return;
	} else if (role == ROLE_ENTRY && track->nopen < DEPTH_MAX) {
		begin(t, head->time_ns, track, name, category_of(t, p));
		return;
	} else if (role == ROLE_RETURN && end_named(t, head->time_ns, track, name)) {
		return;
	}
	add_instant(t, v, head, p, track);
}

/* Of the last event, whose firing had other clauses before. */
static void append_args(struct timeline *t, const struct values *v)
{
	struct tl_event *e = &t->events[t->nevents - 1];
	struct tl_arg *args;

	if (!v->n)
		return;
	args = arena_alloc(&t->arena, (e->nargs + v->n) * sizeof(*args));
	if (e->nargs)
		memcpy(args, e->args, e->nargs * sizeof(*args));
	memcpy(args + e->nargs, v->args, v->n * sizeof(*args));
	e->args = args;
	e->nargs += v->n;
	t->size += e->nargs * sizeof(*args);
}

void timeline_add(struct timeline *t, const struct printer *pr, const struct rec_head *head,
		  const struct ecb *ecb, const char *data)
{
	static const struct record_reader reader = {add_printed, add_value};
	const struct probe *p = ecb->probe;
	struct values v = {.t = t, .pr = *pr, .is_return = !strcmp(p->name, "return")};
	bool is_same = t->nevents && t->last.probe == p && t->last.time_ns == head->time_ns &&
		       t->last.tid == head->tid;
	size_t nbefore = t->nevents;

	if (t->size >= t->size_max) {
		t->nleft++;
		return;
	}
	strbuf_init(&v.text);
	record_read(ecb->clause, data, &reader, &v);
	if (!is_same)
		add_firing(t, &v, head, p);
	is_same |= t->nevents > nbefore;
	if (is_same)
		append_args(t, &v);
	strbuf_release(&v.text);
	t->last.probe = is_same ? p : NULL;
	t->last.time_ns = head->time_ns;
	t->last.tid = head->tid;
}

void timeline_finish(struct timeline *t)
{
	uint64_t last_ns = t->nevents ? t->events[t->nevents - 1].time_ns : 0;

	for (struct tl_track *track = t->first; track; track = track->next)
		while (track->nopen)
			end(t, last_ns, track, false);
}
