#include "providers/fpid/fpid_tally.h"

static const char *const nouns[] = {
	[FPID_FUNCTIONS] = "function",
	[FPID_INSNS] = "instruction",
};

static unsigned total(const struct fpid_tally *t)
{
	return t->hooked + t->armed + t->refused;
}

void fpid_tally_add(struct fpid_tally *to, const struct fpid_tally *t)
{
	if (!to->why.code)
		to->why = t->why;
	to->hooked += t->hooked;
	to->armed += t->armed;
	to->refused += t->refused;
}

void fpid_tally_report(struct session *s, const char *whose, const struct fpid_tally *t,
		       enum fpid_noun noun)
{
	unsigned n = total(t);
	char refused[48] = "", why[sizeof(t->why.text) + 16] = "";

	if (!n)
		return;
	if (t->refused)
		snprintf(refused, sizeof(refused), ", %u refused", t->refused);
	if (t->armed + t->refused)
		snprintf(why, sizeof(why), "; the first: %s", t->why.text);
	session_message(s, MSG_ERR, !t->refused, "fpid: %s%u %s%s: %u hooked, %u by breakpoint%s%s",
			whose, n, nouns[noun], n == 1 ? "" : "s", t->hooked, t->armed, refused,
			why);
}

/* What resolvers choose one by one is told together, at the end; so is what children run. */
void fpid_tally_tell(struct session *s, struct pid_proc *pp, const struct fpid_tally *t,
		     enum fpid_noun noun)
{
	struct fpid_tally *later =
		pp->root ? &pp->pw->fpid->followed[noun] : &pp->fpid->later[noun];

	if (!total(t))
		return;
	if (!pp->root && (!pp->fpid->is_told[noun] || total(t) > 1)) {
		fpid_tally_report(s, "", t, noun);
		pp->fpid->is_told[noun] = true;
		return;
	}
	fpid_tally_add(later, t);
}
