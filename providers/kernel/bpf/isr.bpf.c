/*
 * isr.bpf.c: interrupts: those of devices with their handlers, and those that CPUs and their own
 * timers send.
 */
#include "providers/kernel/bpf/nesting.h"
#include "providers/kernel/bpf/numbers.h"

const volatile struct bpf_wants wants = {0};
const volatile __u64 routines[ISR_NVECTORS] = {0};

enum { VECTOR_KEY = 0x1000, HANDLED = 1 };

CLAUSE_PROGRAM(irq_clauses);
CLAUSE_PROGRAM(vector_clauses); /* of all vectors */

static __always_inline int put(void *ctx, const struct begun *b, __u64 ret, void *events)
{
	return current_passes(&wants.filter) &&
	       put_numbers(ctx, &wants, BPF_KIND_ISR, ISR_ISR, b->time_ns, b->function, ret,
			   b->more, events);
}

struct irqaction {
	void *handler;
} KERNEL;

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_end, int irq, struct irqaction *action, int ret)
{
	struct begun b;

	if (ends((__u64)action, &b) && put(ctx, &b, (__u32)ret, &irq_clauses_event))
		RUN_CLAUSES(ctx, irq_clauses);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq, int irq, struct irqaction *action)
{
	begins((__u64)action, (__u64)BPF_CORE_READ(action, handler), irq);
	return 0;
}

#define VECTOR(name, at)                                                                           \
	SEC("tp_btf/" #name "_exit")                                                               \
	int BPF_PROG(on_##name##_end, int vector)                                                  \
	{                                                                                          \
		struct begun b;                                                                    \
		if (ends(VECTOR_KEY + (at), &b) && put(ctx, &b, HANDLED, &vector_clauses_event))   \
			RUN_CLAUSES(ctx, vector_clauses);                                          \
		return 0;                                                                          \
	}                                                                                          \
	SEC("tp_btf/" #name "_entry")                                                              \
	int BPF_PROG(on_##name, int vector)                                                        \
	{                                                                                          \
		begins(VECTOR_KEY + (at), routines[at], vector);                                   \
		return 0;                                                                          \
	}

VECTOR(local_timer, ISR_LOCAL_TIMER)
VECTOR(reschedule, ISR_RESCHEDULE)
VECTOR(call_function, ISR_CALL_FUNCTION)
VECTOR(call_function_single, ISR_CALL_FUNCTION_SINGLE)
VECTOR(irq_work, ISR_IRQ_WORK)
VECTOR(x86_platform_ipi, ISR_PLATFORM_IPI)
VECTOR(error_apic, ISR_ERROR)
VECTOR(spurious_apic, ISR_SPURIOUS)
VECTOR(thermal_apic, ISR_THERMAL)
VECTOR(threshold_apic, ISR_THRESHOLD)
VECTOR(deferred_error_apic, ISR_DEFERRED_ERROR)

/* What another CPU asks for: the first function gives the interrupt its name. */
SEC("tp_btf/csd_function_entry")
int on_called(unsigned long long *ctx)
{
	__u64 function = 0;
	struct nesting *n = own_nesting();
	__u32 top = n ? n->depth - 1 : NESTING_DEPTH;
	struct begun *b;

	if (!n || top >= NESTING_DEPTH)
		return 0;
	/* a pointer to a function is none that verifiers let pass */
	bpf_probe_read_kernel(&function, sizeof(function), ctx);
	b = &n->v[top];
	if (b->key == VECTOR_KEY + ISR_CALL_FUNCTION && b->function == routines[ISR_CALL_FUNCTION])
		b->function = function;
	if (b->key == VECTOR_KEY + ISR_CALL_FUNCTION_SINGLE &&
	    b->function == routines[ISR_CALL_FUNCTION_SINGLE])
		b->function = function;
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
