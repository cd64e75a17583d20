/* Types of the kernel from its BTF: here one that the test has written itself. */
#include "symbols/dwarf/btf.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/test.h"

struct rig {
	struct arena arena;
	struct intern intern;
	struct types types;
	struct kernel_btf *btf;
	char path[32];
};

/*
 * struct node { struct node *next; unsigned flag : 3; char name[16]; union { long a; int b; }; };
 * typedef struct node node_t;  enum color { RED = -1, BLUE = 5 };
 * int walk(struct node *head, node_t by_value);  typedef void (*btf_trace_seen)(void *, struct node
 * *n, long why);
 */
static void write_btf(const char *path)
{
	struct btf *b = btf__new_empty();
	int i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	int u32 = btf__add_int(b, "unsigned int", 4, 0);
	int i64 = btf__add_int(b, "long int", 8, BTF_INT_SIGNED);
	int chr = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	int text = btf__add_array(b, u32, chr, 16);
	int both = btf__add_union(b, NULL, 8), node, ptr, alias, proto, voidptr, event;
	uint32_t size;
	const void *raw;
	FILE *f;

	btf__add_field(b, "a", i64, 0, 0);
	btf__add_field(b, "b", i32, 0, 0);
	node = btf__add_struct(b, "node", 40);
	btf__add_field(b, "next", node + 1, 0, 0);
	btf__add_field(b, "flag", u32, 64, 3);
	btf__add_field(b, "name", text, 96, 0);
	btf__add_field(b, "", both, 256, 0);
	ptr = btf__add_ptr(b, node);
	alias = btf__add_typedef(b, "node_t", node);
	btf__add_enum(b, "color", 4);
	btf__add_enum_value(b, "RED", -1);
	btf__add_enum_value(b, "BLUE", 5);
	proto = btf__add_func_proto(b, i32);
	btf__add_func_param(b, "head", ptr);
	btf__add_func_param(b, "by_value", alias);
	btf__add_func(b, "walk", BTF_FUNC_STATIC, proto);
	voidptr = btf__add_ptr(b, 0);
	proto = btf__add_func_proto(b, 0);
	btf__add_func_param(b, NULL, voidptr);
	btf__add_func_param(b, "n", ptr);
	btf__add_func_param(b, "why", i64);
	event = btf__add_ptr(b, proto);
	btf__add_typedef(b, "btf_trace_seen", event);
	raw = btf__raw_data(b, &size);
	f = fopen(path, "w");
	fwrite(raw, size, 1, f);
	fclose(f);
	btf__free(b);
}

static void setup(struct rig *r)
{
	snprintf(r->path, sizeof(r->path), "/tmp/btf.XXXXXX");
	close(mkstemp(r->path));
	write_btf(r->path);
	arena_init(&r->arena);
	intern_init(&r->intern, &r->arena);
	types_init(&r->types, &r->arena, &r->intern, 256);
	CHECK_EQ(kernel_btf_open(&r->types, r->path, &r->btf, NULL), 0);
}

static void teardown(struct rig *r)
{
	kernel_btf_close(r->btf);
	types_release(&r->types);
	intern_release(&r->intern);
	arena_release(&r->arena);
	unlink(r->path);
}

TEST(structures)
{
	struct type_member m;
	const struct type *t;
	char text[128];
	struct rig r;

	setup(&r);
	t = kernel_btf_type(r.btf, "struct node");
	CHECK_EQ(t->kind, TYPE_FORWARD); /* until somebody looks */
	CHECK_EQ(type_size(t), 40);
	CHECK(type_is_in_kernel(t));
	CHECK_EQ(kernel_btf_complete(r.btf, t), true);
	t = type_resolve(t);
	CHECK_EQ(type_member(t, "next", &m), true);
	CHECK_STR(type_name(m.type, text, sizeof(text)), "struct node *");
	CHECK(type_is_in_kernel(t) && type_is_in_kernel(m.type));
	CHECK_EQ(type_member(t, "flag", &m), true);
	CHECK_EQ(m.bits, 3);
	CHECK_EQ(m.bit_offset, 64);
	CHECK_EQ(type_member(t, "name", &m), true);
	CHECK_STR(type_name(m.type, text, sizeof(text)), "char [16]");
	CHECK_EQ(type_member(t, "b", &m), true); /* of the union without a name */
	CHECK_EQ(m.bit_offset, 256);
	CHECK_EQ(type_resolve(kernel_btf_type(r.btf, "node_t")) == t, true);
	CHECK_EQ(kernel_btf_type(r.btf, "struct other") == NULL, true);
	teardown(&r);
}

TEST(enumerations)
{
	const struct type *t;
	struct rig r;

	setup(&r);
	t = kernel_btf_type(r.btf, "enum color");
	CHECK_EQ(t->nenumrs, 2);
	CHECK_STR(t->enumrs[1].name, "BLUE");
	CHECK_EQ(t->enumrs[1].value, 5);
	teardown(&r);
}

TEST(prototypes)
{
	struct kernel_func f;
	char text[128];
	struct rig r;

	setup(&r);
	CHECK_EQ(kernel_btf_function(r.btf, "walk", &f), true);
	CHECK_EQ(f.nparams, 2);
	CHECK_STR(f.params[0].name, "head");
	CHECK_STR(type_name(f.result, text, sizeof(text)), "int");
	CHECK_EQ(kernel_btf_function(r.btf, "run", &f), false);
	CHECK_EQ(kernel_btf_tracepoint(r.btf, "seen", &f), true);
	CHECK_EQ(f.nparams, 2); /* without the kernel's own */
	CHECK_STR(f.params[1].name, "why");
	CHECK_EQ(kernel_btf_tracepoint(r.btf, "unseen", &f), false);
	teardown(&r);
}

TEST(no_btf)
{
	struct kernel_btf *k = NULL;
	struct err err;

	CHECK_EQ(kernel_btf_open(NULL, "/no/such/file", &k, &err), -ENOENT);
	CHECK_STR(err.text, "/no/such/file: No such file or directory");
}

TEST_MAIN();
