#include "symbols/x86/disasm.h"

#include <capstone/capstone.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "symbols/symbols.h"
#include "tests/unit/test.h"

static struct insn decode(const char *bytes, size_t n, taddr_t pc)
{
	struct insn insn = {0};

	insn.len = (uint8_t)insn_decode((const uint8_t *)bytes, n, pc, &insn);
	return insn;
}

#define LEN(bytes) decode(bytes, sizeof(bytes) - 1, 0).len

TEST(lengths)
{
	CHECK_EQ(LEN("\x55"), 1);				       /* push %rbp */
	CHECK_EQ(LEN("\x48\x89\xe5"), 3);			       /* mov %rsp,%rbp */
	CHECK_EQ(LEN("\xf3\x0f\x1e\xfa"), 4);			       /* endbr64 */
	CHECK_EQ(LEN("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08"), 10); /* movabs $imm64,%rax */
	CHECK_EQ(LEN("\x66\xb8\x01\x02"), 4);			       /* mov $imm16,%ax */
	CHECK_EQ(LEN("\x48\x8b\x05\x01\x02\x03\x04"), 7);	       /* mov disp(%rip),%rax */
	CHECK_EQ(LEN("\x8b\x84\x24\x01\x02\x03\x04"), 7);	       /* mov disp32(%rsp),%eax */
	CHECK_EQ(LEN("\xf6\xc1\x01"), 3);			       /* test $1,%cl */
	CHECK_EQ(LEN("\xf6\xd1"), 2);				       /* not %cl */
	CHECK_EQ(LEN("\xf7\x05\x01\x02\x03\x04\x05\x06\x07\x08"), 10); /* testl $imm,disp(%rip) */
	CHECK_EQ(LEN("\xc5\xf8\x77"), 3);			       /* vzeroupper */
	CHECK_EQ(LEN("\xc5\xf9\x70\xc1\x4e"), 5);		       /* vpshufd $0x4e */
	CHECK_EQ(LEN("\xc4\xe3\x7d\x39\xc1\x01"), 6);		       /* vextracti128 $1 */
	CHECK_EQ(LEN("\x62\xf1\xfe\x48\x6f\x46\x01"), 7);	       /* vmovdqu64 0x40(%rsi) */
	CHECK_EQ(LEN("\x66\x0f\x38\x17\xc0"), 5);		       /* ptest */
	CHECK_EQ(LEN("\x66\x0f\x3a\x0f\xc1\x08"), 6);		       /* palignr $8 */
	CHECK_EQ(LEN("\xc4\xe2\x7d\x5a\x2f"), 5);		       /* vbroadcasti128 (%rdi) */
	CHECK_EQ(LEN("\x62\xf2\x7e\x48\x39\xc8"), 6);		       /* vpmovd2m %zmm0,%k1 */
	CHECK_EQ(LEN("\x0f\x20\x05"), 3);			       /* mov %cr0,%rbp */
	CHECK_EQ(LEN("\xc8\x10\x00\x00"), 4);			       /* enter */
	CHECK_EQ(LEN("\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"), 11); /* nopw */
}

TEST(what_is_not_an_instruction)
{
	CHECK_EQ(LEN("\x06"), 0);     /* push %es: not in 64-bit mode */
	CHECK_EQ(LEN("\x48"), 0);     /* a prefix alone */
	CHECK_EQ(LEN("\xe8\x00"), 0); /* ends within its displacement */
	CHECK_EQ(LEN("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"), 0);
	CHECK_EQ(LEN(""), 0);
}

TEST(returns_have_many_spellings)
{
	CHECK_EQ(decode("\xc3", 1, 0).kind, INSN_RET);
	CHECK_EQ(decode("\xf3\xc3", 2, 0).kind, INSN_RET);
	CHECK_EQ(decode("\xf2\xc3", 2, 0).kind, INSN_RET); /* bnd ret */
	CHECK_EQ(decode("\xc2\x08\x00", 3, 0).kind, INSN_RET);
	CHECK_EQ(decode("\x90", 1, 0).kind, INSN_OTHER);
}

