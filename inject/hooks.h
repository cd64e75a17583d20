/*
 * hooks.h: the hooks of one process: where its memory and trampolines lie, and which thread has
 * which block (hook_proto.h). The process may run; it is halted for the moments in which its code
 * changes.
 *
 * Nothing of this needs us: when the engine dies the process runs on with its hooks, which count
 * for nobody, until the watchdog takes them out.
 */
#ifndef INJECT_HOOKS_H
#define INJECT_HOOKS_H

#include "base/hash.h"
#include "hook/element.h"
#include "hook/hook_proto.h"
#include "inject/x86/native.h"
#include "inject/x86/plan.h"
#include "inject/x86/tlsword.h"
#include "inject/ring.h"
#include "tracer/tracer.h"

struct hooks;

/* A program is on its way to its C library: no thread can have a block yet. */
bool hooks_too_early(struct proc *);

/*
 * Maps memory for hooks of nsites sites and gives every thread its block. Errors: with the
 * reason as what follows "cannot be hooked: ".
 */
struct hooks_sizes {
	struct tlsword tls;
	bool is_selfclaim; /* threads take their blocks: tls.word is proc_is_preloaded's */
	unsigned nsites;
	/* It may end soon: nothing is done about calls of its functions before hooks_lead_calls. */
	bool puts_calls_off;
	uint64_t ring_bytes;   /* of all rings together; 0: nothing will be recorded */
	uint64_t array_bytes;  /* of all arrays of a thread together: hooks_own_array() */
	uint64_t common_bytes; /* of all arrays of all threads: hooks_common_arrays() */
	struct rings *rings;   /* who reads them ... */
	void *owner;	       /* ... and knows them by this: struct ring.owner */
	/* Files that are hooked as in other processes (hookimage.h) are mapped as copies of these;
	 * NULL: they are written to. */
	struct textcopies *copies;
};
int hooks_new(struct proc *, const struct hooks_sizes *, struct hooks **, struct err *);
/* Before: as proc_clear_remains. */
int hooks_clear_remains(struct proc *, struct err *);
void hooks_free(struct hooks *); /* our side only */

/*
 * Prepares a hook of the window at `addr`; one that is prepared there already is found again.
 * points: one for each of its stops. Nothing is written before hooks_commit, and never where no
 * point has anything to do. Errors: -EINVAL, -ERANGE, -EBUSY, -ENOSPC with the reason.
 */
struct hook_request {
	taddr_t addr;
	taddr_t function; /* the windows of a function are all written, or none */
	const struct window *window;
	taddr_t bias; /* of the file's addresses */
	bool keeps_flags_and_redzone;
	bool insns_count; /* its stops at instructions do nothing but count */
	/* Of that file: calls of the function go to the hook at once. Lives as long as the hooks.
	 */
	const struct codescan *scan;
};
struct hook_point; /* lives as long as the hooks */
int hooks_add(struct hooks *, const struct hook_request *, struct hook_point *points[RELOC_STOPS],
	      struct err *);
/* The first point of the window at that address; NULL: there is none. */
struct hook_point *hooks_point_at(struct hooks *, taddr_t addr);

/*
 * What is done there, in order of asking. Counting: all who ask get the same cell. A call: asked
 * for again with the same number, it replaces the function. Errors: -ENOSPC too many probes there,
 * -EBUSY the hook is written already and does not do that.
 */
int hooks_count_at(struct hooks *, struct hook_point *, uint32_t *cell, struct err *);
/* The same in a cell that is given: the returns of a function count together. */
int hooks_count_in(struct hook_point *, uint32_t cell, struct err *);
int hooks_call_at(struct hooks *, struct hook_point *, enum hook_function, uint32_t number,
		  struct err *);
/* The number that some such function is called with there. */
bool hooks_calls_at(const struct hook_point *, enum hook_function, uint32_t *number);

int hooks_new_cell(struct hooks *, uint32_t *cell, struct err *);
/* Describes a site (hook_proto.h) for the target; of a number taken by hooks_new_site. */
int hooks_new_site(struct hooks *, uint32_t *number, struct err *);
void hooks_set_site(struct hooks *, uint32_t number, const struct hook_site *);

/* Rows of pieces of memory (hook_proto.h) for sites; the same rows are given out once. */
int hooks_mem(struct hooks *, const struct hook_mem *, unsigned n, uint16_t *first, struct err *);
/* Looks whether hooks may make system calls, which they need for memory that may not be there: not
 * while the program filters them. Without it such pieces are recorded as unreadable. */
bool hooks_may_call(struct hooks *);

