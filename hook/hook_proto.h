/*
 * hook_proto.h: the treaty between the engine and what it puts into a target: the memory both see,
 * and the code that runs in the target. Distances and sizes only, no pointers of either side.
 * HOOK_VERSION changes with any of it. Sizes are asserted at the end.
 *
 * The memory lies in files without names, mapped shared by both, a piece when it is needed,
 * wherever there is room:
 *
 *     read-only in the target: hook_shared; sites; rows of struct hook_mem; tables of stacks
 *     read and write: blocks, several side by side; rings; tables of aggregations (agg_proto.h)
 *
 *     block 0   nobody's; where threads take their blocks: struct hook_mailbox
 *     block 1.. one per live thread of the target; a block that a thread left goes to the next one:
 *               its cells as they are (a count is the sum over all blocks, and only grows)
 *     a block:  struct hook_block, then cells: 64-bit numbers, by number
 *
 * Who gives a thread its block? The engine, before the thread runs, where it traces the target.
 * Where it cannot, the thread takes one at its first hit (struct hook_selfclaim), and the engine
 * takes it back when the thread is gone.
 *
 * All of it can be written by the target: whoever reads it believes nothing.
 */
#ifndef HOOK_HOOK_PROTO_H
#define HOOK_HOOK_PROTO_H

#define HOOK_VERSION 25

#define HOOK_BLOCK_HEADER 16384 /* bytes before the first cell */
#define HOOK_OWN_RANGES	  64
#define HOOK_ARRAYS	  32
/* Bytes of the program's stack that is used at most, besides what a trampoline that counts pushes.
 * A trampoline reads that far down before it uses any of it: if there is no more stack, that
 * instruction faults, and no other. */
#define HOOK_DEPTH   1024
#define HOOK_SKIPPED 0x80000000u /* of a site's number as a trampoline passes it: see hook_regs */

#ifndef __ASSEMBLER__

#include <stdint.h>

/* The first page. */
struct hook_shared {
	uint32_t version;
	uint32_t is_recording; /* records are wanted: from the start of tracing to its end */
	uint32_t pid;	       /* the target's, as it sees itself */
	uint32_t may_call;     /* no filter of its stands between us and system calls */
	uint64_t wait_ticks;   /* ticks that a full ring waits for its reader; 0: none */
	uint64_t has_rdpid;    /* the processor has this instruction */
	uint64_t modules;      /* distance of struct hook_modules from this page; 0: none yet */
	/* for threads that take their blocks: */
	uint32_t nblocks; /* blocks [1, nblocks) are there to be taken; the next one is nobody's, */
			  /* too: copies by fork count in it, and threads that find none free */
	uint32_t tid_word; /* distance from %fs:0 of the thread's number; 0: not known */
	uint32_t nown;	   /* ranges of cells that belong to a thread, and are 0 when it begins */
	uint32_t has_tid, tid_cell; /* one of them holds its number */
	struct hook_cells {
		uint32_t first, n;
	} own[HOOK_OWN_RANGES];
	uint64_t tables, table_size;  /* the table of block i: tables + i * table_size; 0: none */
	uint32_t narrays;	      /* in each table, which are empty when a thread begins */
	uint64_t arrays[HOOK_ARRAYS]; /* HOOK_ARRAY() */
	/* of the first thread: as in struct hook_block; first_tcb 0: not known */
	uint64_t first_tcb, first_start, first_mapped, first_end;
	/* of others: distance from %fs:0 of where the C library has their stack's lowest address,
	 * its size, and how much of it nobody may touch, one word each; 0: not known */
	uint64_t stack_word;
	uint64_t debug; /* address of the dynamic linker's struct r_debug; 0: not known */
	/*
	 * In these bits the thread of the engine that traces the target: it is told of a fault
	 * before the program is. The kernel clears them when that thread ends, before it lets the
	 * target go (set_robust_list(2)). 0: nobody is told first.
	 */
	uint32_t keeper;
};
#define HOOK_KEEPER 0x3fffffff

/*
 * Private memory of the target, which the kernel wipes in a copy by fork. In each thread the word
 * of hook_where leads to the address of its block, or to a zero: then, as where it leads to an
 * address that has been wiped, it has no block here yet.
 */
