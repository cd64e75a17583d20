/*
 * hooks_priv.h: what the files of hooks.h share: hookmem.c (memory of the target), hookblocks.c
 * (its threads), hooksites.c (numbers, and what the target reads of them), hookpoints.c (windows,
 * and what is done there), hookcommit.c (writing them) and hooks.c (from the first to the last).
 */
#ifndef INJECT_HOOKS_PRIV_H
#define INJECT_HOOKS_PRIV_H

#include "inject/x86/trampoline.h"
#include "inject/hooks.h"
#include "inject/detours.h"

#define RULES_MAX   (4U << 20)
#define MEM_ROWS    65536U
#define MIN_RING    16384U
#define LISTS_SIZE  (4U << 20)
#define FIRST_LAP   (2U << 20) /* bytes of a ring that are used first */
#define NATIVE_ROOM 1024U      /* bytes of native clauses for a window, where there are any */
#define CELL_AT(n)  (HOOK_BLOCK_HEADER + (n)*8) /* in a block */

/* Memory for trampolines near some module, filled here and written at the next commit. It begins
 * with a copy of the hook object. */
struct area {
	taddr_t start;
	unsigned size, used, written;
	unsigned promised; /* bytes that points may need at the next commit */
	uint8_t *code;
	unsigned *code_refs; /* processes that have it: copies of each other ... */
	bool is_borrowed;    /* ... this one only up to `used`: others write behind that */
	bool is_whole;	     /* it is a part's: nothing else comes in */
};

struct call {
	enum hook_function function;
	uint32_t number;
	struct native *native; /* this is done instead */
	bool has_room;	       /* a record may be written in the trampoline */
};

struct hook_point {
	struct hooked *window;
	bool counts;
	uint32_t cell;
	unsigned ncalls;
	struct call calls[PAYLOAD_MAX - 1];
};

/* A window: its points are its stops. Once it is written it does not change, and
 * processes that are copies of each other may share it. */
struct hooked {
	unsigned refs;
	struct hooked *next; /* that is not written yet either */
	taddr_t addr, island, function;
	taddr_t host;	   /* the window that the island lies in; 0: it is padding */
	unsigned nislands; /* in this one */
	bool is_needed;	   /* it holds one that is used */
	uint8_t bytes[RELOC_WINDOW_MAX];
	unsigned size, area, nstops;
	unsigned promised;    /* of its area */
	unsigned native_room; /* of that: for native clauses that may come */
	unsigned nnative;     /* bytes of native clauses */
	bool keeps_flags_and_redzone, is_written;
	const struct codescan *scan; /* of its file */
	taddr_t bias;
	struct reloc_stop stops[RELOC_STOPS];
	/* once it is written: */
	taddr_t trampoline;
	unsigned trampoline_len;
	uint16_t new_offset[RELOC_WINDOW_MAX]; /* as in struct reloc */
	struct trampoline_map map;
	struct hook_point points[]; /* nstops of them */
};

/* Windows that were there when a process was copied. Later ones stand before older ones. */
struct windows {
	unsigned refs;
	unsigned depth; /* of layers, with this one */
	struct windows *older;
	struct hash by_addr;
};
#define LAYERS_MAX 8

/* One mapping of memory that both see. */
struct hookmap {
	taddr_t at; /* in the target */
	uint8_t *ours;
	size_t size;
	int prot; /* of the target */
	bool is_rings;
	size_t used; /* is_rings: by rings */
};

/* Where a block lies: in which mapping, from where on. */
struct blockplace {
	unsigned map, table_map;
	size_t off, table_off, table_room;
	uint32_t room; /* cells */
};
#define MAX_BLOCKS 4096

struct numbers {
	uint32_t *v;
	unsigned n, room;
};

#define HOOKS_OWN_CHUNK 64 /* cells of a thread that are taken at once: they lie side by side */

