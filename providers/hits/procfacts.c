#include "providers/hits/procfacts.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/procfile.h"
#include "base/pulse.h"
#include "dlang/osinfo/openfile.h"
#include "dlang/osinfo/osinfo.h"
#include "providers/hits/hitlog.h"
#include "providers/hits/hits.h"
#include "providers/kernel/perf.h"
#include "providers/world/proctab.h"

#define ARGS_MAX 2048
#define FILE_MAX (2 * OPENFILE_TEXT + 256)
#define KEPT_MAX 262144 /* texts of a kind: processes come and go, a file may say anything */

struct procfacts {
	struct world *world;
	struct hash args, files; /* malloced texts by pid, by pid and descriptor */
	unsigned needs;
};

/* ---- texts ---- */

static void forget_all(struct hash *texts)
{
	void *text;

	for (size_t i = 0; (text = hash_each(texts, &i, NULL));)
		free(text);
	hash_release(texts);
	hash_init(texts);
}

/* False: that is what was known. */
static bool keep(struct hash *texts, uint64_t key, const char *text)
{
	const char *old = hash_get(texts, key);
	char *new;

	if (old && strcmp(old, text) == 0)
		return false;
	new = xstrdup(text); /* it may be one of those that go */
	if (texts->n >= KEPT_MAX)
		forget_all(texts);
	else
		free(hash_del(texts, key));
	hash_put(texts, key, new);
	return true;
}

/* Keys are not 0. */
static uint64_t key_of(pid_t pid)
{
	return (uint64_t)(uint32_t)pid + 1;
}

static uint64_t key_of_file(pid_t pid, int64_t fd)
{
	return key_of(pid) << 32 | (uint32_t)fd;
}

/* ---- arguments ---- */

static bool look_up_args(const struct session *s, pid_t pid, char *buf, size_t size)
{
	const char *text = hash_get(&world_of(s)->facts->args, key_of(pid));

	if (text)
		snprintf(buf, size, "%s", text);
	return text != NULL;
}

/* What has executed another program, or has ended, since has the arguments that the kernel has
 * kept. */
static void log_args(struct procfacts *f, pid_t pid, uint64_t time_ns)
{
	const struct session *s = f->world->session;
	char text[ARGS_MAX];

	osinfo_cmdline(pid, text, sizeof(text));
	if (!text[0] && s->engine->known_args)
		s->engine->known_args(s, pid, text, sizeof(text));
	if (text[0] && keep(&f->args, key_of(pid), text))
		hitlog_tell(f->world->hitlog, HIT_ARGUMENTS, pid, time_ns, text);
}

/* A child has those of its parent. */
static void inherit(struct procfacts *f, pid_t child, pid_t parent)
{
	const char *text = hash_get(&f->args, key_of(parent));

	if (text)
		keep(&f->args, key_of(child), text);
	else if (hash_get(&f->args, key_of(child)))
		keep(&f->args, key_of(child), "");
}

static void on_args(void *arg, pid_t pid, const char *text)
{
	struct procfacts *f = arg;

	keep(&f->args, key_of(pid), text);
}

/* ---- users ---- */

/* One that is gone has what it had. */
static void log_ids(struct procfacts *f, pid_t pid, uint64_t time_ns)
{
	struct osinfo os = {0};
	const struct osinfo_ids *ids = osinfo_ids(&os, pid);
	char text[32];

	if (!ids->ppid && pid > 2)
		return;
	proctab_tell_ids(perf_procs(f->world->perf), pid, ids->ppid, ids->uid, ids->gid);
	snprintf(text, sizeof(text), "%u %u", ids->uid, ids->gid);
	hitlog_tell(f->world->hitlog, HIT_IDS, pid, time_ns, text);
}

static void on_ids(void *arg, pid_t pid, const char *text)
{
	const struct procfacts *f = arg;
	char *end;
	const uint32_t uid = (uint32_t)strtoul(text, &end, 10),
		       gid = (uint32_t)strtoul(end, NULL, 10);

	proctab_tell_ids(perf_procs(f->world->perf), pid, 0, uid, gid);
}

/* ---- files ---- */

/* FD OPEN OFFSET FLAGS KIND PATH, a line break, the place where it is mounted */
static void write_file(const struct openfile *o, char *text, size_t size)
{
	snprintf(text, size, "%lld %d %lld %lld %s %s\n%s", (long long)o->fd, o->is_open,
		 (long long)o->offset, (long long)o->oflags, o->fs[0] ? o->fs : "-", o->path,
		 o->mount);
}