struct hook_selfclaim {
	uint64_t is_original;
	uint64_t blocks[];
};

/*
 * A point in the code that leaves records: the beginning of a function, one of its returns, or an
 * instruction.
 * A record carries what the flags ask for, in the order of the flags.
 */
struct hook_site {
	uint64_t pc;	     /* of the probed instruction */
	uint32_t flags;	     /* HOOK_... */
	uint32_t drops_cell; /* counts what found no room */
	uint16_t max_words;  /* of a record */
	uint16_t nframes;    /* HOOK_STACK: at most */
	uint8_t nargs;	     /* HOOK_ARGS: arg0 and up; from the seventh on they are on the stack */
	uint8_t nmem;
	uint16_t mem; /* number of its first row in the table of struct hook_mem */
};

/* A piece of memory that is recorded: at base + off. */
struct hook_mem {
	int64_t off;
	uint32_t len;
	uint8_t base; /* HOOK_MEM_... */
	uint8_t index;
	uint8_t is_string; /* up to its end, with it, if that comes before len */
};

enum {
	HOOK_MEM_ABSOLUTE,
	HOOK_MEM_ARG,	 /* an argument: of the first six, or on the stack */
	HOOK_MEM_RESULT, /* rax; index 1: rdx */
	HOOK_MEM_PIECE,	 /* what an earlier piece of the site holds */
	HOOK_MEM_REG,	 /* a word of those of HOOK_REGS */
};
#define HOOK_MEM_MAX 12 /* of a site */

enum {
	HOOK_TIME = 1 << 0,   /* the time stamp counter */
	HOOK_RESULT = 1 << 1, /* rax and rdx: at a return */
	HOOK_ARGS = 1 << 2,   /* nargs words */
	HOOK_CALLER = 1 << 3, /* the word at the stack pointer */
	HOOK_REGS = 1 << 4,   /* HOOK_NREGS words: struct hook_regs, then the stack pointer */
	HOOK_STACK = 1 << 5,  /* number of frames, and as many pcs, from the caller's on */
	HOOK_MEM = 1 << 6,    /* nmem times: address, bytes taken, these bytes in whole words */
	HOOK_CPU = 1 << 7,    /* the record's cpu is true; else it is 0 */
	HOOK_WITHIN = 1 << 8, /* HOOK_STACK: the walk begins with the frame that pc is in */
	HOOK_VTIME = 1 << 9,  /* the thread's time on CPUs (struct hook_vtime) */
};

/*
 * A native clause (inject/x86/native.h) asks for a record in the midst of its own frame: so many
 * words above what HOOK_SKIPPED would mean is the place's stack pointer. The first ones of its
 * frame are carried in the record, behind HOOK_CALLER.
 */
#define HOOK_CARRIED(n)	       ((uint32_t)(n) << 16)
#define HOOK_CARRIED_OF(flags) ((flags) >> 16 & 0xff)
#define HOOK_FRAME(n)	       ((uint32_t)(n) << 24)
#define HOOK_FRAME_OF(flags)   ((flags) >> 24)

/* What PAYLOAD_CALL hands over. In the light entries the first six are not there: do not look. */
struct hook_regs {
	uint64_t r15, r14, r13, r12, rbp, rbx;
	uint64_t r11, r10;
	uint64_t rdi, rsi, rdx, rcx, r8, r9; /* in the order of arguments */
	uint64_t flags; /* SF ZF AF PF CF as lahf has them in bits 8..15, OF in bit 0 */
	uint64_t back;	/* into the trampoline */
	uint64_t rax;
	/* here is the stack pointer of the place; HOOK_SKIPPED: 128 bytes further */
};
#define HOOK_NREGS 18

/*
 * A block's head. The ring is a row of records; head and tail are counts of bytes that only grow,
 * the offset in the ring is their remainder by its size.
 *
 * A record is written behind the head, and then exists by one compare-and-exchange of the head. A
 * signal handler that leaves records meanwhile has moved it: then ours is written anew, behind
 * those. It begins where ours may reach to (busy), so that neither writes to the other's, and tells
 * of the gap. Nothing waits for us: a handler that never comes back leaves nothing half-done.
 *
 * A gap is nothing, up to struct hook_gap and the record behind it, which come to exist with it: by
 * head and gap, compared and exchanged at once. There is one, too, at the ring's end, which no
 * record goes across, and where the next round begins early, as it does while the reader keeps up:
 * then the same megabyte is written again and again, and stays in the caches.
 *
 * We may be interrupted for longer than a round. Where the interrupted may still write is kept:
 * each word is a stretch of the ring, in words, its end in the upper half; 0 is none. They are gaps
 * in each round. One that is never come back to makes room for another, the oldest first.
 */
