/*
 * pid_jit.c: probes on code that a program makes while it runs: pid$target:jit:*add*:entry.
 *
 * A function is several pieces of code, made one after the other by the tiers of a runtime: a probe
 * has a site in each that is alive. Code is freed and other code takes its place: a new piece ends
 * the sites it overlaps, whose bytes are put back only where they still are ours (bkpt_commit).
 * Maps also tell of what is no code, as V8 of its bytecode: nothing is written outside executable
 * memory.
 *
 * New pieces are seen in the perf map, a moment late; and at once, by breakpoints of our own, in
 * runtimes whose symbols say where they write it.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/glob.h"
#include "base/procfile.h"
#include "base/strbuf.h"
#include "dlang/errtags.h"
#include "providers/pid/pid_priv.h"
#include "symbols/x86/codescan.h"
#include "symbols/x86/disasm.h"
#include "symbols/jit.h"

#define POLL_NS	     20000000U
#define MAX_PATTERNS 256
#define MAX_CODE     ((uint64_t)16 << 20) /* longer pieces are not searched for their returns */

#define V8_FORMAT "%lx %x %.*s\n"

/* A piece of code that has sites. */
struct armed {
	taddr_t start, end;
};

/* Which probes of a function a name means. */
struct wanted {
	bool entry, ret;
	bool one_offset; /* off */
	uint64_t off;
	const char *pattern; /* all offsets whose text matches; NULL: none */
};

struct pid_jit {
	struct jitmap *map;
	struct module module; /* what such sites have for a module; it has no file */
	unsigned seen;	      /* pieces that were matched */
	struct armed *armed;  /* by address; they do not overlap */
	unsigned narmed, room;
	const char *patterns[MAX_PATTERNS]; /* of the descriptions, in the session's arena */
	unsigned npatterns;
	struct range {
		taddr_t start, end;
	} * exec; /* executable mappings, as of now */
	unsigned nexec;
	uint64_t next_poll_ns;
};

void pid_jit_forget(struct pid_proc *pp)
{
	struct pid_jit *j = pp->jit;

	if (!j)
		return;
	jitmap_free(j->map);
	free(j->armed);
	free(j->exec);
	free(j);
	pp->jit = NULL;
}

/* ---- what is executable ---- */

static void read_exec(struct pid_proc *pp)
{
	struct pid_jit *j = pp->jit;
	struct procmap line;
	struct strbuf text;
	char *at;

	j->nexec = 0;
	strbuf_init(&text);
	procfile_slurp(pp->pid, "maps", &text);
	at = text.s;
	while (procmap_next(&at, &line)) {
		if (!line.exec)
			continue;
		if (j->nexec % 64 == 0)
			j->exec = xrealloc(j->exec, (j->nexec + 64) * sizeof(*j->exec));
		j->exec[j->nexec++] = (struct range){line.start, line.end};
	}
	strbuf_release(&text);
}

static bool is_executable(const struct pid_jit *j, const struct jitcode *c)
{
	for (unsigned i = 0; i < j->nexec; i++)
		if (c->addr >= j->exec[i].start && c->addr + c->size <= j->exec[i].end)
			return true;
	return false;
}

/* ---- where a piece of code begins ---- */

static bool is_nop(const uint8_t *p, unsigned len)
{
	unsigned i = 0;

	while (i < len && (p[i] == 0x66 || p[i] == 0x2e))
		i++;
	return i < len && (p[i] == 0x90 || (i + 1 < len && p[i] == 0x0f && p[i + 1] == 0x1f));
}

/*
 * A method of HotSpot begins with a check of the receiver's class, which most callers know and jump
 * over: mov 8(%rsi),%r10d; ...; cmp; jne miss; nops. What follows is run by all.
 */
static uint64_t prologue(const uint8_t *p, size_t n)
{
	struct insn insn;
	bool checked = false;

	if (n < 4 || (p[0] != 0x44 && p[0] != 0x4c) || p[1] != 0x8b || p[2] != 0x56 || p[3] != 8)
		return 0;
	for (size_t at = 0; at < n && insn_decode(p + at, n - at, at, &insn); at += insn.len) {
		if (checked && !is_nop(p + at, insn.len))
			return at;
		if (!checked && insn.kind != INSN_OTHER && insn.kind != INSN_JCC)
			return 0;
		checked |= insn.kind == INSN_JCC;
	}
	return 0;
}

static taddr_t entry_of(struct pid_proc *pp, const struct jitcode *c)
{
	uint8_t buf[96];
	ssize_t n = target_read(proc_target(pp->proc), c->addr, buf, MIN(sizeof(buf), c->size));

	return c->addr + (n > 0 ? prologue(buf, (size_t)n) : 0);
}

