/* The test's own process plays the target; the tracer below only notes what it is asked. */
#include "providers/pid/pid_priv.h"

#include <errno.h>
#include <unistd.h>

#include "dlang/errtags.h"
#include "dlang/session_priv.h"
#include "tests/unit/test.h"
#include "tracer/unwind/ustack.h"

#define NOINLINE __attribute__((noinline, noclone, used))

NOINLINE int pid_test_visible(int x);
NOINLINE int pid_test_two(int x);
NOINLINE int pid_test_four(void);
extern int pid_test_bytes(void);
int _pid_test_alias(int x) __attribute__((alias("pid_test_visible")));

int pid_test_visible(int x)
{
	__asm__ volatile("");
	return x + 1;
}

int pid_test_two(int x)
{
	__asm__ volatile("");
	return x + 2;
}

int pid_test_four(void)
{
	__asm__ volatile("");
	return 4;
}

__asm__(".text\n"
	/* never returns, and a name no pattern finds */
	".globl pid_test_never\n.type pid_test_never,@function\n"
	".globl pid_test_bytes\n.type pid_test_bytes,@function\n"
	"pid_test_bytes: nop\nmov $1,%eax\nret\n.size pid_test_bytes,.-pid_test_bytes\n"
	"pid_test_never: jmp pid_test_never\n.size pid_test_never,.-pid_test_never\n"
	".globl pid_test_a.part.0\n.type pid_test_a.part.0,@function\n"
	".globl go.dotted\n.type go.dotted,@function\ngo.dotted: ret\n.size go.dotted,.-go.dotted\n"
	"pid_test_a.part.0: ret\n.size pid_test_a.part.0,.-pid_test_a.part.0\n");

/* ---- the tracer ---- */

/* Of the process that nobody stands in for, all is 0. */
static union {
	struct target target;
	char proc[1 << 16];
} room;
static struct proc *const fake = (struct proc *)(void *)&room;
static unsigned nbkpts;
static taddr_t last_pc;
static int bkpt_answer;

struct target *proc_target(struct proc *p UNUSED)
{
	return &room.target;
}

bool proc_is_32bit(const struct proc *p UNUSED)
{
	return false;
}

bool proc_is_preloaded(const struct proc *p UNUSED, int32_t *word UNUSED)
{
	return false;
}

pid_t proc_pid(const struct proc *p UNUSED)
{
	return getpid();
}

void proc_each_thread(struct proc *p UNUSED, void (*fn)(struct thread *, void *), void *arg)
{
	fn(NULL, arg);
}

bool thread_is_guest(const struct thread *t UNUSED)
{
	return false;
}

pid_t thread_tid(const struct thread *t UNUSED)
{
	return getpid();
}

/* Nothing is mapped where link-time addresses of this program are. */
int bkpt_check(struct proc *p UNUSED, taddr_t pc, struct err *err)
{
	int r = pc < 0x1000000 ? -EFAULT : bkpt_answer;

	return r ? err_set(err, r, "it cannot be probed") : 0;
}

int bkpt_add(struct proc *p UNUSED, taddr_t pc, enum bkpt_when when UNUSED, bkpt_fn *fn UNUSED,
	     void *arg UNUSED, struct bkpt **out, struct err *err)
{
	if (bkpt_answer)
		return err_set(err, bkpt_answer, "it cannot be probed");
	nbkpts++;
	last_pc = pc;
	*out = (struct bkpt *)(void *)&room.target;
	return 0;
}

void bkpt_del(struct bkpt *b UNUSED)
{
	nbkpts--;
}

int bkpt_commit(struct proc *p UNUSED, struct err *err UNUSED)
{
	return 0;
}

const struct regs *hit_regs(struct hit *h UNUSED)
{
	return NULL;
}

unsigned hit_ustack(struct hit *h UNUSED, bool at_entry UNUSED, taddr_t *pcs UNUSED,
		    unsigned max UNUSED)
{
	return 0;
}

void hit_stop(struct hit *h UNUSED)
{
}

void hit_raise(struct hit *h UNUSED, int sig UNUSED)
{
}

/* ---- the session ---- */

void event_fire(struct session *s UNUSED, const struct event *ev UNUSED)
{
}

void session_message(struct session *s UNUSED, int fd UNUSED, bool is_notice UNUSED,
		     const char *fmt UNUSED, ...)
{
}

uint64_t session_now(const struct session *s UNUSED)
{
	return 1;
}

int session_rematch(struct session *s UNUSED, struct err *e UNUSED)
{
	return 0;
}

static struct arena arena;
static struct session *session;
static struct world world;

static int refuse_to_grab(struct world *w UNUSED, pid_t pid, struct err *err)
{
	return pid == 1 ? err_set(err, -EPERM, "it is not allowed")
			: err_set(err, -ESRCH, "No such process");
}
static const struct provider *const list[] = {&prov_pid};

