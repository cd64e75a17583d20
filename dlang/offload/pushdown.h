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
 * An event that the sieve stops would do nothing in D. One that passes may, unless the sieve is
 * exact: then all clauses' predicates hold for it.
 */
#ifndef DLANG_OFFLOAD_PUSHDOWN_H
#define DLANG_OFFLOAD_PUSHDOWN_H

#include "dlang/session.h"

enum sieve_op {
	SIEVE_EQ,
	SIEVE_LT, /* signed, 64 bits */
	SIEVE_LE,
	SIEVE_LTU, /* unsigned */
	SIEVE_LEU,
	SIEVE_AND, /* any of these bits */
};

struct sieve_test {
	enum {
		SIEVE_BUILTIN, /* id: BUILTIN_PID ... */
		SIEVE_FIELD,   /* what lies at args[id] + off */
	} of;
	unsigned id;
	int64_t off;
	unsigned size; /* of the number that is loaded; 0: a text lies there */
	bool is_signed;
	enum sieve_op op;
	uint64_t value;
	const char *text; /* instead of the value: SIEVE_EQ only; lives as long as the session */
};

/* Places of the graph. */
#define SIEVE_NODES 24
#define SIEVE_STOP  254
#define SIEVE_PASS  255

struct sieve_node {
	struct sieve_test test;
	uint8_t yes, no; /* a node before this one, or SIEVE_STOP, SIEVE_PASS */
};

struct sieve {
	struct sieve_node nodes[SIEVE_NODES];
	unsigned n;
	uint8_t root; /* SIEVE_PASS: nothing is left out */
	bool is_exact;
};

/* How a source's test of something compares with D's comparison. */
enum sieve_means {
	SIEVE_UNKNOWN,
	SIEVE_NECESSARY, /* it holds at least where D's does */
	SIEVE_EQUAL,
};

/* What a source can do. */
struct sieve_source {
	enum sieve_means (*means)(void *arg, const struct sieve_test *);
	void *arg;
	bool has_records; /* args[n] lead into a record: reading it never faults */
};

/* One that stops all, to which probes are added; exact. */
void sieve_init(struct sieve *);
/*
 * What passes before, or for what the enabled clauses of the probe ask. It stays exact while that
 * is the same for all of them. A predicate that asks for what the source cannot tell, or that is
 * too large, lets more pass.
 */
void sieve_add(struct sieve *, const struct probe *, const struct sieve_source *);

/* Nothing is left out. */
static inline bool sieve_passes_all(const struct sieve *s)
{
	return s->root == SIEVE_PASS;
}

/* In D's words: "pid == 3 && execname != \"sh\"". `name` writes what is tested, NULL: as D calls
 * it. Caller frees. NULL: longer than max. */
typedef void sieve_name_fn(void *arg, const struct sieve_test *, char *to, size_t room);
char *sieve_text(const struct sieve *, sieve_name_fn *name, void *arg, size_t max);

#endif
