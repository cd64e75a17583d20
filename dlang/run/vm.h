/*
 * vm.h: the interpreter. vm.c and all it calls are freestanding C: no libc, no allocation; memory
 * of the target is reached through event.target only. A bad address, a zero divisor and the like
 * set the fault and end the expression; the caller ends the clause and fires ERROR.
 */
#ifndef DLANG_RUN_VM_H
#define DLANG_RUN_VM_H

#include "dlang/kernelmem.h"
#include "dlang/session.h"

/* docs/spec/d-language.md §14.5 */
enum fault {
	FAULT_NONE = 0,
	FAULT_BADADDR = 1,
	FAULT_BADALIGN = 2,
	FAULT_ILLOP = 3,
	FAULT_DIVZERO = 4,
	FAULT_NOSCRATCH = 5,
	FAULT_KPRIV = 6,
	FAULT_UPRIV = 7,
	FAULT_TUPOFLOW = 8,
	FAULT_BADSTACK = 9,
	FAULT_BADSIZE = 10,
	FAULT_BADINDEX = 11,
	FAULT_LIBRARY = 1000
};

#define VM_LENT 32

struct vm {
	struct session *session;
	struct varstore *vars;
	const struct arena *arena; /* our own memory: what D may read without a target */
	uint64_t strsize;
	/*
	 * Both empty when a clause begins. scratch: what alloca() and copyin() gave the program,
	 * scratchsize bytes. temps: strings and structures that expressions make.
	 */
	struct vm_area {
		char *start, *top, *end;
	} scratch, temps;
	const struct difo *difo; /* runs, or ran last: its string constants are ours */
	/* texts that built-in variables led to in this clause, the oldest makes room */
	struct vm_text {
		const char *s;
		uint64_t size; /* with the NUL */
	} lent[VM_LENT];
	unsigned nlent;
	/* this firing */
	const struct event *ev;
	const struct ecb *ecb;
	/* clauses begun in this firing; from the second on they read the clock anew */
	unsigned nth_clause;
	uint64_t wall_ns;  /* walltimestamp as it was read last */
	uint64_t now_ns;   /* timestamp of this clause, 0: not read yet */
	char *strtok_buf;  /* per firing: a copy of strtok's string, */
	char *strtok_next; /* what is left of it, NULL: nothing */
	taddr_t *pcs;	   /* user stack fetched on demand, once per firing */
	unsigned npcs;
	bool have_pcs;
	enum {
		ELEMENTS_HERE,
		ELEMENTS_GONE, /* those of arrays are a source's: to use one is a fault, */
		ELEMENTS_0,    /* ... or it is taken for 0, */
		ELEMENTS_1,    /* ... or for 1 */
	} elements;
	bool has_lent_texts;	   /* self-> variables that are texts are a source's: to assign one
				    * is a fault */
	struct stackids *stackids; /* stacks that clauses keep as numbers */
	struct kernthread thread;  /* curthread */
	bool has_thread;	   /* a clause has asked for it */
	uint64_t rand;		   /* state of rand() */
	struct osinfo *osinfo;	   /* what /proc says of the firing process */
	struct psinfo *psinfo;	   /* and more of it */
	struct openfile *openfile; /* the last that fds[] asked for */
	/* tuple stack */
	struct vm_key {
		uint64_t value;
		uint32_t size; /* 0: integer in value, else bytes at value */
		uint8_t kind;  /* DIF_PUSH_* */
	} keys[DIF_NTREGS];
	unsigned nkeys;
	/* the fault */
	enum fault fault;
	uint64_t fault_value;
	int fault_off;	    /* bytes into the DIFO, -1: unknown */
	bool fault_is_gone; /* a bad address, since the thread has gone that it is of */
};

struct vm *vm_new(struct session *); /* scratch and buffers in the arena, by options */
void vm_begin_firing(struct vm *, const struct event *); /* this-> zeroed, strtok forgotten */
void vm_begin_clause(struct vm *, const struct ecb *);	 /* scratch released, fault cleared */
/* Runs a verified DIFO. False: vm->fault says why. */
bool vm_run(struct vm *, const struct difo *, uint64_t *result);
/*
 * Copies a by-reference result to a record: n bytes from address addr (own memory or, if userland
 * or not ours, the target's). vm_copystr stops at NUL and pads with zeros. False: fault, offset -1.
 */
bool vm_copy(struct vm *, void *dst, uint64_t addr, size_t n, bool userland);
bool vm_copystr(struct vm *, char *dst, uint64_t addr, size_t n, bool userland);
/* The user stack of the event, fetched once per firing. */
unsigned vm_ustack(struct vm *, const taddr_t **pcs);

/* R_R15 (0) to R_RDI are general registers, and R_RSP */
#define VM_UREG_R9  8
#define VM_UREG_R8  9
#define VM_UREG_RCX 11
#define VM_UREG_RDX 12
#define VM_UREG_RSI 13
#define VM_UREG_RDI 14
#define VM_UREG_PC  16
#define VM_UREG_SP  19
#define VM_UREG_FS  26	 /* the base of %fs: the thread pointer */
#define VM_MAX_PCS  2048 /* of a user stack */
#define VM_NUREGS   28	 /* uregs[]: R_R15 to R_TRAPNO, two bases */

/* builtins.def */
enum {
#define BUILTIN_ARRAY(id, num, name, type, needs, version, get) BUILTIN_##id = (num),
#include "dlang/run/builtins.def"
	BUILTIN_SCALARS = 0x100 - 1, /* the next one is 0x100 */
#define BUILTIN(id, name, type, needs, version, get) BUILTIN_##id,
#include "dlang/run/builtins.def"
	BUILTIN_LAST
};
struct builtin {
	const char *name;
	uint16_t id;
	const char *type; /* D syntax; NULL: args[] */
	bool is_array;
	unsigned needs;
	const char *version;
	/* NULL: not available, compile error names it */
	uint64_t (*get)(struct vm *, uint64_t index);
};
extern const struct builtin builtins[];
extern const unsigned nbuiltins;
const struct builtin *builtin_by_id(uint16_t id); /* NULL: no such */

/* subrs.def; a SUBR_ number is the operand of call and the index in subrs[] */
enum {
#define SUBR(id, name, proto, version, needs, destructive, allocs, call) SUBR_##id,
#include "dlang/run/subrs.def"
#undef SUBR
	NSUBRS
};
struct subr {
	const char *name;
	const char *proto; /* "string(const char *, int, [int])": [x] optional, @ any */
	const char *version;
	unsigned needs;
	bool is_destructive, allocs;
	/* args are the tuple keys; sets vm->fault on error. NULL: known, not there yet. */
	uint64_t (*call)(struct vm *, const struct vm_key *args, unsigned nargs);
};
extern const struct subr subrs[];
extern const unsigned nsubrs;

/* The process of the event: the command itself where there is none; 0: the idle CPU's. */
static inline pid_t vm_event_pid(const struct vm *vm)
{
	return vm->ev->pid || vm->ev->task ? vm->ev->pid : vm->session->front_pid;
}

#endif
