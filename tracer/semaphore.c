/* The semaphores of static probes: raised while we are there, one journal entry each. */
#include "tracer/tracer_priv.h"

#include <errno.h>
#include <stdlib.h>

struct semaphore {
	struct semaphore *next;
	taddr_t addr;
	unsigned refs;
	int32_t journal;
};

static struct semaphore **find(struct proc *p, taddr_t addr)
{
	struct semaphore **at = &p->semaphores;

	while (*at && (*at)->addr != addr)
		at = &(*at)->next;
	return at;
}

static void drop(struct proc *p, struct semaphore **at)
{
	struct semaphore *sem = *at;

	journal_del_count(p->tracer->journal, sem->journal);
	*at = sem->next;
	free(sem);
}

int proc_raise_semaphore(struct proc *p, taddr_t addr, struct err *err)
{
	struct semaphore *sem = *find(p, addr);
	uint16_t now;
	int32_t note;

	if (sem) {
		sem->refs++;
		return 0;
	}
	if (target_read(&p->target, addr, &now, sizeof(now)) != sizeof(now) || now == UINT16_MAX)
		return err_set(err, -EFAULT, "its semaphore at 0x%lx cannot be raised", addr);
	note = journal_add_count(p->tracer->journal, p->pid, p->mem_fd, addr);
	if (note < 0)
		return err_set(err, -ENOMEM, "more than %u semaphores are raised", JOURNAL_COUNTS);
	now++;
	/* a note may say anything: never over the page protection */
	if (target_write(&p->target, addr, &now, sizeof(now)) != sizeof(now)) {
		journal_del_count(p->tracer->journal, note);
		return err_set(err, -EFAULT, "its semaphore at 0x%lx cannot be written", addr);
	}
	sem = xcalloc(1, sizeof(*sem));
	*sem = (struct semaphore){p->semaphores, addr, 1, note};
	p->semaphores = sem;
	return 0;
}

void proc_lower_semaphore(struct proc *p, taddr_t addr, bool is_unmapped)
{
	struct semaphore **at = find(p, addr);

	if (!*at || --(*at)->refs)
		return;
	if (!is_unmapped)
		journal_lower(p->mem_fd, addr);
	drop(p, at);
}

void semaphores_lower_in(const struct proc *p, int mem_fd)
{
	for (const struct semaphore *sem = p->semaphores; sem; sem = sem->next)
		journal_lower(mem_fd, sem->addr);
}

void semaphores_lower_all(struct proc *p)
{
	semaphores_lower_in(p, p->mem_fd);
	semaphores_forget(p);
}

void semaphores_forget(struct proc *p)
{
	while (p->semaphores)
		drop(p, &p->semaphores);
}
