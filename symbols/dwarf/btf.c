#include "symbols/dwarf/btf.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>

#define MAX_DEPTH	32 /* of types within types */
#define MAX_PARAM_DEPTH 4  /* of a parameter of a function type: names of types grow with it */

/* A structure until its members are asked for. */
struct lazy {
	struct type type; /* TYPE_FORWARD; body when complete */
	uint32_t id;
	bool is_busy;
};

struct kernel_btf {
	struct types *types;
	struct btf *btf;
	const struct type **made; /* by id; NULL: not yet */
	struct hash lazy;	  /* struct type → its struct lazy */
	struct strmap funcs;	  /* name → id of its BTF_KIND_FUNC; made at the first question */
	bool has_funcs;
};

static const struct type *convert(struct kernel_btf *, uint32_t id, unsigned depth);

int kernel_btf_open(struct types *ts, const char *path, struct kernel_btf **out, struct err *err)
{
	const char *file = path ? path : "/sys/kernel/btf/vmlinux";
	struct btf *btf = btf__parse(file, NULL);
	struct kernel_btf *k;

	if (!btf)
		return err_set(err, -errno, "%s: %s", file, strerror(errno));
	k = xcalloc(1, sizeof(*k));
	k->types = ts;
	k->btf = btf;
	k->made = xcalloc(btf__type_cnt(btf), sizeof(void *));
	hash_init(&k->lazy);
	strmap_init(&k->funcs);
	*out = k;
	return 0;
}

void kernel_btf_close(struct kernel_btf *k)
{
	if (!k)
		return;
	btf__free(k->btf);
	hash_release(&k->lazy);
	strmap_release(&k->funcs);
	free(k->made);
	free(k);
}

/* ---- one entry to one type ---- */

static struct type *new_type(const struct kernel_btf *k, enum type_kind kind, const char *name)
{
	struct type *t = ARENA_NEW(k->types->arena, struct type);

	t->kind = kind;
	t->name = name && *name ? intern_str(k->types->intern, name) : NULL;
	t->module = "vmlinux";
	t->is_kernel = true;
	return t;
}

/* "struct s": as the graph has them. */
static const char *tag_of(const struct kernel_btf *k, const char *kind, const char *name)
{
	return name && *name ? arena_printf(k->types->arena, "%s %s", kind, name) : NULL;
}

static const char *name_of(const struct kernel_btf *k, const struct btf_type *t)
{
	return btf__name_by_offset(k->btf, t->name_off);
}

static const struct type *integer(const struct kernel_btf *k, const struct btf_type *t)
{
	struct types *ts = k->types;
	bool is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
	const char *name = name_of(k, t);

	if (btf_int_encoding(t) & BTF_INT_BOOL)
		return ts->t_bool;
	switch (t->size) {
	case 1:
		return strcmp(name, "char") == 0 ? ts->t_char
		       : is_signed		 ? ts->t_schar
						 : ts->t_uchar;
	case 2:
		return is_signed ? ts->t_short : ts->t_ushort;
	case 4:
		return is_signed ? ts->t_int : ts->t_uint;
	case 8:
		if (strstr(name, "long long"))
			return is_signed ? ts->t_llong : ts->t_ullong;
		return is_signed ? ts->t_word : ts->t_uword;
	default: /* of 128 bits */
		return type_array(ts, ts->t_uword, t->size / 8);
	}
}

static const struct type *floating(const struct kernel_btf *k, const struct btf_type *t)
{
	return t->size == 4   ? k->types->t_float
	       : t->size == 8 ? k->types->t_double
			      : k->types->t_ldouble;
}

static const struct type *structure(struct kernel_btf *k, uint32_t id, const struct btf_type *t)
{
	struct lazy *l = ARENA_NEW(k->types->arena, struct lazy);
	const char *name = tag_of(k, btf_is_union(t) ? "union" : "struct", name_of(k, t));

	l->type.kind = TYPE_FORWARD;
	l->type.forward = btf_is_union(t) ? TYPE_UNION : TYPE_STRUCT;
	l->type.name = name ? intern_str(k->types->intern, name) : NULL;
	l->type.module = "vmlinux";
	l->type.is_kernel = true;
	l->type.size = t->size;
	l->id = id;
	hash_put(&k->lazy, (uintptr_t)&l->type, l);
	return &l->type;
}

static int64_t enum_value(const struct btf_type *t, unsigned i)
{
	if (btf_is_enum64(t)) {
		const struct btf_enum64 *e = btf_enum64(t) + i;

		return (int64_t)((uint64_t)e->val_hi32 << 32 | e->val_lo32);
	}
	return btf_kflag(t) ? btf_enum(t)[i].val : (int64_t)(uint32_t)btf_enum(t)[i].val;
}

