/*
 * difcode.h: DIF (dlang/difo.h) as BPF instructions. Each register of DIF has a place in the
 * frame of the program; values of 64 bits, as the interpreter has them. What may fault is refused.
 */
#ifndef PROVIDERS_KERNEL_KPROG_DIFCODE_H
#define PROVIDERS_KERNEL_KPROG_DIFCODE_H

#include "dlang/offload/group.h"
#include "dlang/offload/places.h"
#include "providers/kernel/bpffilter.h"
#include "providers/kernel/kprog/emit.h"

/* Registers of a program that are kept over calls: the context, variables of the thread, the thread
 * that the event is about (of CLAUSES_OF_EVENTS: struct bpf_clause_event), the thread. */
enum { CTX = BPF_REG_6, VARS = BPF_REG_7, SUBJECT = BPF_REG_8, TASK = BPF_REG_9 };

/* Offsets from r10 in the frame of a program; its 512 bytes are BPF's limit. */
enum {
	FRAME_NR = -8,	   /* 32 bits: the system call; the 4 bytes behind are emit_count()'s */
	FRAME_SPARE = -16, /* 32 bits */
	FRAME_COMPAT = -24,
	FRAME_MASK = -32,
	FRAME_TIME = -40,
	FRAME_VALUE = -48, /* of an expression */
	FRAME_ARGS = -96,  /* 6 */
	FRAME_NAME = -112, /* 16 bytes */
	FRAME_OLD = -128,  /* globals and elements as they were, DIFCODE_OLD of them */
	FRAME_KEY = -224,  /* struct bpf_count_key */
	FRAME_THIS = -288, /* GROUP_THIS */
	/* keys of an array: DIFCODE_TUPLE words; then struct bpf_count_squares of zeros */
	FRAME_TUPLE = -336,
	FRAME_REGS = -344, /* of DIF: register n lies 8 * (n - 1) below */
	FRAME_NREGS = 22,  /* %r1 .. %r22 */
};
#define DIFCODE_TUPLE  6
#define DIFCODE_OLD    2
#define KEY_AT(member) ((int)offsetof(struct bpf_count_key, member))
_Static_assert(sizeof(struct bpf_count_key) == 96, "FRAME_KEY");
_Static_assert(-FRAME_REGS + 8 * (FRAME_NREGS - 1) <= 512, "the frame");

/* Where the kernel has what programs read, in bytes. */
struct clause_offsets {
	int task_leader, task_comm, task_status, task_cpu, task_pid, task_tgid, task_flags;
	int task_start, task_execs;
	int regs_orig_ax;
};

/* Bytes of what argument CLAUSE_RECORD of a tracepoint leads to, and where its record has them. */
struct clause_field {
	uint32_t at, offset, size;
	bool is_text; /* with an end, behind which is nothing */
};
#define CLAUSE_RECORD 4

struct difwriter {
	struct emitter *e;
	const struct session *session;
	const struct clause_group *group; /* whose variables there are */
	const struct clause_offsets *at;
	/* of which events */
	enum clause_kind {
		CLAUSES_OF_ENTRIES,
		CLAUSES_OF_RETURNS,
		CLAUSES_OF_EVENTS, /* of struct bpf_clause_event, to which r8 leads, */
		CLAUSES_OF_OWN,	   /* ... of the thread that runs */
		/* of the thread that runs: the context is the record; arg0 and arg1 are in the
		 * frame */
		CLAUSES_OF_TRACEPOINTS,
		/* of the scheduler: args[0] and args[1] are of the thread in r8, args[2] its CPU */
		CLAUSES_OF_SWITCHES,
		CLAUSES_OF_WAKEUPS,
		CLAUSES_OF_MIGRATIONS,
	} kind;
	int (*call_number)(const char *name); /* -1: there is none; NULL: it does not matter yet */
	/* of events of this row (a bit): what their words are */
	const struct bpf_word *words;
	unsigned nwords, row;
	const char *probename;		   /* of the probe that is written */
	const struct clause_field *fields; /* of a tracepoint */
	unsigned nfields;
	int vars_fd, globals_fd, lost_fd; /* globals: of one element, a word for each */
	const int *array_fds; /* of the group's arrays: hash maps of difcode_key_words() words */
	unsigned lost_index;  /* what counts variables that found no room */
	const char *why;      /* the last refusal */
};

/* Writes the code of an expression, whose value goes to the frame. False: `why` says what is not
 * possible. */
bool difwriter_value(struct difwriter *, const struct difo *, int to);
/*
 * The same of a text that is a key: *nwords words, of which there may be so many. *is_choice: one
 * that says where the text begins in those of the expression; else they are its bytes.
 */
bool difwriter_text(struct difwriter *, const struct difo *, int to, unsigned *nwords,
		    bool *is_choice);
/* The same of so many bytes of a tracepoint's record. */
bool difwriter_bytes(struct difwriter *, const struct difo *, int to, unsigned size);
/* The address of a text that copyinstr() reads, and how many bytes of it at most, with its end. */
bool difwriter_copied(struct difwriter *, const struct difo *, int to, unsigned *size);
/* Of a text that follows from the record (struct derived) a part: how many words it takes; 0: the
 * program does not know it, or there is no such room. */
unsigned difwriter_part(struct difwriter *, unsigned arg, int64_t off, unsigned size, int to,
			unsigned room);
/* The two words that stand for what the text is made of, at args[arg] + off; false: there are none.
 */
bool difwriter_interned(struct difwriter *, unsigned arg, int64_t off, int to);
/* Of the keys of an array of numbers (struct clause_group): integers take one word, texts two, the
 * thread two; 0: it cannot be kept. */
unsigned difcode_key_words(const struct session *, uint16_t id);
/* The variables of the thread in r9, to r7: 0, where it has none and none are to be made. */
void difwriter_find_vars(struct emitter *, int vars_fd, bool makes);

#endif
