/* Breakpoints: the table by address, bytes in and out. */
#include "tracer/tracer_priv.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/regfile.h"
#include "base/stage.h"
#include "tracer/preload.h"
#include "tracer/mem.h"
#include "tracer/slot.h"

#define INT3 0xcc

static const uint8_t nop3[3] = {0x0f, 0x1f, 0x00}; /* what stands behind the int3 of an endbr64 */

bool bkpt_is_site(const struct proc *p, taddr_t pc, struct site **out)
{
	struct site *s = hash_get(&p->sites, pc);

	if (!s || s->state == SITE_NEW)
		return false;
	*out = s;
	return true;
}

/* ---- adding ---- */

/* An executable mapping, known now or after a second look. */
static const struct vma *exec_vma(struct proc *p, taddr_t pc)
{
	const struct vma *v = vmmap_at(&p->maps, pc);

	if (v && v->exec)
		return v;
	if (vmmap_read(&p->maps, proc_live_tid(p)) < 0)
		return NULL;
	v = vmmap_at(&p->maps, pc);
	return v && v->exec ? v : NULL;
}

/* The program's bytes at pc, through a one-page cache: neighbours are added in a row. */
static size_t read_text(struct proc *p, taddr_t pc, uint8_t *buf, size_t n)
{
	taddr_t page = pc & ~(uint64_t)(sizeof(p->page) - 1);
	size_t off = pc - page;
	ssize_t r;

	if (off + n > sizeof(p->page)) {
		r = target_read(&p->target, pc, buf, n);
		return r < 0 ? 0 : (size_t)r;
	}
	if (p->page_addr != page) {
		p->page_addr = 1;
		r = target_read(&p->target, page, p->page, sizeof(p->page));
		if (r != (ssize_t)sizeof(p->page))
			return 0;
		p->page_addr = page;
	}
	memcpy(buf, p->page + off, n);
	return n;
}

/* An int3 that is not in the file belongs to another tracer. */
static bool int3_in_file(const struct proc *p, const struct vma *v, taddr_t pc)
{
	uint8_t byte = 0;
	int fd;

	if (!v->ino)
		return true;
	fd = regfile_open_mapped(p->pid, v->start, v->end, v->path, v->ino);
	if (fd < 0)
		return true;
	if (pread(fd, &byte, 1, (off_t)(pc - v->start + v->offset)) != 1)
		byte = INT3;
	close(fd);
	return byte == INT3;
}

/* Memory that is no file's may have been given to something else: data may look like our byte. */
static bool may_be_data(const struct proc *p, const struct site *s)
{
	const struct vma *v = vmmap_at(&p->maps, s->pc);

	return !v || !v->ino;
}

/* What is to be done with the instruction at pc; changes nothing. */
static int plan_at(struct proc *p, taddr_t pc, struct insn_plan *plan, struct err *err)
{
	const struct vma *v = exec_vma(p, pc);
	uint8_t bytes[INSN_MAX];
	size_t n;

	if (!v)
		return err_set(err, -EFAULT, "0x%lx is not in executable memory of process %d", pc,
			       p->pid);
	n = read_text(p, pc, bytes, MIN(sizeof(bytes), v->end - pc));
	if (!n)
		return err_set(err, -EFAULT, "cannot read 0x%lx of process %d", pc, p->pid);
	if (bytes[0] == INT3 && !int3_in_file(p, v, pc))
		return err_set(err, -EBUSY,
			       "another tracer or debugger has a breakpoint at 0x%lx of process %d",
			       pc, p->pid);
	return insn_plan(bytes, n, pc, plan, err);
}

int bkpt_check(struct proc *p, taddr_t pc, struct err *err)
{
	struct insn_plan plan;
	int r = plan_at(p, pc, &plan, err);

	p->page_addr = 1; /* it may be long until the bytes are replaced */
	return r;
}

static int site_plan(struct proc *p, struct site *s, struct err *err)
{
	struct insn_plan plan = {0};
	int r = plan_at(p, s->pc, &plan, err);

	if (r)
		return r;
	/* A slot is kept for good, unless other code has come to this address. */
	if (s->slot && memcmp(plan.bytes, s->plan.bytes, sizeof(plan.bytes)) != 0)
		s->slot = 0;
	s->plan = plan;
	if (plan.how == INSN_SLOT && !s->slot) {
		r = slot_alloc(p, s, err);
		if (r && plan.op == EMUL_NONE)
			return r;
		if (r)
			s->plan.how = INSN_EMULATE;
	}
	s->patch_len = plan.how == INSN_INPLACE ? 4 : 1;
	s->no_plan = false;
	s->may_change = may_be_data(p, s);
	return 0;
}

static struct site *site_get(struct proc *p, taddr_t pc)
{
	struct site *s = hash_get(&p->sites, pc);

