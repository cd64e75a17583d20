/*
 * metricnames.h: what the metric of an aggregation is called, and which names its samples have.
 * Names of D and of metrics are not the same words, so that two aggregations may come to one.
 */
#ifndef COMMAND_REPORT_METRICNAMES_H
#define COMMAND_REPORT_METRICNAMES_H

#include "base/hash.h"
#include "command/report/report_priv.h"

/* A name as metrics and labels have it. */
void metric_add_word(struct strbuf *, const char *);
/* Of an aggregation; *unit: the one whose base is part of it, or none. */
void metric_add_name(struct strbuf *, const struct options *, const struct aggvar *,
		     struct unit *unit);

/* Names that are taken, and by which aggregation. */
struct metric_names {
	struct strmap by_name;
};
void metric_names_init(struct metric_names *); /* with those of the run itself */
void metric_names_release(struct metric_names *);
/*
 * Takes all that the samples of an aggregation have. 0, or -EEXIST with a sentence when one of them
 * is taken: then none is.
 */
int metric_names_take(struct metric_names *, const struct options *, const struct aggvar *,
		      struct err *);

#endif