/* ---- sites ---- */

/* The index of the first armed piece that ends after addr. */
static unsigned first_after(const struct pid_jit *j, taddr_t addr)
{
	unsigned lo = 0, hi = j->narmed;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (j->armed[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void drop_sites(struct pid_proc *pp, const struct armed *a)
{
	struct pid_site *site, *next;

	for (site = pp->sites; site; site = next) {
		next = site->next_in_proc;
		if (site->probe->is_jit && site->code_addr == a->start)
			pid_drop_site(site);
	}
}

/* Ends the sites in the code whose place c has taken. */
static bool retire(struct pid_proc *pp, const struct jitcode *c)
{
	struct pid_jit *j = pp->jit;
	unsigned from = first_after(j, c->addr), to = from;

	while (to < j->narmed && j->armed[to].start < c->addr + c->size)
		drop_sites(pp, &j->armed[to++]);
	if (to == from)
		return false;
	memmove(j->armed + from, j->armed + to, (j->narmed - to) * sizeof(*j->armed));
	j->narmed -= to - from;
	return true;
}

/* Notes that this piece has sites. False: other code is armed in its place. */
static bool note_armed(struct pid_jit *j, const struct jitcode *c)
{
	unsigned at = first_after(j, c->addr);
	struct armed *a;

	if (at < j->narmed && j->armed[at].start < c->addr + c->size)
		return j->armed[at].start == c->addr;
	if (j->narmed == j->room) {
		j->room = j->room ? 2 * j->room : 64;
		j->armed = xrealloc(j->armed, j->room * sizeof(*j->armed));
	}
	a = &j->armed[at];
	memmove(a + 1, a, (j->narmed - at) * sizeof(*a));
	*a = (struct armed){.start = c->addr, .end = c->addr + c->size};
	j->narmed++;
	return true;
}

typedef unsigned scan_fn(const uint8_t *code, size_t n, uint32_t *offs, unsigned max);

static unsigned scan(struct pid_proc *pp, taddr_t addr, uint64_t size, scan_fn *fn, uint32_t **offs)
{
	uint8_t *code;
	ssize_t got;
	unsigned n;

	size = MIN(size, MAX_CODE);
	code = xmalloc(size);
	got = target_read(proc_target(pp->proc), addr, code, size);
	got = MAX(got, 0);
	n = fn(code, (size_t)got, NULL, 0);
	*offs = xcalloc(n + 1, sizeof(**offs));
	fn(code, (size_t)got, *offs, n);
	free(code);
	return n;
}

unsigned pid_jit_returns(const struct pid_site *site, uint32_t **offs)
{
	return scan(site->proc, site->addr, site->code_size, code_returns, offs);
}

/* The instructions a name means, by their offsets in the piece. */
static int add_offsets(struct session *s, struct pid_proc *pp, const struct wanted *w,
		       const char *function, struct pid_site *what, int *tag, struct err *err)
{
	taddr_t start = what->code_addr;
	char name[24];
	const struct jit_probe p = {PID_OFFSET, function, name};
	uint32_t *offs;
	unsigned n = scan(pp, start, what->code_size, code_insns, &offs);
	int r = 0;

	for (unsigned i = 0; i < n && !r; i++) {
		snprintf(name, sizeof(name), "%x", offs[i]);
		if (w->one_offset ? offs[i] != w->off
				  : w->pattern[0] && !glob_match(w->pattern, name))
			continue;
		what->addr = start + offs[i];
		r = pid_add_jit_site(s, pp, &p, what, tag, err);
	}
	free(offs);
	return r;
}

static int add_sites(struct session *s, struct pid_proc *pp, const struct jitcode *c,
		     const struct wanted *w, int *tag, struct err *err)
{
	struct pid_jit *j = pp->jit;
	struct pid_site what = {
		.mod = &j->module, .code = c->name, .code_addr = c->addr, .code_size = c->size};
	char function[JIT_NAME_MAX];
	const struct jit_probe entry = {PID_ENTRY, function, "entry"},
			       ret = {PID_RETURN, function, "return"};
	int r = 0;

	if (!note_armed(j, c))
		return 0;
	jit_function_name(c->name, function);
	what.addr = entry_of(pp, c);
	if (w->entry)
		r = pid_add_jit_site(s, pp, &entry, &what, tag, err);
	what.addr = c->addr;
	if (!r && w->ret)
		r = pid_add_jit_site(s, pp, &ret, &what, tag, err);
	if (!r && (w->one_offset || w->pattern))
		r = add_offsets(s, pp, w, function, &what, tag, err);
	return r;
}

static bool is_wanted(const struct pid_jit *j, const struct jitcode *c)
{
	for (unsigned i = 0; i < j->npatterns; i++)
		if (c->name[0] && jit_matches(c->name, j->patterns[i]))
			return true;
	return false;
}

/* ---- new pieces ---- */

/*
 * The front is told of each piece: it reads the map too, but when it wants a name, the process and
 * its /tmp may be gone. Addresses of code that is gone keep its name until there is other code.
 */
static void tell_front(struct session *s, struct pid_proc *pp, const struct jitcode *c)
{
	if (c->name[0])
		aspace_add_code(s->aspaces, proc_target(pp->proc)->aspace, c->addr, c->size,
				c->name);
}

static void take_new(struct session *s, struct pid_proc *pp)
{
	struct pid_jit *j = pp->jit;
	unsigned n = jitmap_count(j->map);
	bool retired = false, wanted = false;
	struct err err = {0};

	for (unsigned i = j->seen; i < n; i++) {
		const struct jitcode *c = jitmap_get(j->map, i);

		tell_front(s, pp, c);
		retired |= retire(pp, c);
		wanted |= is_wanted(j, c);
	}
	if (retired) /* before the new ones: they may be at the same addresses */
		bkpt_commit(pp->proc, &err);
	if (wanted)
		pid_rematch(s, pp);
	j->seen = n;
}

void pid_jit_told(struct pid_proc *pp, taddr_t addr, uint64_t size, const char *name)
{
	jitmap_add(pp->jit->map, addr, size, name);
}

void pid_jit_take(struct pid_proc *pp)
{
	struct session *s = pp->pw->session;

	if (s->state == SESSION_ACTIVE)
		take_new(s, pp);
}

static void v8_tells(struct pid_proc *pp, taddr_t code, uint32_t size, taddr_t name_at, int32_t len)
{
	char name[JIT_NAME_MAX];
	ssize_t n;

	if (len <= 0)
		return;
	n = target_read(proc_target(pp->proc), name_at, name, MIN((size_t)len, sizeof(name) - 1));
	if (n <= 0)
		return;
	name[n] = '\0';
	jitmap_add(pp->jit->map, code, size, name);
	pid_jit_take(pp);
}

/* v8::base::OS::FPrint(FILE *, format, address, size, length, name) writes all of V8's lines. */
static void v8_prints(struct hit *hit, void *arg)
{
	struct pid_proc *pp = arg;
	const struct user_regs_struct *r = &hit_regs(hit)->r;
	struct target *t = proc_target(pp->proc);
	char format[sizeof(V8_FORMAT)];

	if (target_read(t, r->rsi, format, sizeof(format)) == sizeof(format) &&
	    memcmp(format, V8_FORMAT, sizeof(format)) == 0)
		v8_tells(pp, r->rdx, (uint32_t)r->rcx, r->r9, (int32_t)r->r8);
}

/*
 * v8::internal::LinuxPerfJitLogger::WriteJitCodeLoadEntry(this, address, size, name, length) is
 * what makes a record of a jitdump; the file has it much later, when two megabytes have come
 * together.
 */
static void v8_dumps(struct hit *hit, void *arg)
{
	const struct user_regs_struct *r = &hit_regs(hit)->r;

	v8_tells(arg, r->rsi, (uint32_t)r->rdx, r->rcx, (int32_t)r->r8);
}

/* PyUnstable_WritePerfMapEntry(address, size, name), of CPython 3.12 and later: before first use.
 */
static void python_writes(struct hit *hit, void *arg)
{
	struct pid_proc *pp = arg;
	const struct user_regs_struct *r = &hit_regs(hit)->r;
	char name[JIT_NAME_MAX];
	ssize_t n = target_read(proc_target(pp->proc), r->rdx, name, sizeof(name) - 1);

	if (n <= 0)
		return;
	name[n] = '\0';
	jitmap_add(pp->jit->map, r->rdi, (uint32_t)r->rsi, name);
	pid_jit_take(pp);
}

/* A function of a runtime that is called for each new piece, and what reads its arguments. */
static const struct {
	const char *symbol;
	bkpt_fn *fn;
} tellers[] = {
	{"_ZN2v84base2OS6FPrintEP8_IO_FILEPKcz", v8_prints},
	{"_ZN2v88internal18LinuxPerfJitLogger21WriteJitCodeLoadEntryEPKhjPKci", v8_dumps},
	{"PyUnstable_WritePerfMapEntry", python_writes},
};

static void add_tellers(struct pid_proc *pp, const struct module *m, const struct objfile *o)
{
	struct bkpt *b;
	taddr_t addr;
	uint64_t size;

	for (unsigned i = 0; i < ARRAY_SIZE(tellers); i++)
		if (objfile_symbol(o, tellers[i].symbol, &addr, &size))
			/* that it cannot be is no loss: the map will tell */
			bkpt_add(pp->proc, addr + m->bias, BKPT_ALWAYS, tellers[i].fn, pp, &b,
				 NULL);
}

/* Breakpoints where runtimes tell of new code, in all modules or those that are new. */
static void add_hooks(struct pid_proc *pp, bool all)
{
	for (struct module *m = pp->modules->list; m; m = m->next) {
		struct objfile *o = (m->fresh || all) && !m->gone ? module_objfile(m, NULL) : NULL;

		if (!o)
			continue;
		pid_gdbjit_hook(pp, m, o);
		add_tellers(pp, m, o);
	}
}

void pid_jit_mapped(struct pid_proc *pp)
{
	if (pp->jit)
		add_hooks(pp, false);
}

uint64_t pid_jit_poll(struct world *w)
{
	uint64_t now = session_now(w->session), next = UINT64_MAX;

	for (struct pid_proc *pp = pid_world_of(w)->procs; pp; pp = pp->next) {
		if (!pp->jit || !pp->proc)
			continue;
		if (now >= pp->jit->next_poll_ns) {
			jitmap_poll(pp->jit->map);
			if (jitmap_count(pp->jit->map) > pp->jit->seen)
				take_new(w->session, pp);
			pp->jit->next_poll_ns = now + POLL_NS;
		}
		next = MIN(next, pp->jit->next_poll_ns);
	}
	return next;
}

/* ---- descriptions ---- */

bool pid_jit_means(const struct probe_desc *d)
{
	return strcmp(d->mod, JIT_OBJECT) == 0;
}

static void note_pattern(struct pid_jit *j, const char *pattern)
{
	for (unsigned i = 0; i < j->npatterns; i++)
		if (!strcmp(j->patterns[i], pattern))
			return;
	if (j->npatterns < MAX_PATTERNS)
		j->patterns[j->npatterns++] = pattern;
}

static void start(struct session *s, struct pid_proc *pp)
{
	struct pid_jit *j = xcalloc(1, sizeof(*j));

	pp->jit = j;
	j->map = jitmap_new(pp->pid);
	j->module.name = j->module.path = JIT_OBJECT;
	jitmap_poll(j->map);
	add_hooks(pp, true);
	j->seen = jitmap_count(j->map);
	for (unsigned i = 0; i < j->seen; i++)
		tell_front(s, pp, jitmap_get(j->map, i));
}

static int parse_name(const char *name, struct wanted *w)
{
	w->entry = !name[0] || glob_match(name, "entry");
	w->ret = !name[0] || glob_match(name, "return");
	if (!name[0] || glob_is_pattern(name))
		w->pattern = name;
	else if (!w->entry && !w->ret)
		w->one_offset = pid_parse_offset(name, &w->off);
	return w->entry || w->ret || w->pattern || w->one_offset ? 0 : -EINVAL;
}

int pid_jit_provide(struct session *s, struct pid_proc *pp, const struct probe_desc *d, int *tag,
		    struct err *err)
{
	struct wanted w = {0};
	struct pid_jit *j;
	unsigned n;
	int r = parse_name(d->name, &w);

	if (r) {
		*tag = D_PROC_NAME;
		return err_set(err, r, "'%s' is an invalid probe name", d->name);
	}
	if (!pp->jit)
		start(s, pp);
	j = pp->jit;
	note_pattern(j, d->func);
	read_exec(pp);
	n = jitmap_count(j->map);
	for (unsigned i = pp->pw->rematching ? j->seen : 0; i < n && !r; i++) {
		const struct jitcode *c = jitmap_get(j->map, i);

		if (jit_matches(c->name, d->func) && is_executable(j, c) &&
		    jitmap_at(j->map, c->addr) == c)
			r = add_sites(s, pp, c, &w, tag, err);
	}
	return r;
}

bool pid_jit_matches(const struct pid_probe *pr, const struct probe_desc *d)
{
	if (d->mod[0] && !glob_match(d->mod, JIT_OBJECT))
		return false;
	for (const struct pid_site *site = pr->sites; site; site = site->next)
		if (jit_matches(site->code, d->func))
			return true;
	return jit_matches(pr->probe->func, d->func);
}
