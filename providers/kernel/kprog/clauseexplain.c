#include "providers/kernel/kprog/clauseexplain.h"

#include <string.h>

#include "base/structout.h"
#include "dlang/offload/places.h"
#include "dlang/session_engine.h"

static void say(struct structout *so, const char *name, const char *text)
{
	so_string(so, name, text, strlen(text), false);
}

/* A line of JSON. */
static void say_clause(struct session *s, const char *desc, int line, const char *why,
		       const char *instead)
{
	struct strbuf text;
	struct structout so;

	strbuf_init(&text);
	so_init(&so, &text, SO_JSON);
	so_item(&so, "");
	say(&so, "explain", "clause");
	say(&so, "description", desc);
	so_number(&so, "line", line, false);
	say(&so, "place", why ? "records" : "kernel");
	if (why)
		say(&so, "why", why);
	if (instead)
		say(&so, "instead", instead);
	so_close(&so, "");
	session_message(s, MSG_BARE, false, "%s", text.s);
	strbuf_release(&text);
}

void clause_explain(struct session *s, const struct clause *c, const char *why)
{
	int64_t how = opt(&s->options, OPT_EXPLAIN);
	const char *instead = why ? refusal_instead(why) : NULL;
	int line = c->nstmts ? c->stmts[0].line : 0;
	char desc[1024];

	if (how != EXPLAIN_ON && how != EXPLAIN_JSON)
		return;
	probe_desc_text(c->desc, desc, sizeof(desc));
	if (how == EXPLAIN_JSON)
		say_clause(s, desc, line, why, instead);
	else
		session_message(s, MSG_ERR, false, "explain: the clause of %s at line %d: %s%s%s%s",
				desc, line, why ? "makes records: " : "is kept in the kernel",
				why ? why : "", instead ? "; instead: " : "",
				instead ? instead : "");
}
