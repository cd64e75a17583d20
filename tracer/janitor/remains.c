/*
 * remains.c: what an earlier run has left in a process. Nobody who knew of it lives: what is ours
 * is told by the names of files that are shared, by code in memory of no file whose head names a
 * place in such a file or which ends with the mark of slots, by jumps that lead to that code and by
 * breakpoints where the file of the program has something else. A program that makes such things
 * itself loses its own.
 */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <unistd.h>

#include "tracer/janitor/janitor.h"
#include "base/regfile.h"
#include "tracer/mem.h"
#include "tracer/slot.h"

#define LIBRARY	 "/memfd:dtrace-preload" /* the preloaded library (preload_proto.h) */
#define HEAD	 512			 /* of code: where it names what it works with */
#define CHUNK	 65536
#define BEFORE	 8 /* bytes of a jump that lie before the one that differs, and more */
#define AROUND	 (CHUNK + 2 * BEFORE)
#define JUMP	 5
#define JCC	 6 /* of a conditional one */
#define SHORT	 2
#define INT3	 0xcc
#define BKPT_MAX 4 /* bytes that a breakpoint replaces */
#define MAX_OWN	 256

struct remains {
	struct proc *p;
	char prefix[64];
	struct vma own[MAX_OWN]; /* code of ours; the paths are not */
	unsigned nown, nfiles;
};

static bool is_shared_file(const struct remains *r, const struct vma *v)
{
	return v && v->ino && !strncmp(v->path, r->prefix, strlen(r->prefix));
}

static bool is_own_code(const struct remains *r, const struct vma *v)
{
	uint64_t words[HEAD / sizeof(uint64_t)];
	char mark[sizeof(SLOT_MARK)];

	if (!v->exec || v->write || v->shared || v->ino || v->vdso ||
	    mem_read(r->p, v->start, words, sizeof(words)) != (ssize_t)sizeof(words))
		return false;
	if (mem_read(r->p, v->end - sizeof(mark), mark, sizeof(mark)) == (ssize_t)sizeof(mark) &&
	    !memcmp(mark, SLOT_MARK, sizeof(mark)))
		return !slot_is_region(r->p, v->start);
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (is_shared_file(r, vmmap_at(&r->p->maps, words[i])))
			return true;
	return false;
}

static bool leads_to_own(const struct remains *r, taddr_t to)
{
	for (unsigned i = 0; i < r->nown; i++)
		if (to >= r->own[i].start && to < r->own[i].end)
			return true;
	return false;
}

/* -EBUSY: another run, which is not to be seen by ptrace, may be at work. */
static int find(struct remains *r, struct err *err)
{
	const struct vmmap *m = &r->p->maps;

	for (size_t i = 0; i < m->n; i++)
		r->nfiles += is_shared_file(r, &m->v[i]);
	for (size_t i = 0; i < m->n && r->nfiles; i++) {
		if (!strncmp(m->v[i].path, LIBRARY, strlen(LIBRARY)))
			return err_set(err, -EBUSY,
				       "it was started with hooks by a dtrace that may not trace "
				       "it");
		if (r->nown < MAX_OWN && is_own_code(r, &m->v[i]))
			r->own[r->nown++] = m->v[i];
	}
	return 0;
}

/* ---- the program's code ---- */

/* A jump, a call or a conditional jump by a distance of four bytes: its length if it leads to code
 * of ours, else 0. */
static unsigned long_jump(const struct remains *r, const uint8_t *code, taddr_t at)
{
	bool is_conditional = code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
	unsigned len = is_conditional ? JCC : JUMP;
	int32_t rel;

	if (!is_conditional && code[0] != 0xe8 && code[0] != 0xe9)
		return 0;
	memcpy(&rel, code + len - sizeof(rel), sizeof(rel));
	return leads_to_own(r, at + len + (taddr_t)rel) ? len : 0;
}

/* What is not there is zero. */
static bool read_jump(const struct remains *r, taddr_t at, uint8_t code[JCC])
{
	memset(code, 0, JCC);
	return mem_read(r->p, at, code, JCC) >= JUMP;
}

/* Who stands at a jump of ours makes it: what it has replaced may be something else. */
static bool is_at_jump(taddr_t pc, void *arg)
{
	const struct remains *r = arg;
	uint8_t code[JCC];

	return read_jump(r, pc, code) && long_jump(r, code, pc);
}

/* What a piece of a file is, in memory and in the file, with some bytes before and behind it. */
struct piece {
	taddr_t at; /* of the first byte */
	uint8_t now[AROUND], file[AROUND];
	size_t n;
};

/* To a jump of ours in the padding of functions, or where other code was. */
static bool is_short_jump(const struct remains *r, const uint8_t *code, taddr_t at)
{
	taddr_t to = at + SHORT + (taddr_t)(int8_t)code[1];
	uint8_t there[JCC];

	return code[0] == 0xeb && read_jump(r, to, there) && long_jump(r, there, to);
}

