#include "providers/kernel/kprog/kernmem.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/procfile.h"
#include "providers/kernel/bpf.h"
#include "providers/kernel/bpfrec.h"
#include "providers/kernel/features.h"
#include "providers/kernel/kprog/toldthreads.h"
#include "symbols/dwarf/btf.h"
#include "providers/world/kernsyms.h"

struct kernmem {
	struct bpf_object *object;
	int find_fd, read_fd;
	struct kernthread *idle;  /* of each CPU; addr 0: the kernel does not tell */
	const char *bytes;	  /* what was read: a map of the object */
	struct toldthreads *told; /* NULL: nobody has been told of */
	bool is_refused, is_said; /* it was tried; the user knows */
	struct err why;
};

/* ---- opening ---- */

static int program_fd(const struct bpf_object *o, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(o, name));
}

/* The object with one half of its programs: not every kernel takes find_idle. Returns 0 or what the
 * kernel says; *out is to be closed in any case, if it is there. */
static int open_object(struct bpf_object **out, bool is_idle, struct err *err)
{
	static const char *const shared[] = {"ring", "lost",
					     "pieces"}; /* of records: it has none */
	struct bpf_object *o = *out = bpf_embedded("kernmem", err);
	struct bpf_program *prog;

	if (!o)
		return err->code;
	bpf_object__for_each_program (prog, o)
		bpf_program__set_autoload(
			prog, (strcmp(bpf_program__name(prog), "find_idle") == 0) == is_idle);
	for (unsigned i = 0; i < ARRAY_SIZE(shared); i++)
		bpf_map__set_autocreate(bpf_object__find_map_by_name(o, shared[i]), false);
	return bpf_object__load(o);
}

/* NULL: errno. To be taken out of memory by the caller. */
static const struct bpf_kernmem_found *map_found(const struct bpf_object *o)
{
	int fd = bpf_object__find_map_fd_by_name(o, ".bss");
	void *p =
		fd < 0 ? MAP_FAILED
		       : mmap(NULL, sizeof(struct bpf_kernmem_found), PROT_READ, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* What the program finds when it runs on that CPU. */
static void find_idle(const struct bpf_object *o, unsigned cpu, struct kernthread *t)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);
	const struct bpf_kernmem_found *found = map_found(o);
	const struct bpf_kernthread *idle;

	if (!found)
		return;
	idle = &found->idle.threads[0];
	if (bpf_prog_test_run_opts(program_fd(o, "find_idle"), &opts) == 0 &&
	    found->idle.result == 0)
		*t = (struct kernthread){.addr = idle->addr,
					 .start_ns = idle->start_ns,
					 .mm = idle->mm,
					 .state = idle->state};
	munmap((void *)(uintptr_t)found, sizeof(*found));
}

/* They are made once and stay; when the first event of an idle CPU asks. */
static const struct kernthread *idle_of(struct kernmem *k, unsigned cpu)
{
	const unsigned ncpus = (unsigned)libbpf_num_possible_cpus();
	struct bpf_object *o;
	struct err err;

	if (!k->idle) {
		k->idle = xcalloc(ncpus, sizeof(*k->idle));
		if (open_object(&o, true, &err) == 0)
			for (unsigned i = 0; i < ncpus; i++)
				find_idle(o, i, &k->idle[i]);
		bpf_object__close(o);
	}
	return &k->idle[cpu < ncpus ? cpu : 0];
}

static int map_bytes(struct kernmem *k, struct err *err)
{
	const struct bpf_kernmem_found *found = map_found(k->object);

	if (!found)
		return err_set(err, -errno, "the kernel maps no memory of BPF programs: %s",
			       strerror(errno));
	k->bytes = found->bytes;
	return 0;
}

static int load(struct world *w, struct kernmem *k, struct err *err)
{
	int rc;

	if (!feature_works(world_features(w), FEATURE_BPF))
		return err_set(err, -EPERM, "%s", feature_why(world_features(w), FEATURE_BPF));
	rc = open_object(&k->object, false, err);
	if (!k->object)
		return rc;
	if (rc < 0)
		return err_set(err, rc, "the kernel refuses the BPF program that reads it: %s%s",
			       strerror(-rc), err_next_step(-rc));
	rc = map_bytes(k, err);
	if (rc < 0)
		return rc;
	k->find_fd = program_fd(k->object, "find_thread");
	k->read_fd = program_fd(k->object, "read_memory");
	return 0;
}

/* NULL: it cannot be read, and why. */
static struct kernmem *get(struct world *w)
{
	if (!w->kernmem) {
		w->kernmem = xcalloc(1, sizeof(*w->kernmem));
		w->kernmem->is_refused = load(w, w->kernmem, &w->kernmem->why) < 0;
	}
	return w->kernmem->is_refused ? NULL : w->kernmem;
}

static int kernmem_open(struct session *s, struct err *err)
{
	struct world *w = world_of(s);

	if (get(w))
		return 0;
	w->kernmem->is_said = true;
	return err_set(err, w->kernmem->why.code,
		       "curthread and what leads into the kernel cannot be read: %s",
		       w->kernmem->why.text);
}

/* Of what the compiler did not see in the clauses. */
static void say_why(struct session *s, struct kernmem *k)
{
	if (!k->is_said)
		session_message(s, MSG_ERR, false, "memory of the kernel cannot be read: %s",
				k->why.text);
	k->is_said = true;
}