struct hooks {
	struct proc *proc;
	struct textcopies *copies; /* of the run; NULL: none are wanted */
	struct hook_where where;
	struct tlsword tls;
	bool is_selfclaim; /* threads take their blocks (struct hook_selfclaim) */
	struct {
		struct hookmap *maps; /* the first one is struct hook_shared */
		unsigned nmaps;
		volatile uint32_t nfaults; /* in our side of it (base/guard.h) */
		unsigned keeper;	   /* of hook_shared.keeper (keeper.h); 0: none */
		unsigned nfailed;	   /* loads of the target's that the keeper has ended */
	} mem;				   /* hookmem.c */
	struct {
		size_t size;   /* of those that are made now */
		unsigned n;    /* [1, n) are there, */
		unsigned high; /* and [1, high) have been given out */
		struct blockplace *v;
		struct owner {
			pid_t tid; /* 0: free */
			taddr_t tcb;
			bool is_guest;	/* whose parent will have the block */
			bool is_shared; /* one without a block of its own was counted there */
		} * owners;
		uint64_t looked_ns; /* for threads that have ended */
		uint64_t nuncounted;
		bool is_in_birth; /* of a thread, which stands still: nobody else is waited for */
		bool is_short;	  /* of blocks with rings that may be taken */
	} blocks;		  /* hookblocks.c */
	struct {
		struct ring *v;	      /* of the blocks; size 0: it has none */
		struct rings *reader; /* of them, */
		void *owner;	      /* which knows them by this */
		uint64_t bytes, left; /* for large ones: in all, and now */
		uint64_t smallest;    /* what every block gets at least; 0: no rings */
	} ring;
	struct {
		unsigned map, mem_map, stacks_map; /* 0: none yet */
		size_t nrules;			   /* that stacks_map has room for */
		struct stacktab *stacktab;	   /* NULL: no stack is recorded */
		bool reads_memory;	/* of the program: where stacks lie is to be known, too */
		struct hook_site *v;	/* our own copy, which nobody else can change */
		uint32_t n, room, nmem; /* nmem: rows that are taken */
		uint32_t ncells, cells_room;
		struct numbers free_cells, free_sites;	/* of code that is gone */
		struct hook_cells own[HOOK_OWN_RANGES]; /* of a thread */
		unsigned nown;
		uint32_t own_left; /* of the last of them: not given out yet */
		bool has_tid_cell;
		uint32_t tid_cell;
		uint64_t asked_ns; /* when hooks_may_call looked */
	} site;			   /* hooksites.c */
	struct {
		struct hooks_tables given;    /* clock NULL: none */
		size_t words;		      /* of tables that may come */
		taddr_t clock;		      /* in the target */
		uint64_t arrays[HOOK_ARRAYS]; /* HOOK_ARRAY(), of each table */
		unsigned narrays;
		size_t common_bytes; /* of arrays of all threads, */
		unsigned common_map; /* which lie there; 0: there are none */
	} table;		     /* for aggregations, and arrays of threads */
	struct {
		struct hash by_addr;   /* window */
		struct windows *older; /* those of before it was copied; NULL: none */
		struct hash passed;    /* a `ret` that nobody jumps to any more → such a window */
		struct hooked *unwritten, **unwritten_tail;
		struct area *areas;
		unsigned nareas;
		struct detours detours;
		unsigned first_area; /* those in front of it are not added to, */
		unsigned expected;   /* and the next one is to have so many bytes: a part is made */
		struct image_use {
			struct hookimage *image;
			const struct codescan *scan;
			taddr_t shift;	/* of its addresses */
			unsigned area;	/* its first one */
			uint32_t cells; /* added to the number of each cell */
			bool is_led;	/* its calls are not put off */
			bool is_new;	/* hooks_commit has not seen it yet */
			taddr_t text;	/* a copy with its detours is mapped there; 0: none is */
		} * uses;
		unsigned nuses;
		bool had_unmapped; /* addresses may have been those of another file */
		bool puts_calls_off;
		struct {
			taddr_t *v; /* windows of functions */
			size_t n, room;
		} late_calls; /* of them calls do not lead to the trampolines yet */
		struct hooked **
			by_trampoline; /* those that are written, while it is known (hookfault.c) */
		size_t nby_trampoline;
	} code; /* hookpoints.c, hookcommit.c */
};