#define HOOK_KEPT 8

/*
 * What a thread knows of its time on CPUs, by the clock of native clauses (agg_proto.h); 0:
 * nothing. Within HOOK_VTIME_NS of its last look it has not been away: a switch to another thread
 * and back takes longer.
 */
#define HOOK_VTIME_NS 1000
enum {
	HOOK_VTIME_LOOKED, /* when, in ns */
	HOOK_VTIME_AWAY,   /* the clock less the time on CPUs */
};
struct hook_vtime {
	_Alignas(16) uint64_t ns[2];
};

#define HOOK_LEAVING (1ULL << 63) /* hook_block.owner: it is about to be free */

struct hook_block {
	/* the thread's */
	_Alignas(64) uint64_t head;
	uint64_t gap;  /* where the last hook_gap before the head lies; 0: there is none */
	uint64_t busy; /* what is being written may reach to here; nothing is, if that is <= head */
	uint64_t limit;	    /* nothing is in the way of records from the head up to here */
	uint64_t given_up;  /* tail + 1 where the reader was taken for dead; 0: it is not */
	uint64_t ring;	    /* its address in the target */
	uint64_t ring_size; /* a power of two; 0: none, what is recorded is lost and counted */
	uint64_t nkept;	    /* have made room for others */
	uint64_t kept[HOOK_KEPT];
	uint64_t stack_start;  /* the thread's own stack: between a stack pointer in it ... */
	uint64_t stack_mapped; /* and from here on, wherever the stack pointer is */
	uint64_t stack_end;    /* ... and its end, all can be read. 0: not known */
	uint64_t nlost;	       /* hits that found no room; */
	uint64_t nlost_told;   /* of them, those before the last record with HOOK_AFTER_LOSS */
	/* the reader's */
	_Alignas(64) uint64_t tail;
	/* the engine's: where its table is, in the target (agg_proto.h); 0: there are none */
	_Alignas(64) uint64_t table;
	/* of who has taken it; the engine makes it 0 when that is gone */
	_Alignas(64) uint64_t owner; /* the thread's number; 0: it is free */
	uint64_t tcb;		     /* its %fs:0; 0: that is not settled yet */
	uint64_t sp;		     /* at its first hit */
	struct hook_vtime vtime;     /* the thread's */
};

/*
 * At HOOK_MAILBOX in block 0: a thread tells that libraries have come, waits while they are hooked,
 * and makes the system calls that this takes: the dlopen rendezvous. `state` says whose turn it is;
 * both wait for it by futex:
 *
 *     CLOSED ─engine─► OPEN ─thread─► POSTED ─engine─► TAKEN ─engine─► GO ─thread─► OPEN
 *                                                       │  ▲
 *                                      engine: CALL ◄───┘  └─── engine ◄── thread: RESULT
 *
 * A thread that waits too long closes it and goes on.
 */
#define HOOK_MAILBOX 2048

enum hook_mailbox_state {
	HOOK_MAILBOX_CLOSED, /* nobody listens */
	HOOK_MAILBOX_OPEN,
	HOOK_MAILBOX_POSTED,
	HOOK_MAILBOX_TAKEN,
	HOOK_MAILBOX_CALL,
	HOOK_MAILBOX_RESULT,
	HOOK_MAILBOX_WRITE, /* as TAKEN: code is about to be written; the thread's time limit begins
			     * anew */
	HOOK_MAILBOX_GO,
};

struct hook_mailbox {
	uint32_t state;
	uint32_t nlate; /* times that a thread has gone on without an answer */
	uint64_t nr, args[6];
	int64_t result;
};

struct hook_gap {
	uint64_t from;	 /* what the head was; up to here */
	uint64_t before; /* where the last one before that lies; 0: there is none */
};

