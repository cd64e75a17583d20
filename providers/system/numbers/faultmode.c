#include "providers/system/numbers/faultmode.h"

#include <bpf/bpf.h>
#include <string.h>

/* The mapping begins so many steps, and less than one, below what is in it; no machine has more
 * memory. */
#define STEP   (1ULL << 30)
#define NSTEPS (1U << 16)

static int try(int program, struct bpf_direct_map *guess)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = guess, .ctx_size_in = sizeof(*guess));

	return bpf_prog_test_run_opts(program, &opts);
}

/* 0: not found, as where memory is encrypted. */
static uint64_t guess_direct_map(int program)
{
	struct bpf_direct_map guess = {0};
	int rc = try(program, &guess);

	for (uint64_t i = 0; rc == 0 && i < NSTEPS && !guess.is_right; i++) {
		guess.base = (guess.tables & -STEP) - i * STEP;
		rc = try(program, &guess);
	}
	return rc == 0 && guess.is_right ? guess.base : 0;
}

static uint64_t find_direct_map(void)
{
	struct err err = {0};
	struct bpf_object *o = bpf_embedded("directmap", &err);
	uint64_t base = 0;

	if (o && bpf_object__load(o) == 0)
		base = guess_direct_map(
			bpf_program__fd(bpf_object__find_program_by_name(o, "try_direct_map")));
	bpf_object__close(o);
	return base;
}

static void leave_out(const struct bpf_probes *bp, const char *program)
{
	bpf_program__set_autoload(bpf_object__find_program_by_name(bp->opened, program), false);
}

/* Stacks are those of the end: the tracepoint's own functions are not on them. */
void faultmode_choose(struct bpf_probes *bp, const struct fault_rows *rows)
{
	struct bpf_faults_wants *wants = (struct bpf_faults_wants *)bp->wants;
	const unsigned wanted = bp->wants->rows & rows->all;

	if (!wanted)
		return;
	if (!(wanted & ~rows->at_end)) {
		wants->when = BPF_FAULTS_AT_END;
		leave_out(bp, "on_user_fault");
		leave_out(bp, "on_kernel_fault");
		return;
	}
	if (wanted & rows->by_page && bp->wants->can_cast)
		wants->direct_map = find_direct_map();
	if (wants->direct_map && !bp->wants->stacks && !(wanted & ~rows->at_begin)) {
		wants->when = BPF_FAULTS_AT_BEGIN;
		leave_out(bp, "on_soft");
	}
}
