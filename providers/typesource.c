/*
 * typesource.c: types and symbols for the compiler: those of the traced programs, and behind them
 * those of the kernel, which are also there by name: vmlinux`NAME, struct vmlinux`NAME.
 */
#include "dlang/typesource.h"
#include "providers/pid/pid.h"
#include "providers/providers.h"
#include "providers/world/kernsyms.h"
#include "symbols/dwarf/btf.h"
#include "symbols/kallsyms.h"

static bool is_kernel(const char *module)
{
	return module && strcmp(module, "vmlinux") == 0;
}

static const struct type *find_type(struct session *s, const char *module, const char *name)
{
	const struct type *t = NULL;

	if (!is_kernel(module))
		t = pid_typesource.type(s, module, name);
	if (!t && (!module || is_kernel(module)) && world_btf(world_of(s)))
		t = kernel_btf_type(world_btf(world_of(s)), name);
	return t;
}

static bool has_module(struct session *s, const char *module)
{
	return is_kernel(module) || pid_typesource.has_module(s, module);
}

/* Tags that D itself knows by name only (checkinit.c); what a program has declared is its own. */
static bool is_ds_own(const char *tag)
{
	return tag && (strcmp(tag, "struct file") == 0 || strcmp(tag, "struct in6_addr") == 0);
}

/* Those that are the kernel's whatever the traced programs call so. */
static bool complete_linked(struct session *s, const struct type *forward)
{
	struct kernel_btf *btf = is_linked_tag(forward->name) ? world_btf(world_of(s)) : NULL;

	return btf && kernel_btf_complete(btf, type_resolve(forward));
}

static bool complete_type(struct session *s, const struct type *forward)
{
	const struct type *t;

	if (forward->body || (world_btf_known(world_of(s)) &&
			      kernel_btf_complete(world_btf_known(world_of(s)), forward)))
		return true;
	if (complete_linked(s, forward))
		return true;
	if (pid_typesource.complete(s, forward))
		return true;
	if (!is_ds_own(forward->name) || !world_btf(world_of(s)))
		return false;
	t = kernel_btf_type(world_btf(world_of(s)), forward->name);
	if (!t || !kernel_btf_complete(world_btf(world_of(s)), type_resolve(t)))
		return false;
	type_complete(forward, type_resolve(t));
	return true;
}

/* Only functions have a name in every kernel. */
static enum symbol_answer kernel_symbol(struct session *s, const char *name,
					struct target_symbol *out)
{
	uint64_t addr = kallsyms_address(world_ksyms(world_of(s)), name);
	const struct type *params[KERNEL_BTF_PARAMS];
	struct kernel_func f;

	if (!addr)
		return SYMBOL_UNKNOWN;
	*out = (struct target_symbol){.addr = addr, .module = "vmlinux"};
	if (world_btf(world_of(s)) && kernel_btf_function(world_btf(world_of(s)), name, &f)) {
		for (unsigned i = 0; i < f.nparams; i++)
			params[i] = f.params[i].type;
		out->type = type_function(&s->engine->types, f.result, params, f.nparams, false);
	}
	return SYMBOL_FOUND;
}

static enum symbol_answer find_symbol(struct session *s, const char *module, const char *name,
				      struct target_symbol *out)
{
	enum symbol_answer answer =
		is_kernel(module) ? SYMBOL_UNKNOWN : pid_typesource.symbol(s, module, name, out);

	if (answer == SYMBOL_UNKNOWN && (!module || is_kernel(module)))
		answer = kernel_symbol(s, name, out);
	return answer;
}

const struct typesource kernel_typesource = {
	.type = find_type,
	.has_module = has_module,
	.complete = complete_type,
	.symbol = find_symbol,
};