/*
 * How to get from a function to its caller, as its module's call frame information has it (DWARF 5
 * §6.4), boiled down to what is needed for the next return address. The return address lies right
 * below the CFA.
 */
struct hook_rule {
	uint8_t how; /* HOOK_RULE_... */
	uint8_t add; /* to the word of memory that the CFA is read from, if it is */
	int16_t rbp; /* where the caller's rbp lies, in words from the CFA; 0: it is as it was */
	int32_t off;
};

#define HOOK_RBP_AT_RBP INT16_MIN /* hook_rule.rbp: where rbp points to (a realigned stack) */

enum {
	HOOK_RULE_NONE,	  /* not known: by the frame pointer, if that leads to code */
	HOOK_RULE_END,	  /* there is no caller */
	HOOK_RULE_RSP,	  /* CFA = rsp + off */
	HOOK_RULE_RBP,	  /* CFA = rbp + off */
	HOOK_RULE_AT_RSP, /* CFA = word at rsp + off, + add */
	HOOK_RULE_AT_RBP,
	HOOK_RULE_SIGNAL, /* the registers lie in the kernel's frame, at rsp */
	HOOK_RULE_ODD,	  /* anything else that can be said: the stack is cut off here */
};

/*
 * All rules of all modules are one array, and another has where each begins, as a distance from its
 * module. They only grow: a number once given means the same as long as its module is mapped.
 */
struct hook_modules {
	uint64_t n;
	struct hook_module {
		uint64_t start, end;	/* executable addresses; ascending */
		uint32_t first, nrules; /* 0: nothing is known of its stacks */
	} v[];
};

/*
 * In a block at HOOK_CACHE: by the low bits of a pc, which rule it has: the rest of the pc above
 * HOOK_CACHE_RULE bits of the rule's number; 0: empty. One word, so that a signal cannot tear it.
 */
#define HOOK_CACHE	4096
#define HOOK_CACHE_BITS 9
#define HOOK_CACHE_RULE 26

/*
 * In a block at HOOK_STACKS: the last stacks that were walked, by their stack pointer. A walk
 * follows from sp, the words it depends on, and rbp if it does: where all of them are the same, so
 * is the stack.
 */
#define HOOK_STACKS	 8192
#define HOOK_STACKS_BITS 2
#define HOOK_STACK_PCS	 48
#define HOOK_STACK_WORDS 94

/*
 * What a word is: the return address that is the pc of that number, with HOOK_WORD_RBP if what was
 * found above it depends on the caller's rbp; or one of these.
 */
#define HOOK_WORD_RBP 0x80
enum {
	HOOK_WORD_SAVED = 0x7e, /* an rbp that was saved there */
	HOOK_WORD_OTHER = 0x7f
};

struct hook_stack {
	uint64_t sp, rbp;
	uint32_t fill; /* odd: being filled in; else that many times, twice */
	uint16_t npcs, nwords;
	uint32_t needs_rbp; /* the walk depends on it */
	uint32_t is_whole;  /* it ends there, and not because no more was asked for */
	uint64_t key;	    /* `fill` then, and below it 32 bits of the last hook_stack_key() */
	uint64_t pcs[HOOK_STACK_PCS];
	struct {
		uint64_t at, value;
	} words[HOOK_STACK_WORDS];
	uint8_t what[HOOK_STACK_WORDS];
};

/*
 * In a block at HOOK_PAGES: by the low bits of its number, the last page that the kernel has copied
 * from for this thread: its address + 1; 0: none. It is read without a call then, as long as there
 * is a keeper: where it is gone meanwhile, the thread faults, and the keeper leads it to
 * hook_object.load_failed.
 */
#define HOOK_PAGES	2048
#define HOOK_PAGES_BITS 8

/* The word before the pcs of a stack. */
#define HOOK_STACK_CUT (1ULL << 32) /* there are more frames, which could not be found */

struct hook_record {
	uint32_t site;
	uint16_t words; /* of 8 bytes, with this one */
	uint16_t cpu;	/* HOOK_CPU_MASK; HOOK_AFTER_LOSS: hits were lost between the one before and
			   this */
};
#define HOOK_CPU_MASK 0xfff
/* Its limit has the CPU's number in these bits (Linux, arch/x86: GDT_ENTRY_CPUNODE). */
#define HOOK_CPU_SEGMENT 0x7b
#define HOOK_AFTER_LOSS	 0x8000