static void put_back(const struct remains *r, struct piece *pc, size_t i, size_t len)
{
	if (mem_write(r->p->mem_fd, pc->at + i, pc->file + i, len) == 0)
		memcpy(pc->now + i, pc->file + i, len);
}

/* The length of what begins there and is ours. */
static size_t own_len(const struct remains *r, const struct piece *pc, size_t k, bool is_short)
{
	uint8_t code[JCC] = {0};
	size_t len;

	memcpy(code, pc->now + k, MIN(sizeof(code), pc->n - k));
	if (is_short)
		len = is_short_jump(r, code, pc->at + k) ? SHORT : 0;
	else
		len = long_jump(r, code, pc->at + k);
	return k + len <= pc->n ? len : 0;
}

/* The byte differs: if it is of a jump or a breakpoint of ours, that is replaced by what
 * belongs there. */
static void restore_at(const struct remains *r, struct piece *pc, size_t i, bool is_short)
{
	size_t len;

	if (pc->now[i] == INT3 && !bkpt_is_in(r->p, pc->at + i, pc->at + i + 1)) {
		for (len = 1; len < BKPT_MAX && i + len < pc->n; len++)
			if (pc->now[i + len] == pc->file[i + len])
				break;
		put_back(r, pc, i, len);
		return;
	}
	for (size_t k = i >= JCC - 1 ? i - (JCC - 1) : 0; k <= i; k++) {
		len = own_len(r, pc, k, is_short);
		if (k + len <= i)
			continue;
		put_back(r, pc, k, len);
		return;
	}
}

static void restore_piece(const struct remains *r, struct piece *pc, bool is_short)
{
	if (!memcmp(pc->now, pc->file, pc->n))
		return;
	for (size_t i = 0; i < pc->n; i++)
		if (pc->now[i] != pc->file[i])
			restore_at(r, pc, i, is_short);
}

static void restore_file(const struct remains *r, const struct vma *v, bool is_short)
{
	int fd = regfile_open_mapped(proc_live_tid(r->p), v->start, v->end, v->path, v->ino);
	struct piece pc;

	for (taddr_t at = v->start; fd >= 0 && at < v->end; at += CHUNK) {
		ssize_t n, nfile;

		pc.at = at - MIN(BEFORE, at - v->start);
		n = mem_read(r->p, pc.at, pc.now, MIN(AROUND, v->end - pc.at));
		nfile = n > 0 ? pread(fd, pc.file, (size_t)n,
				      (off_t)(v->offset + (pc.at - v->start)))
			      : 0;
		pc.n = nfile > 0 ? (size_t)MIN(n, nfile) : 0;
		restore_piece(r, &pc, is_short);
	}
	if (fd >= 0)
		close(fd);
}

/* Short jumps first: they are told by the long ones. */
static void restore_code(const struct remains *r)
{
	const struct vmmap *m = &r->p->maps;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < m->n; i++)
			if (m->v[i].exec && m->v[i].ino && !m->v[i].shared)
				restore_file(r, &m->v[i], pass == 0);
}

/* ---- the memory ---- */

static int unmap_all(const struct remains *r, struct err *err)
{
	struct proc *p = r->p;

	for (unsigned i = 0; i < r->nown; i++)
		if (!janitor_free_code(p, r->own[i].start, r->own[i].end - r->own[i].start))
			return err_set(err, -EBUSY, "a thread may come back to their code");
	if (vmmap_read(&p->maps, proc_live_tid(p)) < 0)
		return err_set(err, -ESRCH, "it ends");
	for (size_t i = 0; i < p->maps.n; i++) {
		const struct vma *v = &p->maps.v[i];

		if (is_shared_file(r, v) && !janitor_unmap(p, v->start, v->end - v->start))
			return err_set(err, -EBUSY, "it may not unmap memory");
	}
	return 0;
}

int proc_clear_remains(struct proc *p, const char *name, struct err *err)
{
	struct remains r = {.p = p};
	bool is_still = proc_is_still(p);
	int e;

	snprintf(r.prefix, sizeof(r.prefix), "/memfd:%s-", name);
	if (p->preload || vmmap_read(&p->maps, proc_live_tid(p)) < 0)
		return 0;
	e = find(&r, err);
	if (e || !r.nfiles)
		return e;
	e = is_still ? 0 : proc_halt(p, err);
	if (e)
		return e;
	if (proc_move_out(p, is_at_jump, &r)) {
		restore_code(&r);
		e = unmap_all(&r, err);
	} else {
		e = err_set(err, -EBUSY, "a thread stands at one of them");
	}
	if (!is_still)
		proc_go(p);
	return e ? e : (int)(r.nfiles + r.nown);
}
