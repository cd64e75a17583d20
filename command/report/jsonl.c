/* jsonl.c: all aggregations as JSON: as lines that can be merged (dlang/print/aggjson.h), and as -x
 * oformat=json has them. */
#include "base/clock.h"
#include "command/report/report_priv.h"
#include "dlang/print/aggjson.h"
#include "dlang/print/structured.h"

/* Of what lines were divided by: values here are not. */
static uint64_t normal_of(const struct aggstore *lines, uint32_t i)
{
	return lines && i < lines->ncopies && lines->copies[i] ? lines->copies[i]->normal : 1;
}

void report_jsonl(struct report *r)
{
	const struct aggstore *aggs = r->data->aggs;
	struct aggjson_state state = {.seq = 1, .is_final = true, .time_ns = now_mono()};
	struct aggjson l;

	aggjson_init(&l, r->data->session, &r->data->pr, &r->out);
	aggjson_run(&l, r->data->began_ns);
	for (uint32_t i = 0; i < aggs->ncopies; i++) {
		if (!aggs->copies[i])
			continue;
		state.normal = normal_of(r->data->lines, i);
		aggjson_add(&l, aggs->copies[i], &state);
	}
	aggjson_end(&l, r->data->nrecords);
	aggjson_release(&l);
}

void report_json(struct report *r)
{
	structured_report(r->data->session, r->data->aggs, &r->data->pr, &r->out);
}