TEST(branches_have_targets)
{
	CHECK_EQ(decode("\xeb\xfe", 2, 0x1000).target, 0x1000);
	CHECK_EQ(decode("\xe9\x00\x01\x00\x00", 5, 0x1000).target, 0x1105);
	CHECK_EQ(decode("\x0f\x84\xfa\xff\xff\xff", 6, 0x1000).target, 0x1000);
	CHECK_EQ(decode("\xe8\x00\x00\x00\x00", 5, 0x1000).kind, INSN_CALL);
	CHECK_EQ(decode("\x74\x02", 2, 0).kind, INSN_JCC);
	CHECK_EQ(decode("\xe3\x02", 2, 0).kind, INSN_JCC); /* jrcxz */
	CHECK_EQ(decode("\xc7\xf8\xf8\xff\xff\xff", 6, 0x1000).kind, INSN_XBEGIN);
	CHECK_EQ(decode("\xc7\xf8\xf8\xff\xff\xff", 6, 0x1000).target, 0xffe);
	CHECK_EQ(decode("\x66\xc7\xf8\x10\x00", 5, 0x1000).target, 0x1015);
	CHECK_EQ(decode("\xc7\xc0\x10\x00\x00\x00", 6, 0).kind, INSN_OTHER); /* mov */
	CHECK_EQ(decode("\xff\xe0", 2, 0).kind, INSN_JMP_INDIRECT);
	CHECK_EQ(decode("\xff\x25\x00\x00\x00\x00", 6, 0).kind, INSN_JMP_INDIRECT);
	CHECK_EQ(decode("\xff\xd0", 2, 0).kind, INSN_CALL_INDIRECT);
}

static enum insn_kind capstone_kind(const cs_insn *i)
{
	if (i->id == X86_INS_RET)
		return INSN_RET;
	if (i->id == X86_INS_JMP)
		return i->op_str[0] == '0' ? INSN_JMP : INSN_JMP_INDIRECT;
	if (i->id == X86_INS_CALL)
		return i->op_str[0] == '0' ? INSN_CALL : INSN_CALL_INDIRECT;
	if ((i->id >= X86_INS_JAE && i->id <= X86_INS_JS) || i->id == X86_INS_LOOP)
		return INSN_JCC;
	if (i->id == X86_INS_XBEGIN)
		return INSN_XBEGIN;
	return INSN_OTHER;
}

static unsigned capstone_distance(const cs_x86 *x)
{
	for (unsigned i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM && x->operands[i].mem.base == X86_REG_RIP)
			return x->encoding.disp_offset;
	return 0;
}

/* Every function of a real library, instruction by instruction, against capstone. */
static void compare_file(const char *path)
{
	struct objfile *o;
	struct err err;
	csh cs;
	cs_insn *insn;
	unsigned n = 0;

	int fd = open(path, O_RDONLY);

	if (fd < 0)
		SKIP("%s is not here", path);
	if (objfile_open(fd, path, &o, &err))
		TEST_FAIL("%s", err.text);
	CHECK_EQ(cs_open(CS_ARCH_X86, CS_MODE_64, &cs), 0);
	CHECK_EQ(cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON), 0);
	insn = cs_malloc(cs);
	for (unsigned i = 0; i < o->nfuncs; i++) {
		const struct func *f = &o->funcs[i];
		uint8_t *code = malloc(f->size);
		size_t left = objfile_bytes(o, f->addr, code, f->size);
		const uint8_t *p = code;
		uint64_t pc = f->addr;

		while (left) {
			const uint8_t *at = p;
			uint64_t at_pc = pc;
			size_t at_left = left;
			struct insn mine;

			if (!cs_disasm_iter(cs, &p, &left, &pc, insn))
				break;
			if (insn_decode(at, at_left, at_pc, &mine) != insn->size)
				TEST_FAIL("%s+0x%lx: %s %s has %u bytes, not %u", f->name,
					  at_pc - f->addr, insn->mnemonic, insn->op_str, insn->size,
					  insn_decode(at, at_left, at_pc, &mine));
			if (mine.kind != INSN_TRAP && mine.kind != capstone_kind(insn))
				TEST_FAIL("%s+0x%lx: %s %s is of kind %d", f->name, at_pc - f->addr,
					  insn->mnemonic, insn->op_str, mine.kind);
			if (mine.rip_rel != capstone_distance(&insn->detail->x86))
				TEST_FAIL("%s+0x%lx: %s %s has its distance at %u", f->name,
					  at_pc - f->addr, insn->mnemonic, insn->op_str,
					  mine.rip_rel);
			n++;
		}
		free(code);
	}
	CHECK(n > 100000);
	cs_free(insn, 1);
	cs_close(&cs);
	objfile_close(o);
}

TEST(libc_decodes_as_capstone_says)
{
	compare_file("/lib/x86_64-linux-gnu/libc.so.6");
}