static const struct type *enumeration(struct kernel_btf *k, const struct btf_type *t)
{
	struct type *out = new_type(k, TYPE_ENUM, tag_of(k, "enum", name_of(k, t)));
	struct type_enumr *v = arena_alloc(k->types->arena, (btf_vlen(t) + 1U) * sizeof(*v));

	out->size = t->size;
	out->align = t->size;
	out->bits = (uint8_t)(t->size * 8);
	out->is_signed = btf_kflag(t);
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		uint32_t name =
			btf_is_enum64(t) ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off;

		v[i].name = intern_str(k->types->intern, btf__name_by_offset(k->btf, name));
		v[i].value = enum_value(t, i);
	}
	out->enumrs = v;
	out->nenumrs = btf_vlen(t);
	return out;
}

static const struct type *function(struct kernel_btf *k, const struct btf_type *t, unsigned depth)
{
	const struct type *params[KERNEL_BTF_PARAMS];
	unsigned n = btf_vlen(t);
	bool varargs = n && !btf_params(t)[n - 1].type;

	n -= varargs;
	if (n > KERNEL_BTF_PARAMS || depth > MAX_PARAM_DEPTH)
		return k->types->t_void;
	for (unsigned i = 0; i < n; i++)
		params[i] = convert(k, btf_params(t)[i].type, depth + 1);
	return type_function(k->types, convert(k, t->type, depth + 1), params, n, varargs);
}

/* A declaration only: the definition of that name, else nothing is known of it. */
static const struct type *declaration(struct kernel_btf *k, const struct btf_type *t,
				      unsigned depth)
{
	uint32_t kind = btf_kflag(t) ? BTF_KIND_UNION : BTF_KIND_STRUCT;
	int id = btf__find_by_name_kind(k->btf, name_of(k, t), kind);
	struct type *out;

	if (id > 0)
		return convert(k, (uint32_t)id, depth + 1);
	out = new_type(k, TYPE_FORWARD,
		       tag_of(k, btf_kflag(t) ? "union" : "struct", name_of(k, t)));
	out->forward = btf_kflag(t) ? TYPE_UNION : TYPE_STRUCT;
	return out;
}

static const struct type *make(struct kernel_btf *k, uint32_t id, unsigned depth)
{
	const struct btf_type *t = btf__type_by_id(k->btf, id);
	struct types *ts = k->types;
	struct type *out;

	switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		return integer(k, t);
	case BTF_KIND_FLOAT:
		return floating(k, t);
	case BTF_KIND_PTR:
		return type_target_pointer(ts, convert(k, t->type, depth + 1));
	case BTF_KIND_ARRAY:
		return type_array(ts, convert(k, btf_array(t)->type, depth + 1),
				  btf_array(t)->nelems);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return structure(k, id, t);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return enumeration(k, t);
	case BTF_KIND_FWD:
		return declaration(k, t, depth);
	case BTF_KIND_TYPEDEF:
		out = new_type(k, TYPE_TYPEDEF, name_of(k, t));
		out->ref = convert(k, t->type, depth + 1);
		out->size = type_size(out->ref);
		return out;
	case BTF_KIND_CONST:
		return type_qualified(ts, TYPE_CONST, convert(k, t->type, depth + 1));
	case BTF_KIND_VOLATILE:
		return type_qualified(ts, TYPE_VOLATILE, convert(k, t->type, depth + 1));
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return convert(k, t->type, depth + 1);
	case BTF_KIND_FUNC_PROTO:
		return function(k, t, depth);
	default:
		return ts->t_void;
	}
}

/* What is nested deeper than anybody reads stands as void, and is made when it is asked for. */
static const struct type *convert(struct kernel_btf *k, uint32_t id, unsigned depth)
{
	const struct type *t;

	if (!id || id >= btf__type_cnt(k->btf) || depth > MAX_DEPTH)
		return k->types->t_void;
	if (k->made[id])
		return k->made[id];
	t = make(k, id, depth);
	if (!k->made[id])
		k->made[id] = t;
	return k->made[id];
}

/* ---- members ---- */

static bool complete(struct kernel_btf *k, struct lazy *l, unsigned depth);

/* What stands in a structure by value is complete with it. */
static const struct type *complete_value(struct kernel_btf *k, const struct type *t, unsigned depth)
{
	const struct type *plain = type_resolve(t);
	struct lazy *l;

	while (plain->kind == TYPE_ARRAY)
		plain = type_resolve(plain->ref);
	l = plain->kind == TYPE_FORWARD ? hash_get(&k->lazy, (uintptr_t)plain) : NULL;
	if (l)
		complete(k, l, depth + 1);
	return t;
}

