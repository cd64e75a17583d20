#include "symbols/disasm.h"

#include <capstone/capstone.h>
#include <fcntl.h>

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
	return INSN_OTHER;
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

TEST_MAIN();
