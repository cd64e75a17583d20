#include "providers/kernel/kprog/stackcode.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/base.h"

#define MIN_STACKS 64
#define MAX_STACKS 65536

/* Odd, and as many ones as zeros: from the golden ratio and from the square root of 3. */
#define SEED_A UINT64_C(0x9e3779b97f4a7c15)
#define SEED_B UINT64_C(0xbb67ae8584caa73b)

int stack_maps_make(struct stack_maps *m, unsigned nprograms, size_t size)
{
	const uint32_t each = (uint32_t)STACKCODE_SIZE(m->nframes);
	const uint32_t n = (uint32_t)MAX(MIN(size / each, (size_t)MAX_STACKS), (size_t)MIN_STACKS);

	if (!m->nframes)
		return 0;
	m->stacks_fd =
		bpf_map_create(BPF_MAP_TYPE_HASH, "stacks", STACKCODE_WORDS * 8, each, n, NULL);
	if (m->stacks_fd < 0)
		return -errno;
	m->frames_fd =
		bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "frames", 4, each, nprograms, NULL);
	return m->frames_fd < 0 ? -errno : 0;
}

void stack_maps_close(struct stack_maps *m)
{
	if (m->stacks_fd >= 0)
		close(m->stacks_fd);
	if (m->frames_fd >= 0)
		close(m->frames_fd);
}

/* The stack into the element at r0, which is kept in the frame; how many bytes it has, to r2, and
 * the element to r1. */
static void get_stack(struct emitter *e, unsigned nframes, const struct stackcode *sc)
{
	unsigned is_there;

	emit_store64(e, BPF_REG_10, sc->spare, BPF_REG_0);
	emit_mov(e, BPF_REG_2, BPF_REG_0);
	emit_add_imm(e, BPF_REG_2, STACKCODE_HEAD * 8);
	emit_mov(e, BPF_REG_1, sc->task ? sc->task : sc->ctx);
	emit_mov_imm(e, BPF_REG_3, (int32_t)nframes * 8);
	emit_mov_imm(e, BPF_REG_4, sc->is_user ? BPF_F_USER_STACK : 0);
	emit_call(e, sc->task ? BPF_FUNC_get_task_stack : BPF_FUNC_get_stack);
	emit_mov(e, BPF_REG_2, BPF_REG_0);
	is_there = emit_jump(e, BPF_JSGE, BPF_REG_2, 0);
	emit_mov_imm(e, BPF_REG_2, 0);
	emit_land(e, is_there);
	emit_load64(e, BPF_REG_1, BPF_REG_10, sc->spare);
	emit_store64(e, BPF_REG_1, 0, BPF_REG_2);
	emit_store_imm(e, BPF_REG_1, 8, 0);
}

/* r3 to what the words follow from: r0 and r4, by r5. */
static void mix(struct emitter *e)
{
	emit_alu(e, BPF_XOR, BPF_REG_0, BPF_REG_3);
	emit_alu(e, BPF_MUL, BPF_REG_0, BPF_REG_5);
	emit_alu(e, BPF_ADD, BPF_REG_4, BPF_REG_3);
	emit_alu(e, BPF_MUL, BPF_REG_4, BPF_REG_5);
}

static void mix_process(struct emitter *e, const struct stackcode *sc)
{
	emit_load32(e, BPF_REG_3, sc->thread, sc->tgid_at);
	mix(e);
	emit_load32(e, BPF_REG_3, sc->thread, sc->execs_at);
	mix(e);
}

/* Of the r2 bytes of frames in the element at r1. */
static void write_words(struct emitter *e, unsigned nframes, const struct stackcode *sc)
{
	unsigned ends[STACKCODE_FRAMES + STACKCODE_OWN];

	emit_const(e, BPF_REG_0, 0, SEED_A);
	emit_const(e, BPF_REG_4, 0, SEED_B);
	emit_const(e, BPF_REG_5, 0, SEED_A);
	if (sc->is_user)
		mix_process(e, sc);
	for (unsigned i = 0; i < nframes; i++) {
		ends[i] = emit_jump(e, BPF_JSLE, BPF_REG_2, (int32_t)i * 8);
		emit_load64(e, BPF_REG_3, BPF_REG_1, (STACKCODE_HEAD + (int)i) * 8);
		mix(e);
	}
	for (unsigned i = 0; i < nframes; i++)
		emit_land(e, ends[i]);
	emit_store64(e, BPF_REG_10, sc->at, BPF_REG_0);
	emit_store64(e, BPF_REG_10, sc->at + 8, BPF_REG_4);
}

/* When it was first seen, to the element. */
static void write_time(struct emitter *e, const struct stackcode *sc)
{
	emit_call(e, BPF_FUNC_ktime_get_ns);
	emit_load64(e, BPF_REG_1, BPF_REG_10, sc->spare);
	emit_store64(e, BPF_REG_1, 8, BPF_REG_0);
}

struct stack_exits stackcode_write(struct emitter *e, const struct stack_maps *m,
				   const struct stackcode *sc)
{
	struct stack_exits x;
	unsigned is_known;

	emit_store_imm(e, BPF_REG_10, sc->spare, (int32_t)sc->program);
	emit_map_key(e, m->frames_fd, sc->spare);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	x.at[0] = emit_jump(e, BPF_JEQ, BPF_REG_0, 0);
	get_stack(e, m->nframes, sc);
	write_words(e, m->nframes, sc);
	emit_map_key(e, m->stacks_fd, sc->at);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	is_known = emit_jump(e, BPF_JNE, BPF_REG_0, 0);
	if (sc->is_user)
		write_time(e, sc);
	x.at[1] = emit_keep(e, m->stacks_fd, sc->at, sc->spare);
	emit_land(e, is_known);
	return x;
}
