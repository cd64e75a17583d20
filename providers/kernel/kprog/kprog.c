#include "providers/kernel/kprog/kprog.h"

#include <sys/user.h>

#include "dlang/offload/pushdown.h"
#include "providers/kernel/kprog/emit.h"

#define RECORD(member) ((int)offsetof(struct kprog_record, member))
#define FRAMES_BYTES   (KPROG_FRAMES * sizeof(uint64_t))

/* Kept over calls: the context, the record, the pieces that could be read. */
enum { CTX = BPF_REG_6, REC = BPF_REG_7, GOT = BPF_REG_8 };

/* ---- parts ---- */

/* What a node asks for, to r1. */
static void fetch_subject(struct emitter *e, unsigned what)
{
	if (what > BPF_FILTER_TID) {
		emit_load64(e, BPF_REG_1, CTX, (int)(what - BPF_FILTER_ARG0) * 8);
		return;
	}
	emit_call(e, BPF_FUNC_get_current_pid_tgid);
	emit_mov(e, BPF_REG_1, BPF_REG_0);
	if (what == BPF_FILTER_TID)
		emit_insn(e, BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_1, 0, 0, 32);
	emit_insn(e, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_1, 0, 0, 32);
}

/*
 * Leaves where nobody asks for the event. The root is the last of the nodes, and each leads to
 * earlier ones: from the last to the first all jumps go forward.
 */
static void ask(struct emitter *e, const struct bpf_filter *s)
{
	static const uint8_t jumps[] = {
		[FILTER_EQ] = BPF_JEQ,	[FILTER_LT] = BPF_JSLT, [FILTER_LE] = BPF_JSLE,
		[FILTER_LTU] = BPF_JLT, [FILTER_LEU] = BPF_JLE, [FILTER_AND] = BPF_JSET};
	unsigned from[2 * BPF_FILTER_NODES], to[2 * BPF_FILTER_NODES], n = 0;
	unsigned nnodes = s->root < BPF_FILTER_NODES ? (unsigned)s->root + 1 : 0;

	if (s->root == BPF_FILTER_STOP)
		emit_leave(e);
	for (unsigned i = nnodes; i-- > 0;) {
		const struct bpf_filter_node *node = &s->nodes[i];

		for (unsigned j = 0; j < n; j++)
			if (to[j] == i)
				emit_land(e, from[j]);
		fetch_subject(e, node->what);
		emit_const(e, BPF_REG_2, 0, node->value);
		emit_insn(e, BPF_JMP | jumps[node->op] | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0);
		from[n] = e->n - 1;
		to[n++] = node->yes;
		from[n] = emit_jump(e, BPF_JA, 0, 0);
		to[n++] = node->no;
	}
	for (unsigned j = 0; j < n; j++)
		if (to[j] == BPF_FILTER_STOP)
			emit_land(e, from[j]);
	if (n)
		emit_leave(e);
	for (unsigned j = 0; j < n; j++)
		if (to[j] == BPF_FILTER_PASS)
			emit_land(e, from[j]);
}

/* Leaves where the process is none that is meant. */
static void choose_process(struct emitter *e, const struct kprog *k)
{
	unsigned go;

	emit_call(e, BPF_FUNC_get_current_pid_tgid);
	emit_insn(e, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 32);
	for (unsigned i = 0; i < KPROG_OWN; i++) {
		if (!k->own[i])
			continue;
		go = emit_jump(e, BPF_JNE, BPF_REG_0, (int32_t)k->own[i]);
		emit_leave(e);
		emit_land(e, go);
	}
}

static void reserve(struct emitter *e, const struct kprog *k)
{
	unsigned has_room;

	emit_map(e, BPF_REG_1, k->ring_fd);
	emit_mov_imm(e, BPF_REG_2, (int32_t)k->size);
	emit_mov_imm(e, BPF_REG_3, 0);
	emit_call(e, BPF_FUNC_ringbuf_reserve);
	emit_mov(e, REC, BPF_REG_0);
	has_room = emit_jump(e, BPF_JNE, BPF_REG_0, 0);
	emit_count(e, k->lost_fd, 0);
	emit_leave(e);
	emit_land(e, has_room);
}