void world_kernmem_free(struct world *w)
{
	if (!w->kernmem)
		return;
	if (w->kernmem->bytes)
		munmap((void *)(uintptr_t)w->kernmem->bytes, sizeof(struct bpf_kernmem_found));
	bpf_object__close(w->kernmem->object);
	free(w->kernmem->idle);
	toldthreads_free(w->kernmem->told);
	free(w->kernmem);
	w->kernmem = NULL;
}

/* ---- asking ---- */

/* Returns what the program says of it. */
static int run(int fd, struct bpf_kernmem *ask)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = ask, .ctx_size_in = sizeof(*ask));
	int rc = bpf_prog_test_run_opts(fd, &opts);

	return rc < 0 ? rc : ask->result;
}

static struct bpf_kernthread identity(const struct kernthread *t, bool is_strict)
{
	return (struct bpf_kernthread){.addr = t->addr,
				       .start_ns = t->start_ns,
				       .mm = t->mm,
				       .tid = t->tid,
				       .state = t->state,
				       .is_strict = is_strict};
}

/* ---- threads ---- */

/* What the kernel gives each; 0: it does not tell this user. */
static uint64_t slab_size(void)
{
	char text[32];

	return slurp_start("/sys/kernel/slab/task_struct/object_size", text, sizeof(text)) > 0
		       ? strtoull(text, NULL, 10)
		       : 0;
}

/* "thread" is the last member, and what the processor has of it is of its own length: neither is
 * the type's. */
static struct toldthreads *new_told(struct kernel_btf *btf)
{
	const struct type *t = btf ? kernel_btf_type(btf, "struct task_struct") : NULL;
	struct type_member thread;
	uint64_t size, least;

	if (!t || !kernel_btf_member(btf, t, "thread", &thread))
		return toldthreads_new(0, 0);
	least = thread.bit_offset / 8;
	size = slab_size();
	return size > least ? toldthreads_new(size, size) : toldthreads_new(type_size(t), least);
}

static void remember(struct world *w, struct kernmem *k, const struct kernthread *t)
{
	if (!k->told)
		k->told = new_told(world_btf(w));
	toldthreads_add(k->told, t);
}

/* Nobody reads who has not opened it by now. */
void kernmem_tell(struct world *w, const struct kernthread *t)
{
	if (t->addr && w->kernmem && !w->kernmem->is_refused)
		remember(w, w->kernmem, t);
}

/*
 * Who has that number now, and was there when the event happened, is the thread of the event: two
 * do not have one number at a time. Of an event in another's name it is known since when that one
 * lived.
 */
static void find_thread(struct session *s, const struct event *ev, struct kernthread *t)
{
	struct kernmem *k = get(world_of(s));
	struct bpf_kernmem ask = {.addr = ev->curthread, .len = (uint32_t)ev->cpu};

	*t = (struct kernthread){.addr = ev->curthread, .tid = (uint32_t)ev->tid};
	if (!k) {
		t->state = KERNTHREAD_LIVES; /* for all that is known */
		return;
	}
	if (!t->addr && !t->tid) {
		*t = *idle_of(k, (unsigned)ev->cpu);
		return;
	}
	ask.threads[0].tid = t->tid;
	if (run(k->find_fd, &ask) == 0 && (ev->start_ns ? ask.threads[0].start_ns == ev->start_ns
							: ask.threads[0].start_ns <= ev->time_ns)) {
		t->addr = ask.threads[0].addr;
		t->start_ns = ask.threads[0].start_ns;
		t->mm = ask.threads[0].mm;
		t->state = ask.threads[0].state;
	}
	if (t->addr)
		remember(world_of(s), k, t);
}

/* ---- memory ---- */

/* At most what the map holds. */
static int read_piece(const struct kernmem *k, const struct kernthread *fires, taddr_t addr,
		      char *buf, size_t n)
{
	const struct kernthread *told = k->told ? toldthreads_find(k->told, addr) : NULL;
	struct bpf_kernmem ask = {.addr = addr, .len = (uint32_t)n};
	int rc;

	if ((fires && fires->state == KERNTHREAD_GONE) || (told && told->state == KERNTHREAD_GONE))
		return -ESRCH;
	if (fires && fires->addr)
		ask.threads[0] = identity(fires, true);
	if (told && (!fires || told->addr != fires->addr))
		ask.threads[1] = identity(told, false);
	rc = run(k->read_fd, &ask);
	if (rc == 0)
		memcpy(buf, k->bytes, n);
	return rc;
}

static ssize_t read_kernel(struct session *s, const struct kernthread *fires, taddr_t addr,
			   void *buf, size_t n)
{
	struct kernmem *k = get(world_of(s));
	size_t done = 0;
	int rc = 0;

	if (!k) {
		say_why(s, world_of(s)->kernmem);
		return -EFAULT;
	}
	while (done < n && rc == 0) {
		size_t piece = MIN(n - done, (size_t)BPF_KERNMEM_BYTES);
		size_t page = PAGE - (addr + done) % PAGE;

		rc = read_piece(k, fires, addr + done, (char *)buf + done, piece);
		if (rc == -EFAULT && piece > page) {
			piece = page;
			rc = read_piece(k, fires, addr + done, (char *)buf + done, piece);
		}
		done += rc == 0 ? piece : 0;
	}
	return done && rc != -ESRCH ? (ssize_t)done : rc;
}

const struct kernelmem kernel_memory = {
	.open = kernmem_open,
	.thread = find_thread,
	.read = read_kernel,
	.path = kernel_path,
};
