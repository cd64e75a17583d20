/*
 * pushdown.h: what the predicates of a probe ask for, as tests that a source of events can make
 * where the event happens, so that the rest is left out there, as far as that
 * provably means the same. Tests are nodes of a graph whose edges lead forward to others, or out of
 * it:
 *
 *     pid == 3 && (arg0 < 5 || tid == 7)
 *
 *         [pid == 3] -yes-> [arg0 < 5] -yes-----------------> PASS
 *              |no               |no
 *              v                 v
 *            STOP           [tid == 7] -yes-> PASS, -no-> STOP
 *
 * An event that the filter stops would do nothing in D. One that passes may, unless the filter is
 * exact: then all clauses' predicates hold for it.
 */
#ifndef DLANG_OFFLOAD_PUSHDOWN_H
#define DLANG_OFFLOAD_PUSHDOWN_H

#include "dlang/session.h"

enum filter_op {
	FILTER_EQ,
	FILTER_LT, /* signed, 64 bits */
	FILTER_LE,
	FILTER_LTU, /* unsigned */
	FILTER_LEU,
	FILTER_AND, /* any of these bits */
};

struct filter_test {
	enum {
		FILTER_BUILTIN, /* id: BUILTIN_PID ... */
		FILTER_FIELD,	/* what lies at args[id] + off */
	} of;
	unsigned id;
	int64_t off;
	unsigned size; /* of the number that is loaded; 0: a text lies there */
	bool is_signed;
	enum filter_op op;
	uint64_t value;
	const char *text; /* instead of the value: FILTER_EQ only; lives as long as the session */
};

/* Places of the graph. */
#define FILTER_NODES 24
#define FILTER_STOP  254
#define FILTER_PASS  255

struct filter_node {
	struct filter_test test;
	uint8_t yes, no; /* a node before this one, or FILTER_STOP, FILTER_PASS */
};

struct filter {
	struct filter_node nodes[FILTER_NODES];
	unsigned n;
	uint8_t root; /* FILTER_PASS: nothing is left out */
	bool is_exact;
};

/* How a source's test of something compares with D's comparison. */
enum filter_means {
	FILTER_UNKNOWN,
	FILTER_NECESSARY, /* it holds at least where D's does */
	FILTER_EQUAL,
};

/* What a source can do. */
struct filter_source {
	enum filter_means (*means)(void *arg, const struct filter_test *);
	void *arg;
	bool has_records; /* args[n] lead into a record: reading it never faults */
};

/* One that stops all, to which probes are added; exact. */
void filter_init(struct filter *);
/*
 * What passes before, or for what the enabled clauses of the probe ask. It stays exact while that
 * is the same for all of them. A predicate that asks for what the source cannot tell, or that is
 * too large, lets more pass.
 */
void filter_add(struct filter *, const struct probe *, const struct filter_source *);

/* Nothing is left out. */
static inline bool filter_passes_all(const struct filter *s)
{
	return s->root == FILTER_PASS;
}

/*
 * What an expression is, where it is one thing that a source of events may have at hand: a number,
 * a built-in variable, or an integer in the record that args[id] leads into; of the latter two
 * perhaps only the bits of a mask.
 */
struct operand {
	enum {
		OPERAND_CONST,	 /* value */
		OPERAND_BUILTIN, /* id: BUILTIN_PID ... */
		OPERAND_FIELD,	 /* what lies at args[id] + off */
	} of;
	unsigned id, size; /* size: of the number that is loaded */
	int64_t off;
	uint64_t value, mask; /* mask 0: all bits */
	bool is_signed;
	uint8_t nbits; /* that a cast has left of it; 0: all */
};

/* False: it is something else. */
bool operand_of(const struct probe *, const struct difo *, struct operand *);

/*
 * A text that lies in the record that args[id] leads into, or follows from numbers and addresses of
 * the network there, and from nothing else: `r->family ? inet_ntop(r->family, r->src) : ""`. What
 * it reads; the text can be made later of that.
 */
#define DERIVED_MAX 4
struct derived {
	unsigned n;
	struct {
		unsigned id, size; /* size: bytes at args[id] + off; 0: the text there */
		int64_t off;
	} v[DERIVED_MAX];
};

/* False: it is something else. */
bool derived_of(const struct probe *, const struct difo *, struct derived *);

/* In D's words: "pid == 3 && execname != \"sh\"". `name` writes what is tested, NULL: as D calls
 * it. Caller frees. NULL: longer than max. */
typedef void filter_name_fn(void *arg, const struct filter_test *, char *to, size_t room);
char *filter_text(const struct filter *, filter_name_fn *name, void *arg, size_t max);

#endif