	if (s)
		return s;
	s = xcalloc(1, sizeof(*s));
	s->pc = pc;
	s->journal = -1;
	s->no_plan = true;
	hash_put(&p->sites, pc, s);
	return s;
}

static void site_dirty(struct proc *p, struct site *s)
{
	if (s->dirty)
		return;
	if (p->ndirty == p->dirty_room) {
		p->dirty_room = p->dirty_room ? p->dirty_room * 2 : 64;
		p->dirty = xrealloc(p->dirty, p->dirty_room * sizeof(struct site *));
	}
	p->dirty[p->ndirty++] = s;
	s->dirty = true;
}

static struct bkpt *site_append(struct proc *p, struct site *s, enum bkpt_when when, bkpt_fn *fn,
				void *arg)
{
	struct bkpt *b = xcalloc(1, sizeof(*b)), **end = &s->first;

	b->proc = p;
	b->site = s;
	b->when = when;
	b->fn = fn;
	b->arg = arg;
	while (*end && (*end)->when <= when)
		end = &(*end)->next;
	b->next = *end;
	*end = b;
	if (s->state != SITE_ARMED)
		site_dirty(p, s);
	return b;
}

static bool is_direct_jump(const struct insn_plan *pl)
{
	return pl->op >= EMUL_JMP && pl->op <= EMUL_JRCXZ;
}

int bkpt_add(struct proc *p, taddr_t pc, enum bkpt_when when, bkpt_fn *fn, void *arg,
	     struct bkpt **out, struct err *err)
{
	struct site *s = site_get(p, pc);
	bool fresh = s->no_plan || (s->state != SITE_ARMED && !s->first);
	int r = p->preload ? preload_refuses(p, err) : fresh ? site_plan(p, s, err) : 0;

	if (r)
		return r;
	if (when == BKPT_TAKEN && !is_direct_jump(&s->plan))
		return err_set(err, -EINVAL, "0x%lx is not a direct jump", pc);
	*out = site_append(p, s, when, fn, arg);
	return 0;
}

int bkpt_add_once(struct proc *p, taddr_t pc, bkpt_fn *fn, struct bkpt **out, struct err *err)
{
	struct site *s = site_get(p, pc);

	if (s->state != SITE_ARMED && s->no_plan) {
		if (mem_read(p, pc, s->plan.bytes, 1) != 1)
			return err_set(err, -EFAULT, "cannot read 0x%lx of process %d", pc, p->pid);
		s->patch_len = 1;
	}
	*out = site_append(p, s, BKPT_BEFORE, fn, p);
	return 0;
}

static void unlink_bkpt(struct bkpt *b)
{
	struct bkpt **link = &b->site->first;
	struct proc *p = b->proc;

	while (*link != b)
		link = &(*link)->next;
	*link = b->next;
	b->dead = true;
	b->deferred_next = p->deferred;
	p->deferred = b;
}

void bkpt_del(struct bkpt *b)
{
	unlink_bkpt(b);
	if (!b->site->first)
		site_dirty(b->proc, b->site);
}

/* ---- bytes ---- */

