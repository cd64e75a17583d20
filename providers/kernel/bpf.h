/*
 * bpf.h: BPF programs: where no tracepoint says enough, or where counting in the kernel saves the
 * record. Sources are providers/kernel/bpf/NAME.bpf.c; the objects are embedded in the command. A
 * build without clang has none, and bpf_use() says so.
 *
 * How a provider adds a probe that a BPF program feeds:
 *
 * - source: providers/kernel/bpf/NAME.bpf.c includes "kernel.h": types of the kernel as far as they
 *   are used (CO-RE: name a member there, never an offset), the ring, submit and reserve. Records
 *   begin with struct bpf_head; add the layout and its BPF_KIND_ to bpfrec.h.
 * - enable: world_bpf(w, &bpf, err), then bpf_use(bpf, "NAME", ...): the opened object, not loaded
 *   yet. Choose programs with bpf_program__set_autoload(), set constants (bpf_rodata()). Probes of
 *   one object are enabled one after the other, so only add to what is chosen.
 * - records: bpf_on(bpf, BPF_KIND_X, fn, arg): called for each, oldest of all sources first. fn
 *   makes a struct event with bpf_event_init(), sets probe and args, and calls event_fire().
 * - start: nothing: all objects that are in use are loaded and attached when sources start.
 * - maps: bpf_map(bpf, "NAME", "map") once started: for counts, in bpf_client.snapshot.
 *
 * When the engine dies the kernel takes everything out: programs and maps live as its descriptors.
 */
#ifndef PROVIDERS_KERNEL_BPF_H
#define PROVIDERS_KERNEL_BPF_H

#include <bpf/libbpf.h>

#include "providers/kernel/bpfrec.h"
#include "providers/world/world.h"

struct bpf;

/* `head` and what follows, `len` bytes in all; lives until the function returns. */
typedef void bpf_fn(void *arg, const struct bpf_head *head, size_t len);

/* Made at the first call. Errors: "needs CAP_BPF and CAP_PERFMON" ... */
int world_bpf(struct world *, struct bpf **, struct err *);

/* Who uses an object. */
typedef int bpf_loaded_fn(void *arg, struct err *);
struct bpf_client {
	void (*prepare)(void *arg);  /* optional: all is enabled, nothing is loaded */
	bpf_loaded_fn *loaded;	     /* optional: it is loaded, nothing is attached: to fill maps */
	void (*snapshot)(void *arg); /* optional: counts in its maps are to be handed over */
	void *arg;
};
/* The object of that name, opened at the first call. Errors: there is none, libbpf refuses it,
 * "built without clang". */
int bpf_use(struct bpf *, const char *name, const struct bpf_client *, struct bpf_object **,
	    struct err *);
/* The same for one that has its maps for itself, and is loaded, attached and closed by the caller;
 * NULL: an error. */
struct bpf_object *bpf_embedded(const char *name, struct err *);
/* The constants of an opened object (its .rodata, `const volatile`), to be written before the
 * start; NULL: it has none. */
void *bpf_rodata(struct bpf_object *, size_t *size);
void bpf_on(struct bpf *, enum bpf_kind, bpf_fn *, void *arg);
/* A program of the kind perf_event is to run at each of these software events of all processes
 * (PERF_COUNT_SW_ ...). */
#define BPF_SAMPLERS 4
void bpf_at_event(struct bpf *, const char *program, uint64_t event);
/*
 * While a record is handled: the first one behind it, as far as any have arrived, of that kind and
 * thread; NULL: none. It is handled in its own turn all the same.
 */
const struct bpf_head *bpf_ahead(struct bpf *, enum bpf_kind, uint32_t tid, size_t *len);
/* The same, for one that is sure to come soon, as the thread is in the midst of an execve: waits
 * for it, at most 50 ms. */
const struct bpf_head *bpf_await(struct bpf *, enum bpf_kind, uint32_t tid, size_t *len);
/* A map of an object that is loaded: its descriptor, or -ENOENT. */
int bpf_map(struct bpf *, const char *object, const char *map);

/* pid, tid, cpu, time, target and task, and the stacks that came for that thread, CPU and time.
 * What the clauses read is said to perf_note_needs() at enable. */
void bpf_event_init(struct bpf *, struct event *, const struct bpf_head *);

/* While a record is handled: rows of its provider that were counted instead (bpfcount.h). */
unsigned bpf_counted(const struct bpf *);

/* BPF_WANT_KSTACK ... for what the clauses of a probe read. */
unsigned bpf_wanted_stacks(const struct bpf *, unsigned needs);
/* BPF_WANT_PIECES and which, for what they follow curthread to; it is added to what other probes of
 * that object read. `object` lives as long as the run. */
unsigned bpf_wanted_pieces(const struct bpf *, const char *object, const struct probe *);

/* What all programs share. */
struct bpf_shared {
	int ring_fd, lost_fd;  /* the ring, and the count of what found no room */
	struct pieces *pieces; /* what clauses follow curthread to (bpfpieces.h) */
	int pieces_fd;
};
const struct bpf_shared *bpf_shared(const struct bpf *);
/* Nothing will be started: clients prepare, so that where clauses would run is known. */
void bpf_foresee(struct world *);
uint64_t bpf_nread(const struct bpf *); /* records that came */
/* For programs that no object has: called when the others have been attached, and when tracing
 * ends, before the ring is read for the last time. */
struct bpf_extra {
	int (*start)(void *arg, struct err *);
	void (*stop)(void *arg); /* optional */
	void *arg;
};
/* A program is attached as long as this is open: it is closed when tracing ends. */
void bpf_keep_attached(struct bpf *, int fd);
#define BPF_EXTRAS 4
void bpf_add_extra(struct bpf *, const struct bpf_extra *);

#endif