static void fill_head(struct emitter *e, const struct kprog *k)
{
	emit_call(e, BPF_FUNC_ktime_get_ns);
	emit_store64(e, REC, RECORD(head.time_ns), BPF_REG_0);
	emit_insn(e, BPF_ST | BPF_MEM | BPF_W, REC, 0, RECORD(head.kind), BPF_KIND_KERNEL);
	emit_call(e, BPF_FUNC_get_smp_processor_id);
	emit_store32(e, REC, RECORD(head.cpu), BPF_REG_0);
	emit_call(e, BPF_FUNC_get_current_pid_tgid);
	emit_store32(e, REC, RECORD(head.tid), BPF_REG_0);
	emit_insn(e, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 32);
	emit_store32(e, REC, RECORD(head.pid), BPF_REG_0);
	emit_call(e, BPF_FUNC_get_current_task);
	emit_store64(e, REC, RECORD(thread), BPF_REG_0);
	emit_insn(e, BPF_ST | BPF_MEM | BPF_W, REC, 0, RECORD(index), (int32_t)k->index);
	emit_mov_imm(e, GOT, 0);
}

/* Trampolines give arguments and result by value through helpers: a direct load would be a typed
 * pointer, which the verifier lets nobody store in every kernel. */
static void fill_args(struct emitter *e, const struct kprog *k)
{
	for (unsigned i = 0; i < k->nargs; i++) {
		if (k->kind == KPROG_RAW) {
			emit_load64(e, BPF_REG_1, CTX, (int)i * 8);
			emit_store64(e, REC, RECORD(args) + (int)i * 8, BPF_REG_1);
			continue;
		}
		emit_mov(e, BPF_REG_1, CTX);
		emit_mov_imm(e, BPF_REG_2, (int32_t)i);
		emit_mov(e, BPF_REG_3, BPF_REG_10);
		emit_add_imm(e, BPF_REG_3, -8);
		emit_insn(e, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0);
		emit_call(e, BPF_FUNC_get_func_arg);
		emit_load64(e, BPF_REG_1, BPF_REG_10, -8);
		emit_store64(e, REC, RECORD(args) + (int)i * 8, BPF_REG_1);
	}
	if (!k->has_result)
		return;
	emit_mov(e, BPF_REG_1, CTX);
	emit_mov(e, BPF_REG_2, BPF_REG_10);
	emit_add_imm(e, BPF_REG_2, -8);
	emit_insn(e, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0);
	emit_call(e, BPF_FUNC_get_func_ret);
	emit_load64(e, BPF_REG_1, BPF_REG_10, -8);
	emit_store64(e, REC, RECORD(result), BPF_REG_1);
}

static void fill_stack(struct emitter *e, int at, int bytes, int32_t flags)
{
	emit_mov(e, BPF_REG_1, CTX);
	emit_mov(e, BPF_REG_2, REC);
	emit_add_imm(e, BPF_REG_2, at);
	emit_mov_imm(e, BPF_REG_3, FRAMES_BYTES);
	emit_mov_imm(e, BPF_REG_4, flags);
	emit_call(e, BPF_FUNC_get_stack);
	emit_store32(e, REC, bytes, BPF_REG_0);
}

/* Registers of the thread on its way into the kernel, and its stack from rsp on, by the piece. */
static void fill_user(struct emitter *e, int at)
{
	enum { PIECE = 1024 };
	unsigned failed[KPROG_STACK / PIECE];

	emit_call(e, BPF_FUNC_get_current_task_btf);
	emit_mov(e, BPF_REG_1, BPF_REG_0);
	emit_call(e, BPF_FUNC_task_pt_regs);
	emit_mov(e, BPF_REG_3, BPF_REG_0);
	emit_mov(e, BPF_REG_1, REC);
	emit_add_imm(e, BPF_REG_1, at + (int)offsetof(struct kprog_user, regs));
	emit_mov_imm(e, BPF_REG_2, BPF_USER_REGS * 8);
	emit_call(e, BPF_FUNC_probe_read_kernel);
	emit_insn(e, BPF_ST | BPF_MEM | BPF_DW, REC, 0, at, 0);
	for (int i = 0; i < KPROG_STACK / PIECE; i++) {
		emit_load64(e, BPF_REG_3, REC,
			    at + (int)(offsetof(struct kprog_user, regs) +
				       offsetof(struct user_regs_struct, rsp)));
		emit_add_imm(e, BPF_REG_3, i * PIECE);
		emit_mov(e, BPF_REG_1, REC);
		emit_add_imm(e, BPF_REG_1,
			     at + (int)offsetof(struct kprog_user, bytes) + i * PIECE);
		emit_mov_imm(e, BPF_REG_2, PIECE);
		emit_call(e, BPF_FUNC_probe_read_user);
		failed[i] = emit_jump(e, BPF_JSLT, BPF_REG_0, 0);
		emit_insn(e, BPF_ST | BPF_MEM | BPF_DW, REC, 0, at, (i + 1) * PIECE);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(failed); i++)
		emit_land(e, failed[i]);
}