/* ---- hookmem.c ---- */

/* A system call that a thread of it makes. Errors: with the reason. */
int hooks_remote(struct hooks *, long nr, const uint64_t args[6], int64_t *result, struct err *);
/* Maps memory in both, all zero. Returns the number of the mapping, or a negative error. */
int hooks_map(struct hooks *, size_t size, int prot, struct err *);
/* All of the parent's mappings at their addresses, with memory of its own. */
int hooks_map_fork_copy(struct hooks *, const struct hooks *parent, struct err *);
int hooks_map_selfclaim(struct hooks *, struct err *); /* all blocks are there */
void hooks_unmap_ours(struct hooks *);		       /* our side of it */

/* ---- hookarea.c ---- */

/* The number of an area with room for a window at addr, which its detours can reach; or a negative
 * error. */
int hooks_area_near(struct hooks *, taddr_t addr, struct err *);
bool hooks_has_room(const struct area *, unsigned n); /* bytes */
/* An area there and nowhere else. Returns its number, or a negative error. */
int hooks_map_area(struct hooks *, taddr_t start, unsigned size, struct err *);
void hooks_free_code(struct area *);
taddr_t hooks_function(const struct hooks *, const struct area *, enum hook_function);
taddr_t hooks_take_block(const struct hooks *,
			 const struct area *); /* 0: threads are given theirs */
/* A field of struct hook_where, by its offset, in all copies of the hook object. */
void hooks_set_where(struct hooks *, size_t field, uint64_t value);
#define HOOKS_SET_WHERE(h, field, value)                                                           \
	hooks_set_where(h, offsetof(struct hook_where, field), value)

/* ---- hookblocks.c: blocks are numbered, 0 is nobody's ---- */

struct hook_shared *hooks_shared(const struct hooks *);
/* hook_shared.keeper is ours from now on, or nobody's. */
void hooks_keep(struct hooks *);
void hooks_keep_no_more(struct hooks *);
bool hooks_has_rdpid(void); /* the processor has this instruction */
/* At least so many more. Errors: with the reason. */
int hooks_more_blocks(struct hooks *, unsigned n, struct err *);
size_t hooks_block_size(uint32_t cells);
/* NULL: it has no such cell. */
uint64_t *hooks_cell_at(const struct hooks *, unsigned block, uint32_t cell);
struct hook_block *hooks_block(const struct hooks *, unsigned block);
taddr_t hooks_block_at(const struct hooks *, unsigned block);	      /* in the target */
unsigned hooks_block_of(const struct hooks *, const struct thread *); /* 0: it has none */
/* False: there is no such thread any more. */
bool hooks_set_word(struct hooks *, taddr_t tcb, unsigned block);
/* Memory for the blocks of its threads is taken while they run: for those that have none, or one
 * that is too small for the cells there are. Errors: with the reason. */
int hooks_prepare_blocks(struct hooks *, struct err *);
/* Every thread counts somewhere before it can run into a hook. The process stands still. */
int hooks_adopt_threads(struct hooks *, struct err *);
void hooks_learn_stacks(struct hooks *);
bool hooks_is_free(const struct hooks *, unsigned block);
void hooks_need_ring(struct hooks *, unsigned block);
void hooks_begin_rings(struct hooks *, unsigned first, unsigned n); /* of these blocks */
int hooks_map_rings(struct hooks *, struct err *); /* of all blocks that will ever be */

/* ---- hookarrays.c ---- */

void hooks_clear_arrays(const struct hooks *, unsigned block); /* it has a table */
void hooks_copy_arrays(const struct hooks *, unsigned to, unsigned from);

