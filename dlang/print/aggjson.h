/*
 * aggjson.h: aggregations as lines of JSON, with what their values are made of and not what is
 * printed of them: lines of several runs can be added up (`--merge`). Each line names its run: they
 * may be mixed.
 *
 *   {"type":"run", "run":R, "v":1, "version", "host", "boot_id", "kernel", "mono_ns", "wall_ns",
 * "argv", "script", "pid", "targets":[{"pid", "execname"}]}
 *   {"type":"module", "run":R, "name", "id"}: the build-id of a file that frames of stacks are in
 *   {"type":"agg", "run":R, "name", "func", "params":[], "keys":[{"name","kind",...}], "unit",
 * "id", "normal", "t", "seq", "final", "cleared", "truncated", "rows"}
 *   {"type":"row", "run":R, "agg":NAME, "seq", "k":[keys], partials}
 *   {"type":"end", "run":R, "exit", "records", "rows", "drops", "mono_ns"}
 *
 * Partials: count, sum, min, max: raw; avg: n, raw; stddev: n, raw, sq (the sum of squares as it is
 * kept: 128 bits, 32 hexadecimal digits); histograms: b (lower bound: count), under (what has no
 * lower bound), over (no upper one), sum (of the values; where there is one). Keys: numbers, texts
 * ({"b64":...} where they are no UTF-8), stacks {"s":[[module, function, offset]...], "p":pid}, the
 * innermost first; without a name function is "", and offset the address.
 */
#ifndef DLANG_PRINT_AGGJSON_H
#define DLANG_PRINT_AGGJSON_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "dlang/print/aggstore.h"
#include "dlang/print/printval.h"
#include "dlang/session.h"

#define AGGJSON_VERSION 1

struct aggjson {
	const struct session *session;
	struct printer pr; /* out: where the lines go */
	char run[17];	   /* 16 hexadecimal digits; of no other run, of whatever machine */
	uint64_t nrows;	   /* of all lines so far */
	/* private: modules that have had a line, and lines of others, which come before the rows */
	struct strmap modules;
	struct strbuf told;
};

void aggjson_init(struct aggjson *, const struct session *, const struct printer *,
		  struct strbuf *out);
void aggjson_release(struct aggjson *);
void aggjson_begin_line(const struct aggjson *, const char *type);
/* The run, which began then by the realtime clock; 0: it begins now. */
void aggjson_run(const struct aggjson *, uint64_t began_ns);

/* What a snapshot is. */
struct aggjson_state {
	uint64_t seq, time_ns;
	uint64_t normal;
	bool is_final; /* the last one of the run */
	bool is_cleared, is_cut;
};
void aggjson_add(struct aggjson *, struct aggcopy *, const struct aggjson_state *);
void aggjson_end(const struct aggjson *, uint64_t nrecords);

#endif