static void read_members(struct kernel_btf *k, const struct btf_type *t, struct type *body,
			 unsigned depth)
{
	struct type_member *v = arena_alloc(k->types->arena, (btf_vlen(t) + 1U) * sizeof(*v));

	body->align = 1;
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *name = btf__name_by_offset(k->btf, m->name_off);

		v[i].name = intern_str(k->types->intern, name ? name : "");
		v[i].type = complete_value(k, convert(k, m->type, 0), depth);
		v[i].bit_offset = btf_member_bit_offset(t, i);
		v[i].bits = (uint8_t)btf_member_bitfield_size(t, i);
		if (!v[i].bits)
			body->align = MAX(body->align, type_align(v[i].type));
	}
	while (body->align > 1 && body->size % body->align)
		body->align /= 2;
	body->members = v;
	body->nmembers = btf_vlen(t);
}

static bool complete(struct kernel_btf *k, struct lazy *l, unsigned depth)
{
	struct type *body;

	if (l->type.body)
		return true;
	if (l->is_busy || depth > MAX_DEPTH)
		return false;
	l->is_busy = true;
	body = new_type(k, l->type.forward, l->type.name);
	body->size = l->type.size;
	read_members(k, btf__type_by_id(k->btf, l->id), body, depth);
	l->is_busy = false;
	l->type.body = body;
	return true;
}

bool kernel_btf_complete(struct kernel_btf *k, const struct type *forward)
{
	struct lazy *l = hash_get(&k->lazy, (uintptr_t)forward);

	return l && complete(k, l, 0);
}

bool kernel_btf_member(struct kernel_btf *k, const struct type *t, const char *name,
		       struct type_member *out)
{
	t = type_resolve(t);
	if (kernel_btf_complete(k, t))
		t = type_resolve(t);
	return type_is_sou(t) && type_member(t, name, out);
}

/* ---- by name ---- */

const struct type *kernel_btf_type(struct kernel_btf *k, const char *name)
{
	static const struct {
		const char *word;
		uint32_t kind;
	} tags[] = {
		{"struct ", BTF_KIND_STRUCT}, {"union ", BTF_KIND_UNION}, {"enum ", BTF_KIND_ENUM}};
	int id = -ENOENT;

	for (unsigned i = 0; i < ARRAY_SIZE(tags); i++)
		if (strncmp(name, tags[i].word, strlen(tags[i].word)) == 0)
			id = btf__find_by_name_kind(k->btf, name + strlen(tags[i].word),
						    tags[i].kind);
	if (id < 0 && !strchr(name, ' '))
		id = btf__find_by_name_kind(k->btf, name, BTF_KIND_TYPEDEF);
	return id > 0 ? convert(k, (uint32_t)id, 0) : NULL;
}

/* first: parameters that are not told of. */
static bool read_prototype(struct kernel_btf *k, uint32_t id, unsigned first, struct kernel_func *f)
{
	const struct btf_type *t = btf__type_by_id(k->btf, id);

	if (!t || !btf_is_func_proto(t) || btf_vlen(t) < first ||
	    btf_vlen(t) - first > KERNEL_BTF_PARAMS)
		return false;
	f->result = convert(k, t->type, 0);
	f->nparams = btf_vlen(t) - first;
	for (unsigned i = 0; i < f->nparams; i++) {
		const struct btf_param *p = btf_params(t) + first + i;

		f->params[i].name = btf__name_by_offset(k->btf, p->name_off);
		f->params[i].type = convert(k, p->type, 0);
	}
	return true;
}

static void index_functions(struct kernel_btf *k)
{
	for (uint32_t id = btf__type_cnt(k->btf); id-- > 1;) {
		const struct btf_type *t = btf__type_by_id(k->btf, id);

		if (btf_is_func(t))
			strmap_put(&k->funcs, name_of(k, t), (void *)(uintptr_t)id);
	}
	k->has_funcs = true;
}

bool kernel_btf_function(struct kernel_btf *k, const char *name, struct kernel_func *f)
{
	uint32_t id;

	if (!k->has_funcs)
		index_functions(k);
	id = (uint32_t)(uintptr_t)strmap_get(&k->funcs, name);
	if (!id)
		return false;
	f->id = (int)id;
	return read_prototype(k, btf__type_by_id(k->btf, id)->type, 0, f);
}

/* typedef void (*btf_trace_EVENT)(void *, ...): the first is the kernel's own. */
bool kernel_btf_tracepoint(struct kernel_btf *k, const char *event, struct kernel_func *f)
{
	char name[160];
	const struct btf_type *t;
	int id;

	snprintf(name, sizeof(name), "btf_trace_%s", event);
	id = btf__find_by_name_kind(k->btf, name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return false;
	f->id = id;
	t = btf__type_by_id(k->btf, btf__type_by_id(k->btf, (uint32_t)id)->type);
	return t && btf_is_ptr(t) && read_prototype(k, t->type, 1, f);
}

void kernel_btf_each(struct kernel_btf *k, void (*fn)(void *arg, const char *name), void *arg)
{
	for (uint32_t id = 1; id < btf__type_cnt(k->btf); id++) {
		const struct btf_type *t = btf__type_by_id(k->btf, id);

		if (btf_is_func(t))
			fn(arg, name_of(k, t));
	}
}
