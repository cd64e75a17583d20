/* pid_tails.c: -v: which functions return by a jump to another one. */
#include "base/hash.h"
#include "base/strbuf.h"
#include "providers/pid/pid_priv.h"

#define NAMED 10

static bool has_jump(const struct pid_site *site)
{
	struct objfile *o = site->func ? module_objfile(site->mod, NULL) : NULL;
	const struct retsite *rets;
	bool decoded;
	unsigned n = o && !site->is_resolver ? objfile_retsites(o, site->func, &rets, &decoded) : 0;

	while (n--)
		if (rets[n].is_jump)
			return true;
	return false;
}

static void tell(struct session *s, const struct strbuf *names, unsigned n)
{
	char more[32] = "";

	if (n > NAMED)
		snprintf(more, sizeof(more), " and %u more", n - NAMED);
	session_message(s, MSG_ERR, true,
			"%u function%s by a jump to another (a tail call), where arg1 is not the "
			"result yet: %s%s",
			n, n == 1 ? " returns" : "s return", names->s, more);
}

void pid_tell_tail_calls(struct world *w)
{
	const struct pid_world *pw = w->pid;
	struct hash seen;
	struct strbuf names;
	unsigned n = 0;

	hash_init(&seen);
	strbuf_init(&names);
	for (const struct pid_proc *pp = pw ? pw->procs : NULL; pp; pp = pp->next)
		for (struct pid_site *site = pp->sites; site; site = site->next_in_proc) {
			bool is_armed = site->bkpts || site_is_held(site);

			if (site->probe->kind != PID_RETURN || !is_armed ||
			    hash_get(&seen, (uintptr_t)site->func) || !has_jump(site))
				continue;
			hash_put(&seen, (uintptr_t)site->func, site);
			if (n++ < NAMED)
				strbuf_addf(&names, "%s%s`%s", n > 1 ? ", " : "", site->mod->name,
					    site->probe->probe->func);
		}
	if (n)
		tell(w->session, &names, n);
	strbuf_release(&names);
	hash_release(&seen);
}
