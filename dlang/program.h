/*
 * program.h: what the compiler hands to the engine and the front: clauses, their actions, the
 * layout of their records. Immutable once compiled; in the shared arena.
 *
 *   program ─► clause ─► clause ...          one clause per (source clause, description, if-piece)
 *                │ pred: difo
 *                ├ stmt: printf("%d %s", x, y)        what the front prints
 *                │    ├ action: difo x → record 0..3   what the engine runs
 *                │    └ action: difo y → record 8..264
 *                └ stmt: @a[k] = sum(v)
 *
 * The record of one firing is {struct rec_head, payload}; rec.offset counts from the payload.
 */
#ifndef DLANG_PROGRAM_H
#define DLANG_PROGRAM_H

#include "dlang/actions.h"
#include "dlang/difo.h"
#include "dlang/provider.h"

struct pfmt;   /* format.h */
struct aggvar; /* aggtable.h */

/* What bytes in a record are, and so how trace() and default prints show them. */
enum rec_kind {
	REC_NONE,    /* no data */
	REC_INT,     /* size 1, 2, 4, 8; sign from type */
	REC_STRING,  /* strsize + 1 bytes, NUL-padded */
	REC_BYTES,   /* struct, union, array, tracemem */
	REC_STACK,   /* kernel: arg frames of 8 bytes */
	REC_USTACK,  /* word 0: pid | aspace << 32; then arg frames */
	REC_SYM,     /* kernel address: sym(), func() */
	REC_MOD,     /* kernel address: mod() */
	REC_USYM,    /* words {pid | aspace << 32, pc}: usym(), ufunc() */
	REC_UMOD,    /* the same: umod() */
	REC_UADDR,   /* the same: uaddr() */
	REC_POINTEE, /* print(): an address, and the value there, of `type` */
	REC_NKINDS
};

struct rec {
	enum rec_kind kind;
	uint32_t offset, size, align;
	uint64_t arg; /* stacks: frames | strsize << 32 */
	const struct type *type;
};

enum act_kind {
	ACT_EXPR,   /* run the difo, record nothing */
	ACT_RECORD, /* run the difo, record its value by rec.kind */
	ACT_STACK,  /* record the kernel stack (empty in user space) */
	ACT_USTACK, /* record the user stack */
	ACT_CONST,  /* record `arg` (8 bytes): what the front needs, e.g. an aggregation's id */
	ACT_AGGKEY, /* as ACT_RECORD/ACT_STACK/ACT_USTACK by rec.kind, into the aggregation's key */
	ACT_AGG,    /* aggregate the difo's value (and incr) under the keys before it */
	ACT_TRACEMEM, /* record rec.size bytes at the difo's value */
	ACT_PRINTM,   /* record the size and the bytes of the memref at the difo's value */
	ACT_EXIT,     /* record the status (4 bytes), end tracing */
	ACT_STOP,
	ACT_RAISE,
	ACT_CHILL,
	ACT_LKD, /* write a core file, record its name ("": there is none) */
	ACT_BREAKPOINT,
	ACT_PANIC,
	ACT_LOGDUMP, /* ask for what the ring of a log has */
	ACT_FIELD,   /* put the difo's value into the event of stmt.emission */
	ACT_EMIT,    /* that event is complete */
	ACT_DROP,    /* rewrite.h: the record behind the event */
	ACT_BECOME,  /* the same: name */
	ACT_SET,     /* the same: arg says what, the difo's value */
	ACT_SETTEXT, /* a text of arg bytes in the event's copy of its record, which incr leads to
		      */
	ACT_SPECULATE,
	ACT_COMMIT,
	ACT_DISCARD,
	ACT_NKINDS
};

struct action {
	enum act_kind kind;
	uint16_t num;		 /* as fault messages count: 1, 2, ...; predicate is 0 */
	const struct difo *difo; /* value, or NULL */
	const struct difo *incr; /* ACT_AGG of a histogram: increment, or NULL; ACT_SETTEXT */
	uint64_t arg;		 /* ACT_CONST, lquantize parameters ... */
	const char *name;	 /* ACT_BECOME */
	struct rec rec;
};

/* The event of an emit(), and where its fields lie among the bytes that are put together. */
struct emission {
	struct probe *probe;
	uint32_t size;
	unsigned nfields;
	struct emitted_field {
		const char *name; /* NULL: none */
		struct rec rec;
	} * fields;
};

struct stmt {
	enum stmt_kind kind;
	int line;
	struct action *acts;
	unsigned nacts;
	const struct pfmt *fmt; /* printf, printa, system, freopen */
	struct aggvar **aggs;	/* printa, clear, trunc, normalize: in order of writing; @a = f() */
	unsigned naggs;
	struct emission *emission; /* emit, etw_trace; NULL: it fires nothing */
};

struct clause {
	struct program *program;
	const struct probe_desc *desc;
	unsigned nprobes;	 /* probes matched when compiled */
	struct probe **probes;	 /* in order of probe id */
	const struct difo *pred; /* NULL: always */
	struct stmt *stmts;
	unsigned nstmts;
	bool has_record; /* a firing makes a record (an empty clause too) */
	bool is_destructive;
	bool has_exit;
	bool acts_on_aggs; /* when its record is consumed */
	bool shows_aggs;   /* by printa() */
	bool forgets_aggs; /* by clear() or trunc(): soon, before more is added to them */
	bool waits;	   /* until events are read from a file (offload/defer.h) */
	bool is_error;	   /* the hidden ERROR clause: its payload is a struct fault_rec, from
			    * which the front prints the message */
	/*
	 * Pieces of a clause with `if` follow each other; a fault in one skips the later ones of
	 * the same firing. 0: not split; else a number shared by the pieces.
	 */
	uint32_t split;
	int line;	  /* of its first statement; without any, of its description */
	uint32_t written; /* by which clause of the program's text: of several descriptions, and
			   * pieces, of one clause the same */
	const struct rec *execname; /* of oformat=jsonl: its record has the program's name there;
				     * NULL: nobody asks */
	uint32_t payload;	    /* bytes of record data */
	uint32_t counted;	    /* bytes of bufsize that a record takes: 4 and its data */
	unsigned needs;		    /* NEED_* of predicate and actions */
	bool can_fault;
	struct attr attr; /* the weakest of what predicate and statements use */
	struct clause *next;
};

/* Nothing is written in it: its record says that it has fired. */
static inline bool clause_is_empty(const struct clause *c)
{
	return c->nstmts == (c->execname != NULL);
}

/* Both are of one clause as it was written, which has several descriptions, or an `if`. */
static inline bool clause_is_same_text(const struct clause *a, const struct clause *b)
{
	return a->program == b->program && a->written == b->written;
}

/* The record of a fault: arg1 and arg3 to arg5 of ERROR, and which action it was. */
struct fault_rec {
	uint64_t epid;
	uint32_t action;  /* 0: the predicate */
	uint32_t is_gone; /* vm.fault_is_gone */
	int64_t off;	  /* bytes into the DIFO; -1: unknown */
	uint64_t fault;	  /* enum fault of vm.h */
	uint64_t value;
};

struct program {
	const struct source *src;
	struct clause *clauses; /* in program order; pieces and descriptions in enabling order */
	struct clause **clauses_tail;
	unsigned nclauses;
	uint32_t nwritten;  /* clauses of its text */
	unsigned nmatched;  /* "matched N probes": split clauses count once */
	bool may_match;	    /* probes that it means may come later */
	bool counts_probes; /* false: only inlines/declarations, or -Z matched nothing */
	struct program *next;
};

#endif
