#include "providers/world/kernsyms.h"

#include "symbols/dwarf/btf.h"
#include "symbols/kallsyms.h"

struct kernsyms {
	struct kernel_btf *btf;
	bool has_no_btf;	/* it was tried */
	struct kallsyms *names; /* NULL: nobody asked yet */
};

static struct kernsyms *kernsyms_of(struct world *w)
{
	if (!w->kernsyms)
		w->kernsyms = ARENA_NEW(w->session->arena, struct kernsyms);
	return w->kernsyms;
}

static const char *const linked_tags[] = {"struct task_struct", "struct path"};

bool is_linked_tag(const char *tag)
{
	for (unsigned i = 0; tag && i < ARRAY_SIZE(linked_tags); i++)
		if (strcmp(tag, linked_tags[i]) == 0)
			return true;
	return false;
}

/* What the program has defined itself stays its own. */
static void link_tags(struct types *ts, struct kernel_btf *btf)
{
	for (unsigned i = 0; i < ARRAY_SIZE(linked_tags); i++) {
		const struct type *own = types_lookup(ts, linked_tags[i]),
				  *kernel = kernel_btf_type(btf, linked_tags[i]);

		if (own && kernel && own->kind == TYPE_FORWARD && !own->body)
			type_complete(own, kernel);
	}
}

struct kernel_btf *world_btf(struct world *w)
{
	struct kernsyms *ks = kernsyms_of(w);

	if (ks->btf || ks->has_no_btf)
		return ks->btf;
	ks->has_no_btf = kernel_btf_open(&w->session->engine->types, NULL, &ks->btf, NULL) < 0;
	if (ks->btf)
		link_tags(&w->session->engine->types, ks->btf);
	return ks->btf;
}

struct kernel_btf *world_btf_known(const struct world *w)
{
	return w->kernsyms ? w->kernsyms->btf : NULL;
}

struct kallsyms *world_ksyms(struct world *w)
{
	struct kernsyms *ks = kernsyms_of(w);

	if (!ks->names)
		ks->names = kallsyms_new(NULL);
	return ks->names;
}

/* Before 6.10 it had the first name, and one for machines without timers of high resolution the
 * other. */
uint64_t kernel_tick_function(struct world *w)
{
	uint64_t addr = kallsyms_address(world_ksyms(w), "tick_sched_timer");

	return addr ? addr : kallsyms_address(world_ksyms(w), "tick_nohz_handler");
}

/* BPF programs stand in no list of symbols of ours, or as bpf_prog_...; what calls them from a
 * tracepoint is bpf_trace_runN of __bpf_trace_EVENT or __traceiter_EVENT. */
static bool is_looking(struct world *w, uint64_t pc)
{
	static const char *const names[] = {"bpf_", "__bpf_", "__traceiter_", "__SCT__tp_func_"};
	struct symname name;

	kallsyms_lookup(world_ksyms(w), pc, &name);
	for (unsigned i = 0; name.function && i < ARRAY_SIZE(names); i++)
		if (strncmp(name.function, names[i], strlen(names[i])) == 0)
			return true;
	return !name.function || strcmp(name.object, "bpf") == 0 ||
	       strcmp(name.object, "__builtin__bpf") == 0;
}

void world_trim_stack(struct world *w, const uint64_t **pcs, unsigned *npcs)
{
	while (*npcs && is_looking(w, **pcs)) {
		++*pcs;
		--*npcs;
	}
}

void world_kernsyms_free(struct world *w)
{
	if (!w->kernsyms)
		return;
	kernel_btf_close(w->kernsyms->btf);
	kallsyms_free(w->kernsyms->names);
	w->kernsyms = NULL;
}
