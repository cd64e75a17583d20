#include "tracer/janitor/janitor.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

#include "tracer/tracer_priv.h"
#include "tracer/mem.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/regs.h"

#define LOOK_NS	   5000000L
#define OTHERS_NS  5000000000L
#define AGAIN_NS   500000000L /* what was in the way may be gone before we know what it was */
#define HALT_TRIES 3
#define LONG_JUMP  0xe9

static bool is_in(taddr_t pc, void *arg)
{
	const struct journal_memory *m = arg;

	return pc >= m->start && pc < m->start + m->size;
}

/* A system call that was made in a slot, and interrupted, begins again when the thread is stepped.
 */
static bool is_called_from(struct thread *t, struct journal_memory *m)
{
	const struct user_regs_struct *r = regs_all(&t->regs);

	return !r || (is_in(r->rip, m) && (int64_t)r->orig_rax >= 0);
}

static void see_word(UNUSED taddr_t word, bool is_saved_pc, void *arg)
{
	bool *is_used = arg;

	*is_used |= is_saved_pc;
}

/* Nobody is in a slot, nor comes back to one: what a slot pushes is the program's own address, only
 * the frame of a signal may hold one of a slot. */
static bool is_unused(struct proc *p, struct journal_memory *m)
{
	bool is_used = false;

	for (struct thread *t = p->threads; t; t = t->next)
		if (is_called_from(t, m))
			return false;
	return proc_move_out(p, is_in, m) &&
	       !proc_stack_words(p, m->start, m->start + m->size, see_word, &is_used) && !is_used;
}

/* It is noted before it is mapped: is it there? */
static bool is_mapped(struct proc *p, const struct journal_memory *m)
{
	const struct vma *v =
		vmmap_read(&p->maps, proc_live_tid(p)) < 0 ? NULL : vmmap_at(&p->maps, m->start);

	return v && v->end - m->start >= m->size && v->exec && !v->write && !v->ino;
}

bool janitor_unmap(struct proc *p, taddr_t start, uint64_t size)
{
	const uint64_t args[6] = {start, size};
	int64_t got;

	return proc_syscall(p, SYS_munmap, args, &got) == 0 && got == 0;
}

bool janitor_free_code(struct proc *p, taddr_t start, uint64_t size)
{
	struct journal_memory m = {.start = start, .size = size};

	return proc_is_still(p) && is_unused(p, &m) && janitor_unmap(p, start, size);
}

/* False: something of it stays, because a thread may come back to it. */
static bool unmap_memory(const struct journal *j, struct proc *p)
{
	bool all = true;

	for (unsigned i = 0; i < JOURNAL_MEMORY; i++) {
		struct journal_memory m = j->memory[i];

		if (m.pid != p->pid || !is_mapped(p, &m))
			continue;
		all &= janitor_free_code(p, m.start, m.size);
	}
	return all;
}

/* What trampolines count and record in; after them. */
static void unmap_files(const struct journal *j, struct proc *p)
{
	if (vmmap_read(&p->maps, proc_live_tid(p)) < 0)
		return;
	for (size_t i = 0; i < p->maps.n; i++) {
		const struct vma *v = &p->maps.v[i];

		if (v->ino && journal_has_file(j, p->pid, v->path))
			janitor_unmap(p, v->start, v->end - v->start);
	}
}

/* Where a short jump has led to, another one comes next, and not what it has replaced. */
struct islands {
	const struct journal *j;
	struct proc *p;
	bool is_used;
};

static bool is_island(taddr_t pc, void *arg)
{
	const struct islands *is = arg;
	uint8_t code;

	return mem_read(is->p, pc, &code, 1) == 1 && code == LONG_JUMP &&
	       journal_is_island(is->j, is->p->pid, pc);
}

static void see_island(taddr_t word, bool is_saved_pc, void *arg)
{
	struct islands *is = arg;

	is->is_used |= is_saved_pc && is_island(word, arg);
}

static bool leave_islands(const struct journal *j, struct proc *p)
{
	struct islands is = {.j = j, .p = p};
	taddr_t lo, hi;

	if (!journal_islands(j, p->pid, &lo, &hi))
		return true;
	if (!proc_move_out(p, is_island, &is))
		return false;
	proc_stack_words(p, lo, hi, see_island, &is);
	return !is.is_used;
}

static void clean(void *arg, struct proc *p)
{
	const struct journal *j = arg;

	/* A thread that runs would see half of what is written; with the hooks it goes on. So does
	 * one that comes back to what is none of its code. */
	if ((!p->is_halted && !proc_is_still(p)) || !leave_islands(j, p))
		return;
	journal_restore_detours(j, p->pid, p->mem_fd);
	if (unmap_memory(j, p))
		unmap_files(j, p);
}

/* Where another tracer has come first it is given some time. */
static int attach_retrying(struct tracer *tr, pid_t pid, struct proc **p)
{
	const struct timespec nap = {.tv_nsec = LOOK_NS};
	struct err err;
	int r;

	for (long ns = 0; (r = tracer_attach(tr, pid, EVALTIME_EXEC, p, &err)) < 0; ns += LOOK_NS) {
		uint64_t tracer = 0;

		if (r == -ESRCH || !procfs_status(pid, "TracerPid", 10, &tracer) ||
		    ns > (tracer ? OTHERS_NS : AGAIN_NS))
			break;
		nanosleep(&nap, NULL);
	}
	return r;
}

void janitor_clean(struct journal *j)
{
	static const struct tracer_ops ops = {.leaving = clean};
	struct tracer *tr = NULL;

	for (pid_t pid = 0; (pid = journal_next_changed(j, pid));) {
		struct proc *p;
		struct err err;

		if (!tr)
			tr = tracer_new(&ops, j, j);
		if (attach_retrying(tr, pid, &p) < 0)
			continue;
		for (int i = 0; i < HALT_TRIES && proc_halt(p, &err) < 0; i++)
			;
		tracer_detach(p);
	}
	tracer_free(tr);
}