/* ---- hookclaim.c: threads that take their blocks ---- */

void hooks_selfclaim_begin(struct hooks *); /* the memory is there */
/* Blocks that may be taken next get rings; all that will be read when one is taken is written. */
void hooks_selfclaim_offer(struct hooks *);

/* ---- hookdlopen.c ---- */

void hooks_listen_no_more(struct hooks *);

/* ---- hooksites.c ---- */

/* Memory for what the target reads of sites, and of struct hook_mem. Errors: with the reason. */
int hooks_map_sites(struct hooks *, struct err *);
int hooks_map_mem(struct hooks *, struct err *);
void numbers_give_back(struct numbers *, uint32_t number);
bool hooks_may_have_cells(const struct hooks *, uint32_t n); /* so many more */

/* ---- hookfault.c ---- */

void hooks_forget_trampolines(struct hooks *); /* their list: windows come or go */

/* ---- hookpoints.c ---- */

/* The trampoline of a window, as it would stand at that address of its area; and its map. Errors:
 * of trampoline_emit. */
int hooks_emit(struct hooks *, struct hooked *, taddr_t to, struct reloc *trampoline, struct err *);
void hooks_forget_clauses(struct hooked *);
/* The `ret` that a stop stands for, which leads_to_ret; no breakpoint may stand there. */
taddr_t hooks_passed_ret(const struct hooked *, unsigned stop);
void hooks_note_passed(struct hooks *, taddr_t ret, taddr_t window);
struct hooked *hooks_window(struct hooks *, taddr_t); /* NULL: there is none */
/* One of a written window that counts or records, with its points, so much further on. */
struct hooked *hooks_copy_window(const struct hooked *, taddr_t shift);
void hooks_free_window(struct hooked *); /* unless others have it as well */
void hooks_forget_window(struct hooks *, struct hooked *);
void hooks_free_windows(struct hooks *);
/* A copy has the windows of its parent, of which all are written. */
void hooks_share_windows(struct hooks *to, struct hooks *from);
/* for (struct hooks_each e = {.h = h}; (w = hooks_each_window(&e));) visits all, after
 * hooks_unfold_images; the one it is at may be forgotten. */
struct hooks_each {
	struct hooks *h;
	const struct windows *layer; /* NULL: by_addr */
	size_t i;
};
struct hooked *hooks_each_window(struct hooks_each *);

/* ---- hookimage.c: windows that are made when they are asked for ---- */

struct hooked *hooks_image_window(const struct hooks *, taddr_t);    /* NULL: in no image */
void hooks_unfold_images(struct hooks *);			     /* all of them are made */
void hooks_share_images(struct hooks *to, const struct hooks *from); /* to: a copy */
void hooks_leave_images(struct hooks *);
bool hooks_have_unled_images(const struct hooks *);
/* Its detours, by address, which are `shift` further on in this process. */
struct hookimage_detours {
	const struct detour *v;
	size_t n;
	taddr_t shift;
};
struct hookimage_detours hookimage_detours(const struct image_use *);
/* A breakpoint stands in one of its windows, or where nothing leads any more. */
bool hookimage_is_in_way(const struct hooks *, const struct image_use *);
/* The copy of its file's text, to be set if it is NULL still. NULL: there will be none. */
const struct textcopy **hookimage_copy(struct hookimage *);
void hookimage_no_copy(struct hookimage *);
/* fn for each window that begins a function of images whose calls have been put off until now. */
void hooks_lead_images(struct hooks *, void (*fn)(struct hooks *, taddr_t));

/* ---- hooktext.c ---- */

/* Between detours_look and detours_write: detours of images are had by mapping files that have
 * them, where that can be. */
void hooks_map_copies(struct hooks *);
/* Halted; the program's own bytes stand there again: the files themselves, where they still are. */
void hooks_map_files(struct hooks *);

#endif