/* Where the record has argN of the probe: of a return arg0 is unknown, arg1 the result. */
static int arg_at(const struct kprog *k, unsigned n)
{
	if (k->kind != KPROG_RETURN)
		return RECORD(args) + (int)n * 8;
	return n < 2 ? RECORD(result) : RECORD(args) + (int)(n - 2) * 8;
}

/* The address of a piece to r3. Returns a jump to be landed behind it, 0: there is none. */
static unsigned find_address(struct emitter *e, const struct kprog *k, const struct capture_mem *m)
{
	unsigned missing = 0;

	switch (m->base) {
	case MEM_REG: /* not asked for: struct capture.has_regs */
	case MEM_ABSOLUTE:
		emit_const(e, BPF_REG_3, 0, (uint64_t)m->off);
		return 0;
	case MEM_ARG:
		emit_load64(e, BPF_REG_3, REC, arg_at(k, m->index));
		break;
	case MEM_THREAD:
		emit_load64(e, BPF_REG_3, REC, RECORD(thread));
		break;
	case MEM_PIECE:
		emit_mov(e, BPF_REG_1, GOT);
		emit_insn(e, BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_1, 0, 0, 1 << m->index);
		missing = emit_jump(e, BPF_JEQ, BPF_REG_1, 0);
		emit_load64(e, BPF_REG_3, REC, (int)k->at[m->index]);
		break;
	}
	emit_const(e, BPF_REG_1, 0, (uint64_t)m->off);
	emit_insn(e, BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_3, BPF_REG_1, 0, 0);
	return missing;
}

/* Addresses of the kernel are negative. */
static void fill_piece(struct emitter *e, const struct kprog *k, unsigned i)
{
	const struct capture_mem *m = &k->capture.mem[i];
	unsigned missing = find_address(e, k, m), is_kernel, behind, failed;

	emit_mov(e, BPF_REG_1, REC);
	emit_add_imm(e, BPF_REG_1, (int32_t)k->at[i]);
	emit_mov_imm(e, BPF_REG_2, (int32_t)m->len);
	is_kernel = emit_jump(e, BPF_JSLT, BPF_REG_3, 0);
	emit_call(e, m->is_string ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_user);
	behind = emit_jump(e, BPF_JA, 0, 0);
	emit_land(e, is_kernel);
	emit_call(e, m->is_string ? BPF_FUNC_probe_read_kernel_str : BPF_FUNC_probe_read_kernel);
	emit_land(e, behind);
	failed = emit_jump(e, BPF_JSLT, BPF_REG_0, 0);
	emit_insn(e, BPF_ALU64 | BPF_OR | BPF_K, GOT, 0, 0, 1 << i);
	emit_land(e, failed);
	if (missing)
		emit_land(e, missing);
}

/* ---- all of it ---- */

static void place(struct kprog *k)
{
	k->size = ROUND_UP((uint32_t)sizeof(struct kprog_record), 8);
	k->size += k->kstack ? FRAMES_BYTES : 0;
	k->size += !k->ustack ? 0 : k->copies_stack ? sizeof(struct kprog_user) : FRAMES_BYTES;
	for (unsigned i = 0; i < k->capture.nmem; i++) {
		k->at[i] = k->size;
		k->size += ROUND_UP(k->capture.mem[i].len, 8);
	}
}

unsigned kprog_make(struct kprog *k, struct bpf_insn *insns)
{
	struct emitter e = {.at = insns, .max = KPROG_MAX};
	int frames = (int)ROUND_UP(sizeof(struct kprog_record), 8);

	place(k);
	emit_mov(&e, CTX, BPF_REG_1);
	choose_process(&e, k);
	ask(&e, &k->filter);
	if (k->is_counted) {
		emit_count(&e, k->counts_fd, k->index);
		emit_leave(&e);
		return e.n;
	}
	reserve(&e, k);
	fill_head(&e, k);
	fill_args(&e, k);
	if (k->kstack) {
		fill_stack(&e, frames, RECORD(kbytes), 0);
		frames += FRAMES_BYTES;
	}
	if (k->ustack && k->copies_stack)
		fill_user(&e, frames);
	else if (k->ustack)
		fill_stack(&e, frames, RECORD(ubytes), BPF_F_USER_STACK);
	for (unsigned i = 0; i < k->capture.nmem; i++)
		fill_piece(&e, k, i);
	emit_store32(&e, REC, RECORD(got), GOT);
	emit_mov(&e, BPF_REG_1, REC);
	emit_mov_imm(&e, BPF_REG_2, BPF_RB_NO_WAKEUP);
	emit_call(&e, BPF_FUNC_ringbuf_submit);
	emit_leave(&e);
	return e.n;
}