/* Stacks are recorded: the tables for walking are made, or brought up to date with what is mapped;
 * from the next hooks_commit on all threads know theirs. */
void hooks_need_stacks(struct hooks *);

/* Of the function at that address the walk would find the caller: as of the last hooks_need_stacks.
 */
bool hooks_know_stack(const struct hooks *, taddr_t pc);

/* From now on records are made. waits: see below. */
void hooks_record(struct hooks *, bool waits);
/* From now on a full ring is waited for, as long as it is being read. */
void hooks_wait(struct hooks *);

/* ---- what is computed in the target (hook/agg_proto.h) ---- */

struct hooks_tables {
	size_t words; /* bytes of aggregations without keys in each block's */
	struct hook_clock *clock;
};
/* Errors: as of hooks_new. Before the first hooks_add. */
int hooks_map_tables(struct hooks *, struct err *);
const struct hooks_tables *
hooks_tables(const struct hooks *); /* NULL: there are none, or no hooks */
void *hooks_table(const struct hooks *, unsigned block, uint64_t *room); /* for entries */
/* Where threads take their blocks themselves: finds out who has done so. Before records are read,
 * and before the next three. */
void hooks_look(struct hooks *);
/*
 * The same for libraries: the point is the beginning of the function that the dynamic linker calls
 * when some have come; debug: of its struct r_debug. Errors: as of hooks_call_at. From then on
 * hooks_poll_dlopen is to be called now and then. True: a thread waits for us with libraries that
 * nobody runs yet. Until hooks_let_go they may be hooked, as if the process stood still.
 */
int hooks_listen_at(struct hooks *, struct hook_point *, taddr_t debug, struct err *);
bool hooks_poll_dlopen(struct hooks *);
void hooks_let_go(struct hooks *);
unsigned hooks_dlopen_timeouts(struct hooks *); /* how many have gone on since without an answer */
/* Blocks [1, n) have been used. */
unsigned hooks_nblocks(const struct hooks *);
unsigned hooks_block_of_tid(const struct hooks *, pid_t); /* 0: it has none */
/* A cell in the block of a thread; NULL: it has none. */
uint64_t *hooks_cell_of(const struct hooks *, pid_t tid, uint32_t cell);

/* A cell that is 0 when a thread begins, or (is_tid) its number. */
int hooks_own_cell(struct hooks *, bool is_tid, uint32_t *cell, struct err *);

/* An array at that HOOK_ARRAY() of each table, which is empty when a thread begins. Errors: -ENOSPC
 * too many. */
int hooks_own_array(struct hooks *, uint64_t array);
/* The table of a thread, which is stopped. NULL: it has none. */
char *hooks_table_of(const struct hooks *, pid_t tid);
/* Where arrays of all threads lie side by side. NULL: there are none, or no room. */
char *hooks_common_arrays(const struct hooks *);
taddr_t hooks_common_arrays_at(const struct hooks *); /* in the target */

/*
 * A native clause, code that is run there (native.h), after what has been asked for before: fn
 * writes it, and returns 0 or a negative errno. Errors: as of hooks_call_at.
 */
struct native_clause {
	struct native_context context;
	taddr_t clock; /* address of struct hook_clock */
	uint64_t table_words;
	taddr_t aggregate, record, record_full, stack_key, read, load, store, tuple,
		vtime;	/* HOOK_FN_... */
	bool has_rdpid; /* the processor has this instruction */
	taddr_t at;	/* where its descriptions of aggregations will stand */
	struct hook_agg *aggs;
	unsigned naggs; /* out; in: at most */
	struct native code;
};
typedef int native_clause_fn(void *arg, struct native_clause *);
int hooks_clause_at(struct hooks *, struct hook_point *, native_clause_fn *, void *arg,
		    struct err *);

/* A breakpoint is about to be made there: a call in its way goes to its function again. Errors:
 * -EBUSY the instruction there is one of a window that is written, behind its first byte. */
int hooks_make_way(struct hooks *, taddr_t, struct err *);

/* Nothing is to be done there after all. Before hooks_commit. */
void hooks_clear_at(struct hook_point *);

/*
 * Writes what has been added. Calls blocked with each function that could not be hooked after all:
 * a thread stands in its windows, or others have changed them meanwhile; why: what is in the way.
 * Errors: it is called for
 * all that was to be written, for the reason given.
 */
typedef void hooks_blocked_fn(taddr_t function, const char *why, void *arg);
int hooks_commit(struct hooks *, hooks_blocked_fn *blocked, void *arg, struct err *);

/* Calls that were put off lead to their trampolines from now on: some thousands at a time, as the
 * process is halted for it. True: there are more. Once all are done nothing is put off any more. */
