/*
 * known.h: filters that ask for the event's own numbers and texts (struct bpf_known), as far as
 * they are known by then.
 */
#ifndef BPF_KNOWN_H
#define BPF_KNOWN_H

#include "providers/kernel/bpf/filter.h"

#define BIT(n) (1U << (n))

/* One that does not fit is not whole, and like none that is. */
static __always_inline void know_text(struct bpf_known *k, __u32 first, int fits)
{
	if (!fits)
		k->words[first + 1] = ~0ULL;
	else
		k->whole |= BIT(first) | BIT(first + 1);
	k->known |= BIT(first);
}

static __always_inline int known_holds(const volatile struct bpf_filter_node *n,
				       const struct bpf_known *k)
{
	__u32 i = (n->what - BPF_FILTER_WORD) % BPF_KNOWN_WORDS;

	if (!(k->known & 1U << i))
		return NODE_IS_OPEN;
	if (n->what < BPF_FILTER_TEXT)
		return filter_compares(n->op, k->words[i], n->value);
	if (k->words[i] != n->text[0] || k->words[(i + 1) % BPF_KNOWN_WORDS] != n->text[1])
		return NODE_FAILS;
	return n->value ? NODE_IS_OPEN : NODE_HOLDS; /* it is the end of a longer text */
}

enum { FILTER_STOPS, FILTER_PASSES, FILTER_IS_OPEN };

/* Open: what is not known of it decides. */
static __noinline int filter_known(const volatile struct bpf_filter *s, struct task_struct *task,
				   const struct bpf_known *k)
{
	__u64 at = s->root;

	for (int i = 0; i < BPF_FILTER_NODES && at < BPF_FILTER_NODES; i++) {
		const volatile struct bpf_filter_node *n = &s->nodes[at];
		int holds = n->what >= BPF_FILTER_WORD ? known_holds(n, k)
						       : node_holds(n, (void *)task, 0, 0);

		if (holds == NODE_IS_OPEN)
			return FILTER_IS_OPEN;
		at = holds ? n->yes : n->no;
	}
	return at == BPF_FILTER_STOP ? FILTER_STOPS : FILTER_PASSES;
}

#endif
