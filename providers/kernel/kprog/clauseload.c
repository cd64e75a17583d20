#include "providers/kernel/kprog/clauseload.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

static enum bpf_prog_type type_of(const struct clause_unit *u, const char *event)
{
	if (u->is_packet)
		return BPF_PROG_TYPE_CGROUP_SKB;
	if (event)
		return BPF_PROG_TYPE_TRACING;
	return u->kind == CLAUSES_OF_TRACEPOINTS ? BPF_PROG_TYPE_TRACEPOINT
						 : BPF_PROG_TYPE_PERF_EVENT;
}

/* The kernel wants to know functions besides the first by their types. */
static int tell_functions(const struct clause_unit *u, struct btf *btf, struct bpf_func_info to[2],
			  struct bpf_prog_load_opts *opts)
{
	int number, proto, rc;

	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	proto = btf__add_func_proto(btf, number);
	to[0] = (struct bpf_func_info){.type_id = (uint32_t)btf__add_func(
					       btf, "clauses", BTF_FUNC_GLOBAL, (uint32_t)proto)};
	to[1] = (struct bpf_func_info){
		.insn_off = u->each_at,
		.type_id = (uint32_t)btf__add_func(btf, "each", BTF_FUNC_STATIC, (uint32_t)proto)};
	rc = btf__load_into_kernel(btf);
	opts->prog_btf_fd = rc < 0 ? 0 : (uint32_t)btf__fd(btf);
	opts->func_info = to;
	opts->func_info_cnt = 2;
	opts->func_info_rec_size = sizeof(*to);
	return rc;
}

int clause_set_load_one(struct clause_set *set, unsigned unit, const char *event)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	struct bpf_func_info functions[2];
	struct btf *btf = NULL;
	unsigned n = clausecode_make(&set->units[unit], set->insns, CLAUSECODE_MAX);
	const bool is_packet = set->units[unit].is_packet;
	int id = event && !is_packet ? libbpf_find_vmlinux_btf_id(event, BPF_TRACE_RAW_TP) : 0;

	if (!n)
		return -E2BIG;
	if (id < 0)
		set->units[unit].n = 0;
	if (!set->units[unit].n) /* no clause has such a probe */
		return 0;
	if (is_packet) { /* as the program that calls it */
		opts.expected_attach_type = strcmp(event, "cgroup_skb/egress") == 0
						    ? BPF_CGROUP_INET_EGRESS
						    : BPF_CGROUP_INET_INGRESS;
	} else if (event) {
		opts.expected_attach_type = BPF_TRACE_RAW_TP;
		opts.attach_btf_id = (uint32_t)id;
	}
	if (set->units[unit].each_at) {
		btf = btf__new_empty();
		if (!btf || tell_functions(&set->units[unit], btf, functions, &opts) < 0) {
			btf__free(btf);
			return -errno;
		}
	}
	set->prog_fds[unit] = bpf_prog_load(type_of(&set->units[unit], event), "clauses", "GPL",
					    set->insns, n, &opts);
	id = set->prog_fds[unit] < 0 ? -errno : 0;
	btf__free(btf);
	return id;
}
