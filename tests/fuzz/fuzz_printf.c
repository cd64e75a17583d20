/*
 * A format of printf or printa: parsing ends, every directive it gives is well-formed, and printing
 * a record of arguments that the conversions accept ends too.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "base/arena.h"
#include "dlang/print/printagg.h"
#include "dlang/print/printf.h"

/* clang-format off */
static const struct type
	t_short = {.kind = TYPE_INT, .size = 2},
	t_int = {.kind = TYPE_INT, .size = 4, .is_signed = true},
	t_long = {.kind = TYPE_INT, .size = 8, .is_signed = true},
	t_ulong = {.kind = TYPE_INT, .size = 8},
	t_ldouble = {.kind = TYPE_FLOAT, .size = 16},
	t_string = {.kind = TYPE_STRING, .size = 16},
	t_ints = {.kind = TYPE_ARRAY, .size = 16, .ref = &t_int, .nelems = 4},
	t_stack = {.kind = TYPE_STACK, .size = 16},
	t_usym = {.kind = TYPE_USYMADDR, .size = 16};

static const struct rec recs[] = {
	{.kind = REC_INT, .size = 2, .type = &t_short},
	{.kind = REC_INT, .size = 4, .type = &t_int},
	{.kind = REC_INT, .size = 8, .type = &t_long},
	{.kind = REC_INT, .size = 8, .type = &t_ulong},
	{.kind = REC_BYTES, .size = 16, .type = &t_ldouble},
	{.kind = REC_STRING, .size = 16, .type = &t_string},
	{.kind = REC_BYTES, .size = 16, .type = &t_ints},
	{.kind = REC_USTACK, .size = 16, .type = &t_stack, .arg = 1},
	{.kind = REC_UADDR, .size = 16, .type = &t_usym},
};
/* clang-format on */

static const char payload[16] = "ab\n\xff\x01z\"\\?%d";

static const struct rec *rec_for(const struct pconv *conv)
{
	for (unsigned i = 0; i < ARRAY_SIZE(recs); i++)
		if (conv->accepts(recs[i].type, true))
			return &recs[i];
	abort(); /* a conversion that nothing can be given to */
}

static void print(struct arena *a, const struct pfmt *fmt)
{
	static const struct aggvar var = {.name = "a", .func = &aggfunc_sum, .nwords = 1};
	const uint64_t sum = 42;
	const struct aggvalue value = {.var = &var, .data = &sum, .normal = 1};
	struct rec *args = arena_alloc(a, (3 * fmt->ndirs + 1) * sizeof(*args));
	struct options options;
	struct strbuf out;
	struct printer pr = {.out = &out, .options = &options};
	struct pargs pargs = {.recs = args, .data = payload, .aggs = &value, .naggs = 1};

	options_init(&options);
	strbuf_init(&out);
	for (unsigned i = 0; i < fmt->ndirs; i++) {
		const struct pdir *d = &fmt->dirs[i];

		if (d->flags & PF_DYNWIDTH)
			args[pargs.n++] = recs[0]; /* short: not too wide */
		if (d->flags & PF_DYNPREC)
			args[pargs.n++] = recs[0];
		if (d->conv && !(d->flags & PF_AGG))
			args[pargs.n++] = *rec_for(d->conv);
	}
	pfmt_print(&pr, fmt, &pargs);
	strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct pfmt *fmt;
	size_t length = 0; /* of what is printed, roughly */
	struct arena a;
	struct err err;

	arena_init(&a);
	err.text[0] = '\0';
	if (pfmt_parse(&a, arena_strndup(&a, (const char *)data, n), &fmt, &err) < 0) {
		if (!err.text[0])
			abort();
	} else {
		for (unsigned i = 0; i < fmt->ndirs; i++) {
			const struct pdir *d = &fmt->dirs[i];

			if (!d->prefix || (d->conv && !d->spec))
				abort();
			length += (size_t)d->width + (size_t)d->prec;
			/* %@s is refused by the compiler */
			if (d->conv && (d->flags & PF_AGG) && !d->conv->accepts(&t_long, true))
				length = SIZE_MAX / 2;
		}
		if (length < 64 << 20)
			print(&a, fmt);
	}
	arena_release(&a);
	return 0;
}
