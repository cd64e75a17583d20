/*
 * What clauses compute in the kernel is what the machine computes: programs that
 * providers/kernel/kprog writes of DIF are run by the kernel (BPF_PROG_TEST_RUN) beside it, with
 * random code and random arguments. DIFCODE_PROGRAMS in the environment: more of them.
 */
#include "providers/kernel/kprog/difcode.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include "dlang/run/aggtable.h"
#include "providers/kernel/bpfcount.h"
#include "providers/kernel/kprog/bucketcode.h"
#include "tests/unit/test.h"
#include "tests/unit/vmrig.h"

#define NARGS  6
#define NREGS  7 /* %r1 and those behind it */
#define INPUTS 8 /* of each program */

static uint64_t seed = 1;

/* Never 0 twice (xorshift64*). */
static uint64_t any(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * UINT64_C(2685821657736338717);
}

static unsigned below(unsigned n)
{
	return (unsigned)(any() >> 33) % n;
}

/* At the edges, as a rule. */
static uint64_t number(void)
{
	static const uint64_t edges[] = {0, 1, 2, 3, 7, 31, 32, 63, 64, 255, 4096, INT32_MAX};
	uint64_t n = below(4) ? edges[below(ARRAY_SIZE(edges))] : any() >> below(64);

	if (below(6) == 0)
		n = 1ULL << below(64);
	if (below(6) == 0)
		n -= 1;
	return below(3) ? n : -n;
}

/* ---- programs ---- */

static int result_fd = -1; /* an array of one number */

/* Arguments to where programs of clauses have them. */
static void begin(struct emitter *e)
{
	emit_mov(e, CTX, BPF_REG_1);
	for (int i = 0; i < NARGS; i++) {
		emit_load64(e, BPF_REG_1, CTX, i * 8);
		emit_store64(e, BPF_REG_10, FRAME_ARGS + i * 8, BPF_REG_1);
	}
}

/* r1 is the result. */
static int end(struct emitter *e)
{
	int fd;

	emit_const(e, BPF_REG_2, BPF_PSEUDO_MAP_VALUE, (uint32_t)result_fd);
	emit_store64(e, BPF_REG_2, 0, BPF_REG_1);
	emit_leave(e);
	CHECK(!e->is_full);
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "oracle", "GPL", e->at, e->n, NULL);
	CHECK(fd >= 0);
	return fd;
}

static uint64_t run(int fd, const uint64_t *args)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = NARGS * 8);
	const uint32_t zero = 0;
	uint64_t v = 0;

	CHECK_EQ(bpf_prog_test_run_opts(fd, &opts), 0);
	CHECK_EQ(bpf_map_lookup_elem(result_fd, &zero, &v), 0);
	return v;
}

/* Skips where programs may not be loaded. */
static void need_programs(void)
{
	struct bpf_insn insns[32];
	struct emitter e = {.at = insns, .max = ARRAY_SIZE(insns)};
	int fd;

	if (result_fd < 0)
		result_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "result", 4, 8, 1, NULL);
	if (result_fd < 0)
		SKIP("the kernel takes no maps from us");
	begin(&e);
	emit_leave(&e);
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "probe", "GPL", insns, e.n, NULL);
	if (fd < 0)
		SKIP("the kernel takes no programs from us");
	close(fd);
}

/* ---- random DIF ---- */

static unsigned reg(void)
{
	return 1 + below(NREGS);
}

static void emit_load(unsigned rd)
{
	if (below(2))
		rig_emit(DIF_INDEX(DIF_OP_LDGS, BUILTIN_ARG0 + below(NARGS), rd));
	else
		rig_setx(number(), rd);
}

static void emit_one(void)
{
	static const uint8_t ops[] = {DIF_OP_OR,  DIF_OP_XOR, DIF_OP_AND, DIF_OP_SLL, DIF_OP_SRL,
				      DIF_OP_SRA, DIF_OP_SUB, DIF_OP_ADD, DIF_OP_MUL};
	static const uint8_t divisions[] = {DIF_OP_SDIV, DIF_OP_UDIV, DIF_OP_SREM, DIF_OP_UREM};
	uint64_t by;

	switch (below(10)) {
	case 0:
		emit_load(reg());
		break;
	case 1:
		rig_emit(DIF_FMT(below(2) ? DIF_OP_NOT : DIF_OP_MOV, reg(), 0, reg()));
		break;
	case 2:
		do
			by = number();
		while (!by);
		rig_setx(by, NREGS);
		rig_emit(DIF_FMT(divisions[below(4)], reg(), NREGS, reg()));
		break;
	default:
		rig_emit(DIF_FMT(ops[below(ARRAY_SIZE(ops))], reg(), reg(), reg()));
	}
}