static int by_pc(const void *a, const void *b)
{
	const struct site *x = *(struct site *const *)a, *y = *(struct site *const *)b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void sorted_merge(struct proc *p, struct site *const *add, size_t n)
{
	size_t before = p->nsorted;

	if (p->nsorted + n > p->sorted_room) {
		p->sorted_room = MAX(p->sorted_room * 2, p->nsorted + n);
		p->sorted = xrealloc(p->sorted, p->sorted_room * sizeof(struct site *));
	}
	for (size_t i = 0; i < n; i++)
		if (add[i]->state == SITE_NEW)
			p->sorted[p->nsorted++] = add[i];
	if (p->nsorted != before)
		qsort(p->sorted, p->nsorted, sizeof(struct site *), by_pc);
}

/* The bytes behind the first one: an endbr64 becomes int3 + nop3, and back. Every mixture on the
 * way is a nop, whichever thread runs over it (docs/spec/pid-engine.md §3.1). */
static void write_tail(int fd, const struct site *s, const uint8_t *tail)
{
	if (s->patch_len == 4)
		mem_write(fd, s->pc + 1, tail, sizeof(nop3));
}

static size_t fill_patches(struct patch *v, struct site *const *sites, size_t n, bool arm)
{
	for (size_t i = 0; i < n; i++) {
		v[i].addr = sites[i]->pc;
		v[i].from = arm ? sites[i]->plan.bytes[0] : INT3;
		v[i].to = arm ? INT3 : sites[i]->plan.bytes[0];
		v[i].error = 0;
		v[i].tag = sites[i];
	}
	return n;
}

static int arm_journal(struct proc *p, struct site *const *sites, size_t n, struct err *err)
{
	struct journal *j = p->tracer->journal;

	for (size_t i = 0; i < n; i++) {
		struct site *s = sites[i];

		s->journal = journal_add(j, p->pid, p->mem_fd, s->pc, s->plan.bytes, s->patch_len);
		if (s->journal >= 0)
			continue;
		while (i-- > 0)
			journal_del(j, p->pid, sites[i]->journal);
		return err_set(
			err, -ENOMEM,
			"too many probes: there is no room to note what %u instructions were",
			(unsigned)(p->nsorted + n));
	}
	return 0;
}

/* A library may go after its functions were found: then there is nothing to write, and no error. */
static bool is_unmapped(struct proc *p, taddr_t pc, bool *is_fresh)
{
	const struct vma *v;

	if (!*is_fresh)
		*is_fresh = vmmap_read(&p->maps, proc_live_tid(p)) == 0;
	v = vmmap_at(&p->maps, pc);
	return *is_fresh && (!v || !v->exec);
}

static int arm_failed(const struct proc *p, const struct site *s, int code, struct err *err)
{
	if (code == -EAGAIN)
		return err_set(err, -EBUSY, "the code at 0x%lx of process %d has changed meanwhile",
			       s->pc, p->pid);
	return err_set(err, code, "cannot write a breakpoint at 0x%lx of process %d: %s", s->pc,
		       p->pid, strerror(-code));
}

static int arm(struct proc *p, struct site **sites, size_t n, struct err *err)
{
	struct patch *v;
	bool is_fresh = false;
	int rc = slot_write(p, sites, n);

	if (rc)
		return err_set(err, rc, "cannot write code for process %d: %s", p->pid,
			       strerror(-rc));
	qsort(sites, n, sizeof(struct site *), by_pc);
	rc = arm_journal(p, sites, n, err);
	if (rc)
		return rc;
	sorted_merge(p, sites, n);
	for (size_t i = 0; i < n; i++)
		write_tail(p->mem_fd, sites[i], nop3);
	v = xcalloc(n, sizeof(*v));
	fill_patches(v, sites, n, true);
	mem_patch(p->mem_fd, v, n);
	for (size_t i = 0; i < n; i++) {
		struct site *s = v[i].tag;

		if (!v[i].error) {
			s->state = SITE_ARMED;
			continue;
		}
		journal_del(p->tracer->journal, p->pid, s->journal);
		s->journal = -1;
		if (!is_unmapped(p, s->pc, &is_fresh))
			rc = arm_failed(p, s, v[i].error, err);
	}
	free(v);
	return rc;
}

/* Those that are armed in [start, end), where the program's own bytes stand since. */
void bkpt_write_again(struct proc *p, taddr_t start, taddr_t end)
{
	struct patch *v = xcalloc(p->nsorted ? p->nsorted : 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < p->nsorted; i++) {
		struct site *s = p->sorted[i];

		if (s->state != SITE_ARMED || s->pc < start || s->pc >= end)
			continue;
		write_tail(p->mem_fd, s, nop3);
		n += fill_patches(v + n, &p->sorted[i], 1, true);
	}
	mem_patch(p->mem_fd, v, n);
	free(v);
}

/* Moves the sites that lie in code still to the front; returns how many they are. */
static size_t still_code(struct proc *p, struct site **sites, size_t n)
{
	bool is_fresh = false;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct site *s = sites[i];
		const struct vma *v;

		if (may_be_data(p, s) && !is_fresh)
			is_fresh = vmmap_read(&p->maps, proc_live_tid(p)) == 0;
		v = is_fresh ? vmmap_at(&p->maps, s->pc) : NULL;
		if (is_fresh && (!v || !v->exec))
			continue;
		sites[i] = sites[kept];
		sites[kept++] = s;
	}
	return kept;
}

/* Puts bytes back where they are still ours; the sites become tombstones. */
static void restore(struct proc *p, struct site **sites, size_t n)
{
	struct patch *v = xcalloc(n ? n : 1, sizeof(*v));
	size_t ncode = still_code(p, sites, n);

	qsort(sites, ncode, sizeof(struct site *), by_pc);
	fill_patches(v, sites, ncode, false);
	mem_patch(p->mem_fd, v, ncode);
	for (size_t i = 0; i < n; i++) {
		struct site *s = sites[i];

		if (i < ncode && !v[i].error)
			write_tail(p->mem_fd, s, s->plan.bytes + 1);
		journal_del(p->tracer->journal, p->pid, s->journal);
		s->journal = -1;
		s->state = SITE_GONE;
	}
	free(v);
}

static void free_deferred(struct proc *p)
{
	struct bkpt *b;

	if (p->tracer->in_hit)
		return;
	while ((b = p->deferred)) {
		p->deferred = b->deferred_next;
		free(b);
	}
}

