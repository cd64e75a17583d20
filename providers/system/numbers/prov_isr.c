/*
 * prov_isr.c: interrupts (docs/spec/providers.md §4.11), seen by providers/kernel/bpf/isr.bpf.c.
 */
#include <errno.h>

#include "providers/providers.h"
#include "providers/system/numbers/numprov.h"
#include "providers/system/numbers/recpairs.h"

#define VECTOR(name) "on_" name "| on_" name "_end| "

/* clang-format off */
static const struct bpf_probe_row rows[ISR_NROWS] = {
	[ISR_ISR] = {"isr",
		     VECTOR("local_timer") VECTOR("reschedule") VECTOR("call_function")
		     VECTOR("call_function_single") VECTOR("irq_work") VECTOR("x86_platform_ipi")
		     VECTOR("error_apic") VECTOR("spurious_apic") VECTOR("thermal_apic")
		     VECTOR("threshold_apic") VECTOR("deferred_error_apic")
		     "on_called| on_irq on_irq_end", 5},
};

static const char *const routines[ISR_NVECTORS] = {
	[ISR_LOCAL_TIMER] =          "sysvec_apic_timer_interrupt",
	[ISR_RESCHEDULE] =           "sysvec_reschedule_ipi",
	[ISR_CALL_FUNCTION] =        "sysvec_call_function",
	[ISR_CALL_FUNCTION_SINGLE] = "sysvec_call_function_single",
	[ISR_IRQ_WORK] =             "sysvec_irq_work",
	[ISR_PLATFORM_IPI] =         "sysvec_x86_platform_ipi",
	[ISR_ERROR] =                "sysvec_error_interrupt",
	[ISR_SPURIOUS] =             "sysvec_spurious_apic_interrupt",
	[ISR_THERMAL] =              "sysvec_thermal",
	[ISR_THRESHOLD] =            "sysvec_threshold",
	[ISR_DEFERRED_ERROR] =       "sysvec_deferred_error",
};

/* Those whose clauses may run in the kernel. */
static const struct event_row clause_rows[] = {
	{1U << ISR_ISR, "irq_handler_exit", "irq_clauses", true},
	{1U << ISR_ISR, "local_timer_exit", "vector_clauses", true},
};

/* Of a recording. */
#define PAIR(event, at)                                                                            \
	{                                                                                          \
		.rows = 1U << ISR_ISR, .system = "irq_vectors", .begin = event "_entry",           \
		.end = event "_exit", .names = &routines[at], .nnames = 1, .number = "vector",     \
		.has_result = true                                                                 \
	}
static const struct recpair pairs[] = {
	{.rows = 1U << ISR_ISR, .system = "irq", .begin = "irq_handler_entry",
	 .end = "irq_handler_exit", .key = "irq", .number = "irq", .result = "ret",
	 .has_result = true},
	PAIR("local_timer", ISR_LOCAL_TIMER),
	PAIR("reschedule", ISR_RESCHEDULE),
	PAIR("call_function", ISR_CALL_FUNCTION),
	PAIR("call_function_single", ISR_CALL_FUNCTION_SINGLE),
	PAIR("irq_work", ISR_IRQ_WORK),
	PAIR("x86_platform_ipi", ISR_PLATFORM_IPI),
	PAIR("error_apic", ISR_ERROR),
	PAIR("spurious_apic", ISR_SPURIOUS),
	PAIR("thermal_apic", ISR_THERMAL),
	PAIR("threshold_apic", ISR_THRESHOLD),
	PAIR("deferred_error_apic", ISR_DEFERRED_ERROR),
};
/* clang-format on */

/* The constants of the object. */
struct constants {
	struct bpf_wants wants;
	uint64_t routines[ISR_NVECTORS];
};

static int isr_enable(struct probe *p, struct err *err)
{
	struct bpf_probes *bp = bpf_probes_of(p);
	struct constants *c;
	size_t size;
	int rc;

	if (bpf_probes_are_recorded(p))
		return recpairs_enable(p, pairs, ARRAY_SIZE(pairs), err);
	rc = numprov_enable(p, BPF_KIND_ISR, clause_rows, ARRAY_SIZE(clause_rows), err);
	if (rc < 0)
		return rc;
	c = bpf_rodata(bp->opened, &size);
	if (size < sizeof(*c))
		return err_set(err, -EINVAL, "the BPF object isr has other constants");
	for (unsigned i = 0; i < ISR_NVECTORS; i++)
		c->routines[i] = numprov_function(world_of(p->session), routines[i]);
	return 0;
}

static int isr_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
		       struct err *err UNUSED)
{
	static const struct bpf_probes what = {
		.provider = &prov_isr,
		.object = "isr",
		.rows = rows,
		.nrows = ARRAY_SIZE(rows),
	};

	if (!d)
		numprov_create(s, &what);
	return 0;
}

const struct provider prov_isr = {
	.name = "isr",
	.is_of_kernel = true,
	.provide = isr_provide,
	.enable = isr_enable,
	.argtypes = bpf_probes_argtypes,
	.attrs = &translated_attrs,
	.loss = LOSS_KERNEL,
	.reads_files = true,
};