/* Forward, across a few instructions. */
static void emit_branch(void)
{
	static const uint8_t branches[] = {DIF_OP_BE,  DIF_OP_BNE,  DIF_OP_BG, DIF_OP_BGU,
					   DIF_OP_BGE, DIF_OP_BGEU, DIF_OP_BL, DIF_OP_BLU,
					   DIF_OP_BLE, DIF_OP_BLEU};
	const uint8_t op = branches[below(ARRAY_SIZE(branches))];
	unsigned at;

	if (below(3))
		rig_emit(DIF_FMT(DIF_OP_CMP, reg(), reg(), 0));
	else
		rig_emit(DIF_FMT(DIF_OP_TST, reg(), 0, 0));
	at = rig.difo.ninsns;
	rig_emit(0);
	for (unsigned n = 1 + below(4); n; n--)
		emit_one();
	rig.text[at] = DIF_LABEL(op, rig.difo.ninsns);
}

static const struct difo *random_difo(void)
{
	struct err err = {0};
	const struct difo *d;

	rig_begin();
	for (unsigned r = 1; r <= NREGS; r++)
		emit_load(r);
	for (unsigned n = 4 + below(20); n && rig.difo.nints < 48; n--)
		if (below(4))
			emit_one();
		else
			emit_branch();
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, reg()));
	d = rig_end();
	if (verify_difo(d, &err))
		TEST_FAIL("%s", err.text);
	return d;
}

static void check_one(struct bpf_insn *insns, unsigned max)
{
	static const struct clause_offsets nowhere;
	static const struct clause_group none;
	struct emitter e = {.at = insns, .max = max};
	struct difwriter w = {.e = &e,
			      .session = rig.session,
			      .group = &none,
			      .at = &nowhere,
			      .kind = CLAUSES_OF_ENTRIES};
	const struct difo *d = random_difo();
	uint64_t args[NARGS], ours;
	int fd;

	begin(&e);
	if (!difwriter_value(&w, d, FRAME_VALUE))
		TEST_FAIL("refused: %s", w.why);
	emit_load64(&e, BPF_REG_1, BPF_REG_10, FRAME_VALUE);
	fd = end(&e);
	for (unsigned i = 0; i < INPUTS; i++) {
		for (unsigned a = 0; a < NARGS; a++)
			rig.ev.args[a] = args[a] = number();
		vm_begin_clause(rig.vm, &rig.ecb);
		CHECK(vm_run(rig.vm, d, &ours));
		CHECK_EQ(run(fd, args), ours);
	}
	close(fd);
}

TEST(random_expressions_are_what_the_machine_computes)
{
	static struct bpf_insn insns[8192];
	const char *asked = getenv("DIFCODE_PROGRAMS");
	unsigned n = asked ? (unsigned)strtoul(asked, NULL, 10) : 300;

	need_programs();
	for (unsigned i = 0; i < n; i++) {
		if (i % 50 == 0)
			rig_default();
		check_one(insns, ARRAY_SIZE(insns));
	}
}

/* ---- buckets ---- */

static void check_buckets(const struct aggvar *var, const struct bpf_count *c)
{
	static struct bpf_insn insns[8192];
	struct emitter e = {.at = insns, .max = ARRAY_SIZE(insns)};
	uint64_t args[NARGS] = {0};
	int fd;

	begin(&e);
	emit_load64(&e, BPF_REG_1, BPF_REG_10, FRAME_ARGS);
	bucketcode_write(&e, var, c);
	emit_mov(&e, BPF_REG_1, BPF_REG_2);
	fd = end(&e);
	for (unsigned i = 0; i < 2000; i++) {
		args[0] = number();
		CHECK_EQ(run(fd, args), var->func->hist->index(var->params, (int64_t)args[0]));
	}
	close(fd);
}

TEST(values_fall_into_the_buckets_of_the_engine)
{
	const struct aggvar quantize = {.func = &aggfunc_quantize};
	const struct bpf_count powers = {.func = BPF_COUNT_QUANTIZE};
	const struct aggvar lquantize = {.func = &aggfunc_lquantize, .params = {-100, 1000, 7}};
	struct bpf_count steps = {.func = BPF_COUNT_LQUANTIZE, .base = -100, .step = 7};
	static const int64_t magnitudes[][4] = {{10, 0, 6, 10}, {2, 1, 8, 4}, {7, 0, 3, 49}};

	need_programs();
	check_buckets(&quantize, &powers);
	steps.levels = lquantize.func->hist->nbuckets(lquantize.params) - 2;
	check_buckets(&lquantize, &steps);
	for (unsigned i = 0; i < ARRAY_SIZE(magnitudes); i++) {
		struct aggvar var = {.func = &aggfunc_llquantize};
		const struct bpf_count c = {.func = BPF_COUNT_LLQUANTIZE};

		memcpy(var.params, magnitudes[i], sizeof(var.params));
		check_buckets(&var, &c);
	}
}

TEST_MAIN();