static void set_up(void)
{
	struct session *s;

	arena_init(&arena);
	s = session = ARENA_NEW(&arena, struct session);
	s->arena = &arena;
	s->engine = ARENA_NEW(&arena, struct session_engine);
	s->probe_chunks = arena_alloc(&arena, SESSION_MAX_CHUNKS * sizeof(*s->probe_chunks));
	intern_init(&s->engine->intern, &arena);
	s->engine->probe_index = probe_index_new();
	for (unsigned i = 0; i < NOPTS; i++)
		s->options.num[i] = OPT_UNSET;
	s->aspaces = aspaces_new(&arena);
	s->providers = list;
	s->nproviders = 1;
	s->front_pid = getppid();
	s->engine->world = &world;
	world = (struct world){.session = s, .grab = refuse_to_grab};
	nbkpts = 0;
	bkpt_answer = 0;
	pid_proc_ops.added(&world, fake);
}

static char prov[32];
static struct err err;
static int tag;
static struct probe **found;

static int match(const char *mod, const char *func, const char *name)
{
	struct probe_desc d = {prov, mod, func, name, 0};

	snprintf(prov, sizeof(prov), "pid%d", getpid());
	tag = D_NONE;
	return probe_match(session, &d, &found, &tag, &err);
}

static void check_fails(int which, const char *text)
{
	CHECK_EQ(tag, which);
	CHECK_STR(err.text, text);
}

TEST(names_are_canonical_whatever_was_written)
{
	static const char *const mods[] = {"a.out", "pid_provide_test", "", "pid_*",
					   "pid_provide_tes?"};

	for (unsigned i = 0; i < ARRAY_SIZE(mods); i++) {
		set_up();
		CHECK_EQ(match(mods[i], "_pid_test_alias", "entry"), 1);
		CHECK_STR(found[0]->prov, prov);
		CHECK_STR(found[0]->mod, "pid_provide_test");
		CHECK_STR(found[0]->func, "pid_test_visible");
		CHECK_STR(found[0]->name, "entry");
	}
}

TEST(patterns_of_functions)
{
	set_up();
	CHECK_EQ(match("a.out", "pid_test_*", "entry"), 5); /* visible, two, four, never, bytes */
	CHECK_EQ(match("a.out", "pid_test_t*", "entry"), 1);
	CHECK_EQ(match("a.out", "pid_test_*", "[er]*"), 5 + 4); /* one never returns */
	CHECK_EQ(match("libc", "pid_test_*", "entry"), 0);
}

TEST(pieces_of_functions_only_by_a_dot)
{
	set_up();
	CHECK_EQ(match("a.out", "pid_test_a*", "entry"), 0);
	CHECK_EQ(match("a.out", "pid_test_a.*", "entry"), 1);
	CHECK_EQ(match("a.out", "go?dot*", "entry"), 1); /* not a compiler's piece */
	CHECK_EQ(match("a.out", "pid_test_a.part.0", "return"), 1);
}

TEST(a_function_that_is_not_there)
{
	set_up();
	CHECK(match("a.out", "pid_test_fuor", "entry") < 0);
	check_fails(D_PROC_FUNC, "failed to lookup 'pid_test_fuor' in module 'a.out'; did you mean "
				 "pid_test_four?");
	CHECK(match("libc.so.6", "nothing_like_it", "entry") < 0);
	check_fails(D_PROC_FUNC, "failed to lookup 'nothing_like_it' in module 'libc.so.6'");
	CHECK_EQ(match("libc*", "nothing_like_it", "entry"), 0);
	CHECK_EQ(match("", "nothing_like_it", "entry"), 0);
	CHECK_EQ(match("libnone.so", "nothing_like_it", "entry"), 0);
	session->options.num[OPT_ZDEFS] = 1;
	CHECK_EQ(match("a.out", "pid_test_fuor", "entry"), 0);
}

TEST(a_probe_name_that_is_none)
{
	set_up();
	CHECK(match("a.out", "pid_test_two", "foo") < 0);
	check_fails(D_PROC_NAME, "'foo' is an invalid probe name");
	CHECK(match("libc", "-", "1f") < 0);
	check_fails(D_PROC_LIB, "only the a.out module is valid with the '-' function");
	CHECK(match("a.out", "-", "*") < 0);
	check_fails(D_PROC_NAME,
		    "only individual addresses may be specified with the '-' function");
}