TEST(libcrypto_decodes_as_capstone_says)
{
	compare_file("/lib/x86_64-linux-gnu/libcrypto.so.3");
}

/* ---- all that can be encoded, against objdump ---- */

#define SLOT 16

struct encodings {
	uint8_t *code;
	size_t n, room;
};

/* An instruction, an operand and nops up to the next slot. */
static void encode(struct encodings *e, const uint8_t *opcode, unsigned n)
{
	static const struct {
		const char *bytes;
		unsigned n;
	} operands[] = {
		{"\xc1", 1},			 /* two registers */
		{"\x05\x44\x33\x22\x11", 5},	 /* relative to the pc */
		{"\x44\x24\x10", 3},		 /* (%rsp), with 8 bits */
		{"\x0c\x25\x44\x33\x22\x11", 6}, /* absolute */
	};

	for (unsigned i = 0; i < ARRAY_SIZE(operands); i++) {
		if (e->n + SLOT > e->room) {
			e->room = 2 * e->room + 4096;
			e->code = xrealloc(e->code, e->room);
		}
		memset(e->code + e->n, 0x90, SLOT);
		memcpy(e->code + e->n, opcode, n);
		memcpy(e->code + e->n + n, operands[i].bytes, operands[i].n);
		e->n += SLOT;
	}
}

/* VEX and EVEX: each map, opcode, prefix, W, and shortest and longest vectors. */
static void encode_all(struct encodings *e)
{
	for (unsigned i = 0; i < 256 * 32; i++) {
		uint8_t op = (uint8_t)(i >> 5), pp = i & 3, w = (i & 4) << 5, is_long = i >> 3 & 1;

		for (uint8_t map = 1; map <= 3 && !(i & 16); map++)
			encode(e,
			       (const uint8_t[]){0xc4, 0xe0 | map,
						 (uint8_t)(w | 0x78 | is_long << 2 | pp), op},
			       4);
		for (uint8_t map = 1; map <= 6; map += map == 3 ? 2 : 1)
			encode(e,
			       (const uint8_t[]){0x62, 0xf0 | map, (uint8_t)(w | 0x7c | pp),
						 (uint8_t)(is_long << 6 | 8 | (i >> 4 & 1)), op},
			       5);
	}
}

/* "ADDRESS:<tab>TEXT" of an instruction that begins a slot. */
static bool parse_line(const char *line, unsigned long *at, const char **text)
{
	char *end;

	*at = strtoul(line, &end, 16);
	*text = end + 1;
	return end != line && *end == ':';
}

static bool is_valid(const char *text)
{
	return !strstr(text, "(bad)") && !strstr(text, "{bad}") && !strstr(text, ".byte");
}

static unsigned compare_slot(const struct encodings *e, unsigned long at, unsigned len,
			     const char *text)
{
	struct insn insn = {0};

	if (!is_valid(text))
		return 0;
	if (insn_decode(e->code + at, SLOT, at, &insn) != len)
		TEST_FAIL("%s has %u bytes, not %u", text, len, insn.len);
	if (insn.kind != INSN_OTHER || !insn.rip_rel != !strstr(text, "(%rip)"))
		TEST_FAIL("%s: kind %d, distance at %u", text, insn.kind, insn.rip_rel);
	return 1;
}

TEST(vector_instructions_decode_as_objdump_says)
{
	char name[] = "/tmp/disasm.XXXXXX", command[128], *line = NULL, first[256] = "";
	struct encodings e = {0};
	unsigned long at, slot = 1;
	unsigned n = 0;
	size_t size = 0;
	FILE *out;
	int fd = mkstemp(name);

	encode_all(&e);
	CHECK(fd >= 0 && write(fd, e.code, e.n) == (ssize_t)e.n);
	close(fd);
	snprintf(command, sizeof(command),
		 "objdump -D -b binary -m i386:x86-64 --no-show-raw-insn -w %s 2>/dev/null", name);
	out = popen(command, "r");
	while (out && getline(&line, &size, out) > 0) {
		const char *text;

		if (!parse_line(line, &at, &text))
			continue;
		if (slot % SLOT == 0)
			n += compare_slot(&e, slot, (unsigned)(at - slot), first);
		slot = at;
		snprintf(first, sizeof(first), "%s", text);
	}
	free(line);
	free(e.code);
	unlink(name);
	if (!out || pclose(out) != 0)
		SKIP("no objdump");
	CHECK(n > 10000);
}

TEST_MAIN();
