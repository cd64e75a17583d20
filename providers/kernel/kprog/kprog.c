#include "providers/kernel/kprog/kprog.h"

#include <sys/user.h>

#include "dlang/offload/pushdown.h"

#define RECORD(member) ((int)offsetof(struct kprog_record, member))
#define FRAMES_BYTES   (KPROG_FRAMES * sizeof(uint64_t))

/* Kept over calls: the context, the record, the pieces that could be read. */
enum { CTX = BPF_REG_6, REC = BPF_REG_7, GOT = BPF_REG_8 };

struct emitter {
	struct bpf_insn *at;
	unsigned n;
};

/* ---- one instruction ---- */

static void put(struct emitter *e, uint8_t code, unsigned dst, unsigned src, int off, int32_t imm)
{
	e->at[e->n++] = (struct bpf_insn){.code = code,
					  .dst_reg = dst & 15,
					  .src_reg = src & 15,
					  .off = (int16_t)off,
					  .imm = imm};
}

static void mov(struct emitter *e, unsigned dst, unsigned src)
{
	put(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void mov_imm(struct emitter *e, unsigned dst, int32_t imm)
{
	put(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

static void add_imm(struct emitter *e, unsigned dst, int32_t imm)
{
	put(e, BPF_ALU64 | BPF_ADD, dst, 0, 0, imm); /* BPF_K is 0 */
}

static void load64(struct emitter *e, unsigned dst, unsigned src_kind, uint64_t value)
{
	put(e, BPF_LD | BPF_IMM | BPF_DW, dst, src_kind, 0, (int32_t)value);
	put(e, 0, 0, 0, 0, (int32_t)(value >> 32));
}

static void load_map(struct emitter *e, unsigned dst, int fd)
{
	load64(e, dst, BPF_PSEUDO_MAP_FD, (uint32_t)fd);
}

static void call(struct emitter *e, int32_t helper)
{
	put(e, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void store64(struct emitter *e, unsigned dst, int off, unsigned src)
{
	put(e, BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0);
}

static void store32(struct emitter *e, unsigned dst, int off, unsigned src)
{
	put(e, BPF_STX | BPF_MEM | BPF_W, dst, src, off, 0);
}

static void fetch64(struct emitter *e, unsigned dst, unsigned src, int off)
{
	put(e, BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0);
}

/* A jump forward, to be aimed by land(). */
static unsigned jump(struct emitter *e, uint8_t op, unsigned dst, int32_t imm)
{
	put(e, BPF_JMP | op | BPF_K, dst, 0, 0, imm);
	return e->n - 1;
}

static void land(struct emitter *e, unsigned from)
{
	e->at[from].off = (int16_t)(e->n - from - 1);
}

static void leave(struct emitter *e)
{
	mov_imm(e, BPF_REG_0, 0);
	put(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* ---- parts ---- */

/* Adds one to a 64-bit element of a per-CPU array. */
static void count(struct emitter *e, int fd, uint32_t index)
{
	unsigned none;

	put(e, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, (int32_t)index);
	load_map(e, BPF_REG_1, fd);
	mov(e, BPF_REG_2, BPF_REG_10);
	add_imm(e, BPF_REG_2, -4);
	call(e, BPF_FUNC_map_lookup_elem);
	none = jump(e, BPF_JEQ, BPF_REG_0, 0);
	fetch64(e, BPF_REG_1, BPF_REG_0, 0);
	add_imm(e, BPF_REG_1, 1);
	store64(e, BPF_REG_0, 0, BPF_REG_1);
	land(e, none);
}

/* What a node asks for, to r1. */
static void fetch_subject(struct emitter *e, unsigned what)
{
	if (what > BPF_FILTER_TID) {
		fetch64(e, BPF_REG_1, CTX, (int)(what - BPF_FILTER_ARG0) * 8);
		return;
	}
	call(e, BPF_FUNC_get_current_pid_tgid);
	mov(e, BPF_REG_1, BPF_REG_0);
	if (what == BPF_FILTER_TID)
		put(e, BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_1, 0, 0, 32);
	put(e, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_1, 0, 0, 32);
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
		leave(e);
	for (unsigned i = nnodes; i-- > 0;) {
		const struct bpf_filter_node *node = &s->nodes[i];

		for (unsigned j = 0; j < n; j++)
			if (to[j] == i)
				land(e, from[j]);
		fetch_subject(e, node->what);
		load64(e, BPF_REG_2, 0, node->value);
		put(e, BPF_JMP | jumps[node->op] | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0);
		from[n] = e->n - 1;
		to[n++] = node->yes;
		from[n] = jump(e, BPF_JA, 0, 0);
		to[n++] = node->no;
	}
	for (unsigned j = 0; j < n; j++)
		if (to[j] == BPF_FILTER_STOP)
			land(e, from[j]);
	if (n)
		leave(e);
	for (unsigned j = 0; j < n; j++)
		if (to[j] == BPF_FILTER_PASS)
			land(e, from[j]);
}

/* Leaves where the process is none that is meant. */
static void choose_process(struct emitter *e, const struct kprog *k)
{
	unsigned go;

	call(e, BPF_FUNC_get_current_pid_tgid);
	put(e, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 32);
	for (unsigned i = 0; i < KPROG_OWN; i++) {
		if (!k->own[i])
			continue;
		go = jump(e, BPF_JNE, BPF_REG_0, (int32_t)k->own[i]);
		leave(e);
		land(e, go);
	}
}

static void reserve(struct emitter *e, const struct kprog *k)
{
	unsigned has_room;

	load_map(e, BPF_REG_1, k->ring_fd);
	mov_imm(e, BPF_REG_2, (int32_t)k->size);
	mov_imm(e, BPF_REG_3, 0);
	call(e, BPF_FUNC_ringbuf_reserve);
	mov(e, REC, BPF_REG_0);
	has_room = jump(e, BPF_JNE, BPF_REG_0, 0);
	count(e, k->lost_fd, 0);
	leave(e);
	land(e, has_room);
}

static void fill_head(struct emitter *e, const struct kprog *k)
{
	call(e, BPF_FUNC_ktime_get_ns);
	store64(e, REC, RECORD(head.time_ns), BPF_REG_0);
	put(e, BPF_ST | BPF_MEM | BPF_W, REC, 0, RECORD(head.kind), BPF_KIND_KERNEL);
	call(e, BPF_FUNC_get_smp_processor_id);
	store32(e, REC, RECORD(head.cpu), BPF_REG_0);
	call(e, BPF_FUNC_get_current_pid_tgid);
	store32(e, REC, RECORD(head.tid), BPF_REG_0);
	put(e, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 32);
	store32(e, REC, RECORD(head.pid), BPF_REG_0);
	call(e, BPF_FUNC_get_current_task);
	store64(e, REC, RECORD(thread), BPF_REG_0);
	put(e, BPF_ST | BPF_MEM | BPF_W, REC, 0, RECORD(index), (int32_t)k->index);
	mov_imm(e, GOT, 0);
}

/* Trampolines give arguments and result by value through helpers: a direct load would be a typed
 * pointer, which the verifier lets nobody store in every kernel. */
static void fill_args(struct emitter *e, const struct kprog *k)
{
	for (unsigned i = 0; i < k->nargs; i++) {
		if (k->kind == KPROG_RAW) {
			fetch64(e, BPF_REG_1, CTX, (int)i * 8);
			store64(e, REC, RECORD(args) + (int)i * 8, BPF_REG_1);
			continue;
		}
		mov(e, BPF_REG_1, CTX);
		mov_imm(e, BPF_REG_2, (int32_t)i);
		mov(e, BPF_REG_3, BPF_REG_10);
		add_imm(e, BPF_REG_3, -8);
		put(e, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0);
		call(e, BPF_FUNC_get_func_arg);
		fetch64(e, BPF_REG_1, BPF_REG_10, -8);
		store64(e, REC, RECORD(args) + (int)i * 8, BPF_REG_1);
	}
	if (!k->has_result)
		return;
	mov(e, BPF_REG_1, CTX);
	mov(e, BPF_REG_2, BPF_REG_10);
	add_imm(e, BPF_REG_2, -8);
	put(e, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0);
	call(e, BPF_FUNC_get_func_ret);
	fetch64(e, BPF_REG_1, BPF_REG_10, -8);
	store64(e, REC, RECORD(result), BPF_REG_1);
}

static void fill_stack(struct emitter *e, int at, int bytes, int32_t flags)
{
	mov(e, BPF_REG_1, CTX);
	mov(e, BPF_REG_2, REC);
	add_imm(e, BPF_REG_2, at);
	mov_imm(e, BPF_REG_3, FRAMES_BYTES);
	mov_imm(e, BPF_REG_4, flags);
	call(e, BPF_FUNC_get_stack);
	store32(e, REC, bytes, BPF_REG_0);
}

/* Registers of the thread on its way into the kernel, and its stack from rsp on, by the piece. */
static void fill_user(struct emitter *e, int at)
{
	enum { PIECE = 1024 };
	unsigned failed[KPROG_STACK / PIECE];

	call(e, BPF_FUNC_get_current_task_btf);
	mov(e, BPF_REG_1, BPF_REG_0);
	call(e, BPF_FUNC_task_pt_regs);
	mov(e, BPF_REG_3, BPF_REG_0);
	mov(e, BPF_REG_1, REC);
	add_imm(e, BPF_REG_1, at + (int)offsetof(struct kprog_user, regs));
	mov_imm(e, BPF_REG_2, BPF_USER_REGS * 8);
	call(e, BPF_FUNC_probe_read_kernel);
	put(e, BPF_ST | BPF_MEM | BPF_DW, REC, 0, at, 0);
	for (int i = 0; i < KPROG_STACK / PIECE; i++) {
		fetch64(e, BPF_REG_3, REC,
			at + (int)(offsetof(struct kprog_user, regs) +
				   offsetof(struct user_regs_struct, rsp)));
		add_imm(e, BPF_REG_3, i * PIECE);
		mov(e, BPF_REG_1, REC);
		add_imm(e, BPF_REG_1, at + (int)offsetof(struct kprog_user, bytes) + i * PIECE);
		mov_imm(e, BPF_REG_2, PIECE);
		call(e, BPF_FUNC_probe_read_user);
		failed[i] = jump(e, BPF_JSLT, BPF_REG_0, 0);
		put(e, BPF_ST | BPF_MEM | BPF_DW, REC, 0, at, (i + 1) * PIECE);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(failed); i++)
		land(e, failed[i]);
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
	case MEM_ABSOLUTE:
		load64(e, BPF_REG_3, 0, (uint64_t)m->off);
		return 0;
	case MEM_ARG:
		fetch64(e, BPF_REG_3, REC, arg_at(k, m->index));
		break;
	case MEM_THREAD:
		fetch64(e, BPF_REG_3, REC, RECORD(thread));
		break;
	case MEM_PIECE:
		mov(e, BPF_REG_1, GOT);
		put(e, BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_1, 0, 0, 1 << m->index);
		missing = jump(e, BPF_JEQ, BPF_REG_1, 0);
		fetch64(e, BPF_REG_3, REC, (int)k->at[m->index]);
		break;
	}
	load64(e, BPF_REG_1, 0, (uint64_t)m->off);
	put(e, BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_3, BPF_REG_1, 0, 0);
	return missing;
}

/* Addresses of the kernel are negative. */
static void fill_piece(struct emitter *e, const struct kprog *k, unsigned i)
{
	const struct capture_mem *m = &k->capture.mem[i];
	unsigned missing = find_address(e, k, m), is_kernel, behind, failed;

	mov(e, BPF_REG_1, REC);
	add_imm(e, BPF_REG_1, (int32_t)k->at[i]);
	mov_imm(e, BPF_REG_2, (int32_t)m->len);
	is_kernel = jump(e, BPF_JSLT, BPF_REG_3, 0);
	call(e, m->is_string ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_user);
	behind = jump(e, BPF_JA, 0, 0);
	land(e, is_kernel);
	call(e, m->is_string ? BPF_FUNC_probe_read_kernel_str : BPF_FUNC_probe_read_kernel);
	land(e, behind);
	failed = jump(e, BPF_JSLT, BPF_REG_0, 0);
	put(e, BPF_ALU64 | BPF_OR | BPF_K, GOT, 0, 0, 1 << i);
	land(e, failed);
	if (missing)
		land(e, missing);
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
	struct emitter e = {insns, 0};
	int frames = (int)ROUND_UP(sizeof(struct kprog_record), 8);

	place(k);
	mov(&e, CTX, BPF_REG_1);
	choose_process(&e, k);
	ask(&e, &k->filter);
	if (k->is_counted) {
		count(&e, k->counts_fd, k->index);
		leave(&e);
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
	store32(&e, REC, RECORD(got), GOT);
	mov(&e, BPF_REG_1, REC);
	mov_imm(&e, BPF_REG_2, BPF_RB_NO_WAKEUP);
	call(&e, BPF_FUNC_ringbuf_submit);
	leave(&e);
	return e.n;
}