TEST(offsets_of_instructions)
{
	set_up();
	CHECK_EQ(match("a.out", "pid_test_four", "0"), 1);
	CHECK_STR(found[0]->name, "0");
	CHECK_EQ(match("a.out", "pid_test_bytes", "1"), 1);
	CHECK_EQ(prov_pid.enable(found[0], &err), 0);
	CHECK_EQ(last_pc, (taddr_t)(uintptr_t)pid_test_bytes + 1);
	CHECK_EQ(match("a.out", "pid_test_bytes", ""), 5); /* 0, 1, 6, entry, return */
	CHECK_EQ(match("a.out", "pid_test_bytes", "[0-9]*"), 3);
	CHECK(match("a.out", "pid_test_bytes", "2") < 0);
	check_fails(D_PROC_ALIGN, "offset 0x2 is not aligned on an instruction");
	CHECK(match("a.out", "pid_test_bytes", "7") < 0);
	check_fails(D_PROC_OFF, "offset 0x7 outside of function 'pid_test_bytes'");
	CHECK_EQ(match("a.out", "pid_test_byt*", "7"), 0);
}

TEST(an_absolute_address)
{
	char addr[32];

	set_up();
	snprintf(addr, sizeof(addr), "%lx", (unsigned long)(uintptr_t)pid_test_bytes + 1);
	CHECK_EQ(match("a.out", "-", addr), 1);
	CHECK_STR(found[0]->func, "-");
	CHECK_EQ(prov_pid.enable(found[0], &err), 0);
	CHECK_EQ(last_pc, (taddr_t)(uintptr_t)pid_test_bytes + 1);
	snprintf(addr, sizeof(addr), "%lx", (unsigned long)(uintptr_t)pid_test_bytes + 2);
	CHECK(match("", "-", addr) < 0);
	CHECK_EQ(tag, D_PROC_ALIGN);
}

static void check_process(const char *text, int which, const char *message)
{
	struct probe_desc d = {text, "", "", "entry", 0};

	tag = D_NONE;
	CHECK(probe_match(session, &d, &found, &tag, &err) < 0);
	check_fails(which, message);
}

TEST(processes)
{
	char text[32], message[128];
	struct probe_desc nobody = {"pid12x", "", "", "entry", 0};

	set_up();
	check_process("pid0", D_PROC_BADPID, "'pid0' does not contain a valid pid");
	check_process("pid99999999999", D_PROC_BADPID,
		      "'pid99999999999' does not contain a valid pid");
	check_process("pid2147483647", D_PROC_GRAB, "failed to grab process 2147483647");
	check_process("pid1", D_PROC_GRAB, "failed to grab process 1: it is not allowed");
	snprintf(text, sizeof(text), "pid%d", session->front_pid);
	snprintf(message, sizeof(message), "process %d is dtrace itself", session->front_pid);
	check_process(text, D_PROC_DYN, message);
	CHECK_EQ(probe_match(session, &nobody, &found, &tag, &err), 0);
}

TEST(nothing_is_patched_before_enabling)
{
	set_up();
	CHECK_EQ(match("a.out", "pid_test_two", "entry"), 1);
	CHECK_EQ(nbkpts, 0);
	CHECK_EQ(prov_pid.enable(found[0], &err), 0);
	CHECK_EQ(nbkpts, 1);
	CHECK_EQ(last_pc, (taddr_t)(uintptr_t)pid_test_two);
	prov_pid.disable(found[0]);
	CHECK_EQ(nbkpts, 0);
}

TEST(what_cannot_be_probed)
{
	set_up();
	CHECK_EQ(match("a.out", "pid_test_two", "entry"), 1);
	bkpt_answer = -EINVAL;
	CHECK_EQ(prov_pid.enable(found[0], &err), -EINVAL);
	CHECK_STR(err.text, "failed to create entry probe for 'pid_test_two': it cannot be probed");
	CHECK_EQ(match("a.out", "pid_test_f*", "entry"), 1);
	CHECK_EQ(prov_pid.enable(found[0], &err), 0); /* of a pattern: counted */
	CHECK_EQ(pid_world_of(&world)->procs->nskipped, 1);
	CHECK_STR(pid_world_of(&world)->procs->skipped,
		  "failed to create entry probe for 'pid_test_four': it cannot be probed");
}

TEST(an_exec_starts_anew)
{
	uint32_t aspace;

	set_up();
	CHECK_EQ(match("a.out", "pid_test_two", "entry"), 1);
	CHECK_EQ(prov_pid.enable(found[0], &err), 0);
	aspace = room.target.aspace;
	pid_proc_ops.execed(&world, fake);
	CHECK(room.target.aspace != aspace);
	CHECK_EQ(nbkpts, 1); /* the tracer's business: bkpt_del was not called */
	found[0]->enabled = true;
	CHECK_EQ(match("a.out", "pid_test_two", "entry"), 1);
	CHECK_EQ(nbkpts, 2); /* an enabled probe is armed where it is found again */
	pid_proc_ops.exited(&world, fake);
	CHECK_EQ(match("a.out", "pid_test_two", "return"), 0);
}

TEST_MAIN();