int bkpt_commit(struct proc *p, struct err *err)
{
	struct site **list = xcalloc(p->ndirty ? p->ndirty : 1, sizeof(struct site *));
	size_t nout = 0, nin = 0;
	int r = 0;

	for (size_t i = 0; i < p->ndirty; i++) {
		p->dirty[i]->dirty = false;
		if (p->dirty[i]->state == SITE_ARMED && !p->dirty[i]->first)
			list[nout++] = p->dirty[i];
	}
	restore(p, list, nout);
	for (size_t i = 0; i < p->ndirty; i++)
		if (p->dirty[i]->state != SITE_ARMED && p->dirty[i]->first)
			list[nin++] = p->dirty[i];
	if (nin && p->is_fresh)
		r = attach_again(p, err);
	if (nin && !r)
		r = arm(p, list, nin, err);
	if (r && mem_is_gone(p->mem_fd)) {
		if (err)
			err->code = 0;
		r = 0;
	}
	p->ndirty = 0;
	p->page_addr = 1;
	free(list);
	free_deferred(p);
	return r;
}

#define RESTORED_AT_ONCE 4096

void bkpt_restore_all(struct proc *p)
{
	struct site **list = xcalloc(p->nsorted ? p->nsorted : 1, sizeof(struct site *));
	size_t n = 0;

	for (size_t i = 0; i < p->nsorted; i++)
		if (p->sorted[i]->state == SITE_ARMED)
			list[n++] = p->sorted[i];
	if (n)
		stage_begin(STAGE_TAKING_OUT, n);
	for (size_t i = 0; i < n; i += RESTORED_AT_ONCE) {
		restore(p, list + i, MIN(n - i, RESTORED_AT_ONCE));
		stage_reach(MIN(n, i + RESTORED_AT_ONCE), n, NULL);
	}
	if (n)
		stage_end();
	free(list);
}

void bkpt_restore_in(const struct proc *p, int fd)
{
	struct patch *v = xcalloc(p->nsorted ? p->nsorted : 1, sizeof(*v));

	/* Tombstones too: the copy may have been made before they became that. */
	fill_patches(v, p->sorted, p->nsorted, false);
	mem_patch(fd, v, p->nsorted);
	for (size_t i = 0; i < p->nsorted; i++)
		if (!v[i].error)
			write_tail(fd, p->sorted[i], p->sorted[i]->plan.bytes + 1);
	free(v);
}

void bkpt_hide(const struct proc *p, taddr_t addr, uint8_t *buf, size_t n)
{
	size_t lo = 0, hi = p->nsorted;
	taddr_t first = addr > 3 ? addr - 3 : 0; /* a patch is at most four bytes long */

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->sorted[mid]->pc < first)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < p->nsorted && p->sorted[lo]->pc < addr + n; lo++) {
		const struct site *s = p->sorted[lo];

		for (unsigned k = 0; s->state == SITE_ARMED && k < s->patch_len; k++)
			if (s->pc + k >= addr && s->pc + k < addr + n)
				buf[s->pc + k - addr] = s->plan.bytes[k];
	}
}

bool bkpt_is_in(const struct proc *p, taddr_t start, taddr_t end)
{
	for (; start < end; start++) {
		const struct site *s = hash_get(&p->sites, start);

		if (s && (s->first || s->state == SITE_ARMED))
			return true;
	}
	return false;
}

bool bkpt_find(const struct proc *p, bool (*fn)(taddr_t, void *), void *arg)
{
	const struct site *s;
	uint64_t pc;

	for (size_t i = 0; (s = hash_each(&p->sites, &i, &pc));)
		if ((s->first || s->state == SITE_ARMED) && fn(pc, arg))
			return true;
	return false;
}

static void free_bkpts(struct bkpt *b)
{
	while (b) {
		struct bkpt *next = b->next;

		free(b);
		b = next;
	}
}

void bkpt_release(struct proc *p)
{
	struct site *s;
	uint64_t pc;

	for (size_t i = 0; (s = hash_each(&p->sites, &i, &pc));) {
		free_bkpts(s->first);
		free(s);
	}
	hash_release(&p->sites);
	hash_init(&p->sites);
	free_deferred(p);
	free(p->sorted);
	free(p->dirty);
	p->sorted = p->dirty = NULL;
	p->nsorted = p->sorted_room = p->ndirty = p->dirty_room = 0;
	p->page_addr = 1;
	journal_forget(p->tracer->journal, p->pid);
}

void bkpt_take_out(struct proc *p, struct site *s)
{
	restore(p, &s, 1);
}

void bkpt_del_now(struct bkpt *b)
{
	struct site *s = b->site;

	unlink_bkpt(b);
	if (!s->first && s->state == SITE_ARMED)
		bkpt_take_out(b->proc, s);
}