/* The next word; the text goes on behind it. */
static const char *word(const char **at, char *buf, size_t size)
{
	const size_t n = strcspn(*at, " ");

	snprintf(buf, size, "%.*s", (int)MIN(n, size - 1), *at);
	*at += n + ((*at)[n] == ' ');
	return buf;
}

static int64_t number(const char **at)
{
	char text[32];

	return strtoll(word(at, text, sizeof(text)), NULL, 10);
}

static void read_file(const char *text, struct openfile *o)
{
	const char *at = text, *end;

	number(&at);
	o->is_open = number(&at);
	o->offset = number(&at);
	o->oflags = number(&at);
	word(&at, o->fs, sizeof(o->fs));
	if (strcmp(o->fs, "-") == 0)
		o->fs[0] = '\0';
	end = strrchr(at, '\n'); /* the name of a file may have one */
	if (!end)
		end = at + strlen(at);
	snprintf(o->path, sizeof(o->path), "%.*s", (int)MIN(end - at, OPENFILE_TEXT - 1), at);
	snprintf(o->mount, sizeof(o->mount), "%s", *end ? end + 1 : "");
}

/* That of the run is asked of /proc, and is in its file from then on. */
static void look_up_file(const struct session *s, const struct event *ev, struct openfile *o)
{
	struct procfacts *f = world_of(s)->facts;
	const uint64_t key = key_of_file(o->pid, o->fd);
	char text[FILE_MAX];

	if (f->world->log) {
		openfile_look(o);
		openfile_look_for_mount(o);
		write_file(o, text, sizeof(text));
		if (keep(&f->files, key, text))
			hitlog_tell(f->world->hitlog, HIT_FILE, o->pid, ev->time_ns - 1, text);
	} else if (hash_get(&f->files, key)) {
		read_file(hash_get(&f->files, key), o);
	}
	o->have_mount = true;
}

static void on_file(void *arg, pid_t pid, const char *text)
{
	struct procfacts *f = arg;
	const char *at = text;

	keep(&f->files, key_of_file(pid, number(&at)), text);
}

/* ---- begin and end ---- */

static void log_process(struct procfacts *f, pid_t pid, uint64_t time_ns)
{
	if (f->needs & NEED_TEXTS)
		log_args(f, pid, time_ns);
	if (f->needs & NEED_IDS)
		log_ids(f, pid, time_ns);
}

/* What a program has been called with is known before others hear of it. */
static void on_process(void *arg, const struct perf_task *t)
{
	struct procfacts *f = arg;

	if (t->what == TASK_NEW && t->at.pid != t->parent_pid)
		inherit(f, t->at.pid, t->parent_pid);
	else if (t->what == TASK_EXEC && f->world->log)
		log_process(f, t->at.pid, t->at.time_ns - 1);
}

static const struct process_facts facts = {look_up_args, look_up_file};

static struct procfacts *new_facts(struct world *w)
{
	struct procfacts *f = xcalloc(1, sizeof(*f));

	f->world = w;
	hash_init(&f->args);
	hash_init(&f->files);
	w->facts = f;
	w->session->engine->facts = &facts;
	return f;
}

void procfacts_log(struct world *w, unsigned needs)
{
	if (!(needs & (NEED_TEXTS | NEED_IDS | NEED_FILES)))
		return;
	new_facts(w)->needs = needs;
	perf_on_process(w->perf, on_process, w->facts);
}

void procfacts_begin(struct world *w)
{
	struct procids pids;
	pid_t pid;

	if (!w->log || !w->facts || !(w->facts->needs & (NEED_TEXTS | NEED_IDS)) ||
	    procids_open(&pids, 0) < 0)
		return;
	while ((pid = procids_next(&pids))) {
		pulse();
		log_process(w->facts, pid, w->session->engine->begin_ns);
	}
	procids_close(&pids);
}

int procfacts_replay(struct world *w, struct err *err)
{
	struct procfacts *f = new_facts(w);
	int rc = hits_feed_fact(w, HIT_ARGUMENTS, on_args, f, err);

	if (rc == 0)
		rc = hits_feed_fact(w, HIT_IDS, on_ids, f, err);
	if (rc == 0)
		rc = hits_feed_fact(w, HIT_FILE, on_file, f, err);
	perf_on_process(w->perf, on_process, f);
	return rc;
}

void procfacts_free(struct world *w)
{
	struct procfacts *f = w->facts;

	if (!f)
		return;
	w->session->engine->facts = NULL;
	forget_all(&f->args);
	forget_all(&f->files);
	hash_release(&f->args);
	hash_release(&f->files);
	free(f);
	w->facts = NULL;
}
