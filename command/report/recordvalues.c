#include "command/report/recordvalues.h"

#include "dlang/print/printf.h"

static bool is_value(const struct action *act)
{
	return act->kind == ACT_STACK || act->kind == ACT_USTACK ||
	       (act->kind == ACT_RECORD && act->rec.kind != REC_POINTEE);
}

void record_read(const struct clause *clause, const char *data, const struct record_reader *reader,
		 void *arg)
{
	for (unsigned i = 0; i < clause->nstmts; i++) {
		const struct stmt *st = &clause->stmts[i];

		if (st->kind == STMT_PRINTF)
			reader->printed(arg, st, data);
		for (unsigned k = 0; k < st->nacts; k++)
			if (is_value(&st->acts[k]))
				reader->value(arg, st, &st->acts[k], data);
	}
}

void record_add_printed(const struct printer *pr, struct strbuf *out, const struct stmt *st,
			const char *data)
{
	const struct pargs args = {.acts = st->acts, .n = st->nacts, .data = data};
	struct printer to = *pr;

	to.out = out;
	pfmt_print(&to, st->fmt, &args);
}