bool hooks_lead_calls(struct hooks *);
bool hooks_have_late_calls(const struct hooks *);
/* Functions (the keys) that have been unmapped, between two commits: their hooks are gone. */
void hooks_unmapped(struct hooks *, const struct hash *functions);
/*
 * Halted, or in tracer_ops.leaving: the program gets its code back. Errors: a thread may still come
 * back to a trampoline; the code has been given back all the same. Otherwise nothing is counted or
 * recorded from then on, and the program may get its memory back, too: it may run meanwhile.
 */
int hooks_take_out(struct hooks *, struct err *);
/* Errors: -ESRCH it has ended, or none of its threads could be had; to be called again. */
int hooks_unmap(struct hooks *, struct err *);

/*
 * Hooks for a child, which is a copy by fork that has not run yet: those of its parent go on in
 * memory of its own, with the same cells and sites, from 0. `functions` is filled with the keys of
 * those that are hooked in it. Errors: it has none; the parent must have no tables (-EINVAL).
 */
struct hooks_fork_copy {
	struct proc *proc;
	struct rings *rings;
	void *owner; /* as in struct hooks_sizes */
	struct hash *functions;
	bool *is_whole; /* all that are hooked in its parent are: then `functions` stays empty */
};
int hooks_inherit(struct hooks *parent, const struct hooks_fork_copy *, struct hooks **,
		  struct err *);

/* What inherited hooks have replaced in a file that is mapped there is taken in a scan of it. */
void hooks_take_padding(const struct hooks *, struct codescan *, taddr_t bias);

uint64_t hooks_cell(const struct hooks *, uint32_t cell); /* its sum over all threads */
/* The same of n cells that follow each other. */
void hooks_cells(const struct hooks *, uint32_t first, uint32_t n, uint64_t *sums);

/*
 * A thread has faulted in a trampoline. Either the program's own instruction did, which has been
 * moved there, or what is done before it found no stack.
 */
struct hook_fault {
	taddr_t function, pc; /* of the program: that instruction, or the one that it is done at */
	unsigned undo;	  /* bytes that have been pushed: the stack pointer was so much higher */
	bool is_replaced; /* the detour stands there now, or what is done behind it is done here */
	/* nothing of the program's has happened, and: */
	bool is_ours;
	bool has_rax;		 /* the last word pushed is the program's rax */
	bool is_exit, is_offset; /* a return; an instruction; else the entry */
	taddr_t go_on; /* behind all that is done there; with the registers as they were */
	bool has_counted, has_recorded; /* before it faulted, there */
	unsigned nclaimed;		/* native clauses run before */
};
/*
 * A thread has faulted at pc while a hook loads memory of the program that is gone: where it goes
 * on, with the registers as they are, as where it cannot be read. 0: it has not.
 */
taddr_t hooks_end_load(struct hooks *, taddr_t pc);
/* False: it is neither. */
bool hooks_fault(struct hooks *, taddr_t pc, struct hook_fault *);
/*
 * A thread makes single steps, one of which has ended at `at`, and the one before at `before` (0:
 * not known). Is that where our code begins, instead of pc of that function, or elsewhere in what
 * is ours?
 */
enum hook_step_place { HOOK_STEP_ELSEWHERE, HOOK_STEP_BEGINS, HOOK_STEP_WITHIN };
struct hook_step {
	enum hook_step_place place;
	taddr_t function, pc;
	bool is_own; /* an instruction of the program's has led there: not the jump at pc */
};
struct hook_step hooks_step(struct hooks *, taddr_t at, taddr_t before);
/*
 * Halted: the program gets its code of that function back; threads that are in its trampolines
 * still do what is done there. Errors: -EBUSY it cannot be taken out now.
 */
int hooks_unhook(struct hooks *, taddr_t function, struct err *);

/* Is it in a trampoline, or in what trampolines call? */
bool hooks_have(const struct hooks *, taddr_t pc);
/* Has something been hooked, or prepared, between start and end? */
bool hooks_are_in(const struct hooks *, taddr_t start, taddr_t end);

/* As in struct tracer_ops. */
void hooks_born(struct hooks *, struct thread *, taddr_t tcb);
void hooks_left(struct hooks *, const struct thread *);
void hooks_forked(const struct hooks *, taddr_t tcb, int mem_fd);
uint64_t hooks_uncounted(const struct hooks *); /* threads that have no block of their own */
/* Pages of its memory are gone or could not be had: what is read there is nothing from now on. */
bool hooks_are_broken(const struct hooks *);
uint64_t hooks_damaged(const struct hooks *); /* times that a ring held what cannot be */

#endif
