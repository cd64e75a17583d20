#include "providers/pid/site.h"

void sites_use(struct pid_world *pw, const struct site_ops *ops)
{
	unsigned i = 0;

	while (pw->kinds[i] && pw->kinds[i] != ops)
		i++;
	if (pw->kinds[i])
		return;
	pw->kinds[i] = ops;
	if (ops->begin)
		ops->begin(pw);
	for (struct pid_proc *pp = pw->procs; pp && ops->added; pp = pp->next)
		ops->added(pp);
}

void sites_end(struct pid_world *pw)
{
	for (const struct site_ops *const *k = pw->kinds; *k; k++)
		if ((*k)->end)
			(*k)->end(pw);
}

void sites_added(struct pid_proc *pp)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->added)
			(*k)->added(pp);
}

void sites_removed(struct pid_proc *pp)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->removed)
			(*k)->removed(pp);
}

bool site_is_held(const struct pid_site *site)
{
	const struct site_ops *ops = site->probe->ops;

	return ops->holds && ops->holds(site);
}

void sites_fire(struct pid_proc *pp, struct event *ev)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->fire && (*k)->fire(pp, ev))
			return;
	event_fire(ev->probe->session, ev);
}

void sites_make_way(struct pid_proc *pp, taddr_t pc)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->make_way)
			(*k)->make_way(pp, pc);
}

void sites_copy_begins(struct fork_copy *copy)
{
	for (const struct site_ops *const *k = copy->child->pw->kinds; *k; k++)
		if ((*k)->copy_begins)
			(*k)->copy_begins(copy);
}

void sites_copy_ends(struct fork_copy *copy)
{
	for (const struct site_ops *const *k = copy->child->pw->kinds; *k; k++)
		if ((*k)->copy_ends)
			(*k)->copy_ends(copy);
}

int sites_settle(struct session *s, struct pid_proc *pp, struct err *err)
{
	int r = 0;

	for (const struct site_ops *const *k = pp->pw->kinds; *k && !r; k++)
		if ((*k)->settle)
			r = (*k)->settle(s, pp, err);
	return r;
}

void sites_unmapped(struct pid_proc *pp, const struct hash *functions)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->unmapped)
			(*k)->unmapped(pp, functions);
}

void sites_collect(struct pid_proc *pp)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->collect)
			(*k)->collect(pp);
}

void sites_forget(struct pid_proc *pp)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->forget)
			(*k)->forget(pp);
}

uint64_t sites_poll(struct world *w)
{
	uint64_t next_ns = UINT64_MAX;

	for (const struct site_ops *const *k = pid_world_of(w)->kinds; *k; k++)
		if ((*k)->poll)
			next_ns = MIN(next_ns, (*k)->poll(w));
	return next_ns;
}

void sites_part(struct session *s, struct pid_proc *pp)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->part)
			(*k)->part(s, pp);
}

void sites_leave(struct session *s, struct pid_proc *pp)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->leave)
			(*k)->leave(s, pp);
}

void sites_born(struct pid_proc *pp, struct thread *t, taddr_t tcb)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->born)
			(*k)->born(pp, t, tcb);
}

void sites_left(struct pid_proc *pp, struct thread *t)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->left)
			(*k)->left(pp, t);
}

void sites_forked(struct pid_proc *pp, taddr_t tcb, int mem_fd)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->forked)
			(*k)->forked(pp, tcb, mem_fd);
}

bool sites_have_code(const struct pid_proc *pp, taddr_t pc)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->has_code && (*k)->has_code(pp, pc))
			return true;
	return false;
}

void sites_faulted(struct pid_proc *pp, struct code_fault *f)
{
	for (const struct site_ops *const *k = pp->pw->kinds; *k; k++)
		if ((*k)->faulted)
			(*k)->faulted(pp, f);
}