/*
 * The hook object: position-independent code without a single relocation, as bytes. It begins with
 * struct hook_object; the loader fills in `where` of each copy it places near trampolines.
 */
enum hook_function {
	HOOK_FN_RECORD,	       /* number: of the site; needs neither HOOK_REGS nor HOOK_STACK */
	HOOK_FN_RECORD_FULL,   /* any site */
	HOOK_FN_AGGREGATE,     /* called by native clauses (agg_proto.h) */
	HOOK_FN_TAKE_BLOCK,    /* keeps all but rcx, which is the address of the block then */
	HOOK_FN_DLOPEN,	       /* number: any; libraries may have come (struct hook_mailbox) */
	HOOK_FN_LEAVE,	       /* called by native clauses: a reservation is given up */
	HOOK_FN_STACK_KEY,     /* called by native clauses (agg_proto.h) */
	HOOK_FN_READ,	       /* called by native clauses (agg_proto.h) */
	HOOK_FN_LOAD_ELEMENT,  /* called by native clauses: hook_load_element() */
	HOOK_FN_STORE_ELEMENT, /* the same: hook_store_element() */
	HOOK_FN_TUPLE,	       /* the same: hook_tuple() */
	HOOK_FN_VTIME,	       /* the same: hook_vtime_or_drop() */
	HOOK_FN_SELFCLAIM,     /* the first three, for threads that take their blocks */
	HOOK_NFUNCTIONS = HOOK_FN_SELFCLAIM + HOOK_FN_AGGREGATE + 1
};

struct hook_where {
	uint64_t
		blocks; /* addresses in the target: of block 0 (selfclaim: all lie side by side), */
	uint64_t shared; /* of the first page, */
	uint64_t sites;	 /* of the table */
	/* Distance from %fs:0 of the word that holds the address of the thread's block, 0: it has
	 * none; or (selfclaim) the address of that word. */
	uint64_t word;
	uint64_t block_size;	/* selfclaim: block i lies at blocks + i * block_size */
	uint64_t table_words;	/* bytes of a table in front of its slots (agg_proto.h) */
	uint64_t starts, rules; /* addresses of the tables of stacks, */
	uint64_t mem;		/* of struct hook_mem, */
	uint64_t selfclaim;	/* of struct hook_selfclaim; 0: threads are given their blocks; */
	uint64_t arrays;	/* of arrays of all threads; 0: there are none; */
	uint64_t clock;		/* and of struct hook_clock; 0: there is none */
};

struct hook_object {
	uint32_t version;
	/* Distances from the object's beginning: */
	uint32_t functions[HOOK_NFUNCTIONS];
	uint32_t load, load_failed; /* loads of what may not be there, and how such a one ends */
	struct hook_where where;
};

_Static_assert(sizeof(struct hook_site) == 24, "hook_site");
_Static_assert(sizeof(struct hook_regs) == 17 * 8, "hook_regs");
_Static_assert(sizeof(struct hook_block) == 384, "hook_block");
_Static_assert(sizeof(struct hook_gap) == 16, "hook_gap");
_Static_assert(sizeof(struct hook_record) == 8, "hook_record");
_Static_assert(sizeof(struct hook_mem) == 16, "hook_mem");
_Static_assert(sizeof(struct hook_rule) == 8, "hook_rule");
_Static_assert(sizeof(struct hook_module) == 24, "hook_module");
_Static_assert(HOOK_STACKS + (sizeof(struct hook_stack) << HOOK_STACKS_BITS) <= HOOK_BLOCK_HEADER,
	       "HOOK_STACKS");
_Static_assert(sizeof(struct hook_block) <= HOOK_PAGES &&
		       HOOK_PAGES + (8 << HOOK_PAGES_BITS) <= HOOK_CACHE,
	       "HOOK_PAGES");
_Static_assert(HOOK_CACHE + (8 << HOOK_CACHE_BITS) <= HOOK_BLOCK_HEADER, "HOOK_CACHE");

#endif
#endif
