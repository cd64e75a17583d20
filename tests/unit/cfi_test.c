/* Call frame information: bytes written by hand, then every entry of real libraries, with libdw as
 * the oracle. */
#include "symbols/cfi/cfi.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include "base/err.h"
#include "tests/unit/test.h"

#define ADDR 0x10000

/* ---- bytes ---- */

struct image {
	const uint8_t *data;
	size_t size;
	taddr_t addr;
};

static const uint8_t *image_bytes(void *arg, taddr_t addr, size_t n)
{
	const struct image *im = arg;

	if (addr < im->addr || addr - im->addr > im->size || n > im->size - (addr - im->addr))
		return NULL;
	return im->data + (addr - im->addr);
}

/* A CIE with `initial` and an FDE with `insns` for [0x11000, 0x11100). */
struct table {
	uint8_t bytes[512];
	struct image im;
	struct cfi cfi;
	int opened;
};

static size_t put_entry(struct table *t, size_t at, uint32_t id, const void *body, size_t n,
			const void *insns, size_t ninsns)
{
	uint32_t len = (uint32_t)(4 + n + ninsns);

	memcpy(t->bytes + at, &len, 4);
	memcpy(t->bytes + at + 4, &id, 4);
	memcpy(t->bytes + at + 8, body, n);
	memcpy(t->bytes + at + 8 + n, insns, ninsns);
	return at + 8 + n + ninsns;
}

static void make_table(struct table *t, const char *aug, const void *initial, size_t ninitial,
		       const void *insns, size_t ninsns)
{
	static struct cfi last; /* the tests do not close what they make */
	uint8_t cie[32] = {1};
	uint8_t fde[17] = {0};
	uint64_t start = 0x11000, size = 0x100;
	size_t n = 1 + strlen(aug) + 1, at;

	memset(t, 0, sizeof(*t));
	memcpy(cie + 1, aug, strlen(aug) + 1);
	cie[n++] = 1;	 /* code */
	cie[n++] = 0x78; /* data: -8 */
	cie[n++] = 16;
	if (*aug == 'z') {
		cie[n++] = 0;
	}
	at = put_entry(t, 0, 0, cie, n, initial, ninitial);
	memcpy(fde, &start, 8);
	memcpy(fde + 8, &size, 8);
	at = put_entry(t, at, (uint32_t)at + 4, fde, *aug == 'z' ? 17 : 16, insns, ninsns);
	t->im = (struct image){t->bytes, at, ADDR};
	cfi_close(&last);
	t->opened = cfi_open(&t->cfi, image_bytes, &t->im, 0, ADDR, at);
	last = t->cfi;
}

#define INITIAL "\x0c\x07\x08\x90\x01" /* CFA rsp+8, ra at CFA-8 */
#define MAKE(t, aug, insns)                                                                        \
	make_table(t, aug, INITIAL, sizeof(INITIAL) - 1, insns, sizeof(insns) - 1)

static void check_cfa(struct table *t, taddr_t pc, unsigned reg, int64_t off)
{
	struct cfi_row row;

	CHECK_EQ(cfi_row(&t->cfi, pc, &row), 0);
	CHECK(pc >= row.start && pc < row.end);
	CHECK_EQ(row.cfa.how, CFI_REGISTER);
	CHECK_EQ(row.cfa.reg, reg);
	CHECK_EQ(row.cfa.off, off);
}

static void check_saved(struct table *t, taddr_t pc, unsigned reg, enum cfi_how how, int64_t off)
{
	struct cfi_row row;

	CHECK_EQ(cfi_row(&t->cfi, pc, &row), 0);
	CHECK_EQ(row.regs[reg].how, how);
	if (how == CFI_SAVED || how == CFI_VALUE)
		CHECK_EQ(row.regs[reg].off, off);
}

TEST(a_function_that_pushes_rbp)
{
	struct table t;

	/* +1: CFA 16, rbp at -16; +4: CFA rbp+16; +0x20: back to rsp+8 */
	MAKE(&t, "", "\x41\x0e\x10\x86\x02\x43\x0d\x06\x5c\x0c\x07\x08");
	check_cfa(&t, 0x11000, CFI_RSP, 8);
	check_saved(&t, 0x11000, CFI_RBP, CFI_SAME, 0);
	check_saved(&t, 0x11000, CFI_RA, CFI_SAVED, -8);
	check_cfa(&t, 0x11001, CFI_RSP, 16);
	check_saved(&t, 0x11001, CFI_RBP, CFI_SAVED, -16);
	check_cfa(&t, 0x11003, CFI_RSP, 16);
	check_cfa(&t, 0x11004, CFI_RBP, 16);
	check_cfa(&t, 0x1101f, CFI_RBP, 16);
	check_cfa(&t, 0x11020, CFI_RSP, 8);
	check_cfa(&t, 0x110ff, CFI_RSP, 8);
}

TEST(outside_of_every_entry)
{
	struct table t;
	struct cfi_row row;

	MAKE(&t, "", "");
	CHECK_EQ(cfi_row(&t.cfi, 0x10fff, &row), -ENOENT);
	CHECK_EQ(cfi_row(&t.cfi, 0x11100, &row), -ENOENT);
	CHECK_EQ(cfi_row(&t.cfi, 0, &row), -ENOENT);
	CHECK_EQ(cfi_row(&t.cfi, UINT64_MAX, &row), -ENOENT);
}

TEST(remember_and_restore)
{
	struct table t;

	/* CFA 64; remember; +1: CFA 8; +1: restore_state; +1: rbx at -24, restored at +1 */
	MAKE(&t, "", "\x0e\x40\x0a\x41\x0e\x08\x41\x0b\x41\x83\x03\x41\xc3");
	check_cfa(&t, 0x11000, CFI_RSP, 64);
	check_cfa(&t, 0x11001, CFI_RSP, 8);
	check_cfa(&t, 0x11002, CFI_RSP, 64);
	check_saved(&t, 0x11003, CFI_RBX, CFI_SAVED, -24);
	check_saved(&t, 0x11004, CFI_RBX, CFI_SAME, 0);
}

TEST(advances_of_every_width)
{
	struct table t;

	MAKE(&t, "",
	     "\x02\x10\x0e\x10\x03\x10\0\x0e\x18\x04\x10\0\0\0\x0e\x20"
	     "\x01\x80\x10\x01\0\0\0\0\0\x0e\x28");
	check_cfa(&t, 0x1100f, CFI_RSP, 8);
	check_cfa(&t, 0x11010, CFI_RSP, 16);
	check_cfa(&t, 0x11020, CFI_RSP, 24);
	check_cfa(&t, 0x11030, CFI_RSP, 32);
	check_cfa(&t, 0x11080, CFI_RSP, 40);
}

TEST(extended_and_signed_forms)
{
	struct table t;

	MAKE(&t, "",
	     "\x05\x0c\x03"   /* offset_extended r12 -24 */
	     "\x11\x0d\x7c"   /* offset_extended_sf r13 -4 * -8 */
	     "\x2f\x0e\x02"   /* negative_offset r14 +16 */
	     "\x14\x0f\x02"   /* val_offset r15 -16 */
	     "\x15\x03\x7f"   /* val_offset_sf rbx +8 */
	     "\x12\x06\x7e"   /* def_cfa_sf rbp +16 */
	     "\x2e\x10"	      /* args_size */
	     "\x05\x20\x01"   /* xmm15, which nobody needs */
	     "\x09\x06\x03"); /* rbp is in rbx */
	check_saved(&t, 0x11000, 12, CFI_SAVED, -24);
	check_saved(&t, 0x11000, 13, CFI_SAVED, 32);
	check_saved(&t, 0x11000, 14, CFI_SAVED, 16);
	check_saved(&t, 0x11000, 15, CFI_VALUE, -16);
	check_saved(&t, 0x11000, CFI_RBX, CFI_VALUE, 8);
	check_saved(&t, 0x11000, CFI_RBP, CFI_REGISTER, 0);
	check_cfa(&t, 0x11000, CFI_RBP, 16);
}

TEST(signal_frames_are_told)
{
	struct table t;
	struct cfi_row row;

	MAKE(&t, "zS", "");
	CHECK_EQ(cfi_row(&t.cfi, 0x11000, &row), 0);
	CHECK(row.is_signal);
	MAKE(&t, "z", "");
	CHECK_EQ(cfi_row(&t.cfi, 0x11000, &row), 0);
	CHECK(!row.is_signal);
}

static void check_invalid(const void *insns, size_t n)
{
	struct table t;
	struct cfi_row row;

	make_table(&t, "", INITIAL, sizeof(INITIAL) - 1, insns, n);
	CHECK_EQ(cfi_row(&t.cfi, 0x11000, &row), -EINVAL);
}

#define INVALID(insns) check_invalid(insns, sizeof(insns) - 1)

TEST(what_cannot_be_understood_is_refused)
{
	struct table t;
	struct cfi_row row;

	INVALID("\x0b"); /* nothing was remembered */
	INVALID("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a");
	INVALID("\x3f");		 /* no such operation */
	INVALID("\x0c\x07");		 /* cut short */
	INVALID("\x0f\x40\x00");	 /* an expression longer than the entry */
	INVALID("\x0f\x01\x96\x0e\x08"); /* an offset to an expression */
	INVALID("\x0c\x20\x08");	 /* a CFA in xmm15 */
	INVALID("\x09\x06\x20");	 /* rbp in xmm15 */
	INVALID("\x01\0\0\0\0\0\0\0\0"); /* backwards */
	MAKE(&t, "eh", "");		 /* nothing else is there */
	CHECK_EQ(t.opened, -EINVAL);
	make_table(&t, "", "\x90\x01", 2, "", 0); /* no CFA at all */
	CHECK_EQ(cfi_row(&t.cfi, 0x11000, &row), -EINVAL);
	make_table(&t, "", INITIAL "\x41", sizeof(INITIAL), "", 0); /* a CIE has no places */
	CHECK_EQ(cfi_row(&t.cfi, 0x11000, &row), -EINVAL);
}

TEST(tables_that_point_nowhere)
{
	static const uint8_t far[] = {1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
	struct image im = {far, sizeof(far), ADDR};
	struct cfi_row row;
	struct cfi cfi;

	CHECK_EQ(cfi_open(&cfi, image_bytes, &im, ADDR, 0, 0), 0);
	CHECK_EQ(cfi_row(&cfi, ADDR, &row), -EINVAL);
	CHECK_EQ(cfi_open(&cfi, image_bytes, &im, ADDR + 4, 0, 0), -EINVAL);
	CHECK_EQ(cfi_open(&cfi, image_bytes, &im, 0, ADDR + 8, 0), -EINVAL);
}

/* ---- steps ---- */

/* Memory whose every word is known: addresses below 0x1000 are not mapped. */
static bool made_up(UNUSED void *arg, taddr_t addr, uint64_t *v)
{
	*v = addr * 3 + 1;
	return addr >= 0x1000;
}

static struct cfi_regs some_regs(void)
{
	struct cfi_regs r;

	for (unsigned i = 0; i < CFI_NREGS; i++)
		r.r[i] = 0x100000 + i * 0x1000;
	return r;
}

TEST(a_step)
{
	struct table t;
	struct cfi_row row;
	struct cfi_regs r = some_regs(), was = r;

	MAKE(&t, "", "\x0e\x20\x86\x02\x09\x03\x0c\x14\x0d\x01");
	CHECK_EQ(cfi_row(&t.cfi, 0x11000, &row), 0);
	CHECK_EQ(cfi_step(&row, &r, made_up, NULL), 0);
	CHECK_EQ(r.r[CFI_RSP], was.r[CFI_RSP] + 32);
	CHECK_EQ(r.r[CFI_RA], (was.r[CFI_RSP] + 24) * 3 + 1);
	CHECK_EQ(r.r[CFI_RBP], (was.r[CFI_RSP] + 16) * 3 + 1);
	CHECK_EQ(r.r[CFI_RBX], was.r[12]);
	CHECK_EQ(r.r[12], was.r[12]);
	CHECK_EQ(r.r[13], was.r[CFI_RSP] + 24);
}

TEST(the_end_of_a_stack)
{
	struct table t;
	struct cfi_row row;
	struct cfi_regs r = some_regs(), was = r;

	MAKE(&t, "", "\x07\x10");
	CHECK_EQ(cfi_row(&t.cfi, 0x11000, &row), 0);
	CHECK_EQ(cfi_step(&row, &r, made_up, NULL), -ENODATA);
	CHECK(!memcmp(&r, &was, sizeof(r)));
}

TEST(a_stack_that_cannot_be_read)
{
	struct table t;
	struct cfi_row row;
	struct cfi_regs r = some_regs(), was;

	r.r[CFI_RSP] = 8;
	was = r;
	MAKE(&t, "", "");
	CHECK_EQ(cfi_row(&t.cfi, 0x11000, &row), 0);
	CHECK_EQ(cfi_step(&row, &r, made_up, NULL), -EFAULT);
	CHECK(!memcmp(&r, &was, sizeof(r)));
}

/* The value of an expression for the CFA; error: what the step says instead. */
static uint64_t cfa_of(const char *expr, size_t n, int error)
{
	struct cfi_regs r = some_regs();
	struct cfi_row row = {
		.cfa = {.how = CFI_VALEXPR, .len = (uint32_t)n, .expr = (const uint8_t *)expr},
		.regs[CFI_RA] = {.how = CFI_VALUE}};

	CHECK_EQ(cfi_step(&row, &r, made_up, NULL), error);
	return r.r[CFI_RSP];
}

#define VALUE(expr)	   cfa_of(expr, sizeof(expr) - 1, 0)
#define FAILS(expr, error) cfa_of(expr, sizeof(expr) - 1, error)

TEST(expressions)
{
	/* a PLT's: rsp + 8 + ((rip & 15) >= 11) * 8 */
	CHECK_EQ(VALUE("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), 0x107008);
	CHECK_EQ(VALUE("\x77\x08\x80\x0b\x3f\x1a\x3b\x2a\x33\x24\x22"), 0x107010);
	/* a signal frame's: *(rsp + 160) */
	CHECK_EQ(VALUE("\x77\xa0\x01\x06"), (0x107000 + 160) * 3 + 1);
	CHECK_EQ(VALUE("\x03\1\0\0\0\0\0\0\0"), 1);
	CHECK_EQ(VALUE("\x08\xff"), 255);
	CHECK_EQ(VALUE("\x09\xff"), -1);
	CHECK_EQ(VALUE("\x0a\xfe\xff"), 65534);
	CHECK_EQ(VALUE("\x0d\xfe\xff\xff\xff"), -2);
	CHECK_EQ(VALUE("\x10\x80\x01\x11\x7f\x22"), 127);
	CHECK_EQ(VALUE("\x31\x32\x12\x22\x22"), 5);
	CHECK_EQ(VALUE("\x31\x32\x14\x1c\x1c"), 0);		  /* over */
	CHECK_EQ(VALUE("\x35\x32\x33\x15\x02"), 5);		  /* pick */
	CHECK_EQ(VALUE("\x35\x32\x13"), 5);			  /* drop */
	CHECK_EQ(VALUE("\x31\x35\x16\x1c"), 4);			  /* swap */
	CHECK_EQ(VALUE("\x31\x32\x34\x17\x1c\x1c"), 4 - (1 - 2)); /* rot */
	CHECK_EQ(VALUE("\x09\x9c\x19"), 100);
	CHECK_EQ(VALUE("\x09\x9c\x33\x1b"), -33);
	CHECK_EQ(VALUE("\x39\x34\x1d"), 1);
	CHECK_EQ(VALUE("\x39\x34\x1e\x1f"), -36);
	CHECK_EQ(VALUE("\x30\x20"), -1);
	CHECK_EQ(VALUE("\x39\x36\x21\x37\x27"), 15 ^ 7);
	CHECK_EQ(VALUE("\x35\x23\x05"), 10);
	CHECK_EQ(VALUE("\x09\x80\x34\x25\x34\x24"), -128 & ~15ULL);
	CHECK_EQ(VALUE("\x09\x80\x34\x26"), -8);
	CHECK_EQ(VALUE("\x31\x08\x40\x24"), 0);
	CHECK_EQ(VALUE("\x31\x28\x01\0\x06\x33"), 3); /* bra over the deref of nothing */
	CHECK_EQ(VALUE("\x32\x2f\x01\0\x06\x96"), 2);
	CHECK_EQ(VALUE("\x31\x32\x2d\x31\x32\x2e\x22"), 2);
	CHECK_EQ(VALUE("\x92\x07\x01\x94\x01"), ((0x107001 * 3) + 1) & 0xff);
}

TEST(expressions_that_fail)
{
	FAILS("", -EINVAL); /* nothing on the stack */
	FAILS("\x22", -EINVAL);
	FAILS("\x30\x06", -EFAULT);	/* address 0 */
	FAILS("\x31\x30\x1b", -EINVAL); /* by zero */
	FAILS("\x31\x30\x1d", -EINVAL);
	FAILS("\x2f\xfd\xff", -EINVAL);	  /* for ever */
	FAILS("\x31\x2f\x7f\0", -EINVAL); /* beyond */
	FAILS("\x31\x2f\x80\xff", -EINVAL);
	FAILS("\x31\x15\x01", -EINVAL);
	FAILS("\x80\x01\x94\x03", -EINVAL);
	FAILS("\x92\x20\x00", -EINVAL); /* xmm15 */
	FAILS("\xe0", -EINVAL);
	FAILS("\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31"
	      "\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31\x31",
	      -EINVAL);
	cfa_of("\x0e\0\0\0\0\0\0\0\x80\x09\xff\x1b", 12, 0); /* the most negative by -1 */
}

/* ---- real libraries ---- */

struct library {
	Elf *elf;
	int fd;
	struct image im; /* from .eh_frame_hdr or .eh_frame on, to the end of both */
	uint8_t *copy;
	taddr_t hdr, frame;
	uint64_t frame_size;
};

static bool open_library(struct library *l, const char *path)
{
	taddr_t lo = UINT64_MAX, hi = 0;
	size_t names;

	memset(l, 0, sizeof(*l));
	elf_version(EV_CURRENT);
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	l->elf = l->fd < 0 ? NULL : elf_begin(l->fd, ELF_C_READ, NULL);
	if (!l->elf || elf_getshdrstrndx(l->elf, &names))
		return false;
	for (int pass = 0; pass < 2; pass++) {
		for (Elf_Scn *s = NULL; (s = elf_nextscn(l->elf, s));) {
			GElf_Shdr sh;
			const char *name;

			if (!gelf_getshdr(s, &sh) ||
			    !(name = elf_strptr(l->elf, names, sh.sh_name)) ||
			    strncmp(name, ".eh_frame", 9) != 0)
				continue;
			if (!name[9]) {
				l->frame = sh.sh_addr;
				l->frame_size = sh.sh_size;
			} else {
				l->hdr = sh.sh_addr;
			}
			lo = MIN(lo, sh.sh_addr);
			hi = MAX(hi, sh.sh_addr + sh.sh_size);
			if (pass && pread(l->fd, l->copy + (sh.sh_addr - l->im.addr), sh.sh_size,
					  (off_t)sh.sh_offset) < 0)
				return false;
		}
		if (!pass && lo < hi)
			l->copy = xcalloc(1, hi - lo);
		l->im = (struct image){l->copy, hi - lo, lo};
	}
	return l->hdr && l->frame;
}

static void close_library(struct library *l)
{
	elf_end(l->elf);
	close(l->fd);
	free(l->copy);
}

/* A value by libdw's operations, which it has already decoded. */
static uint64_t dw_value(const Dwarf_Op *ops, size_t n, uint64_t cfa, const struct cfi_regs *r)
{
	uint64_t s[16] = {0};
	unsigned top = 0;

	for (size_t i = 0; i < n; i++) {
		uint8_t op = ops[i].atom;

		CHECK(top < 14);
		if (op >= 0x70 && op <= 0x80)
			s[++top] = r->r[op - 0x70] + ops[i].number;
		else if (op == 0x90)
			s[++top] = r->r[ops[i].number % CFI_NREGS];
		else if (op == 0x92)
			s[++top] = r->r[ops[i].number % CFI_NREGS] + ops[i].number2;
		else if (op >= 0x30 && op <= 0x4f)
			s[++top] = op - 0x30;
		else if (op == 0x9c)
			s[++top] = cfa;
		else if (op == 0x06)
			made_up(NULL, s[top], &s[top]);
		else if (op == 0x23)
			s[top] += ops[i].number;
		else if (op == 0x1a)
			top--, s[top] &= s[top + 1];
		else if (op == 0x2a)
			top--, s[top] = (int64_t)s[top] >= (int64_t)s[top + 1];
		else if (op == 0x24)
			top--, s[top] <<= s[top + 1];
		else if (op == 0x22)
			top--, s[top] += s[top + 1];
		else if (op != 0x9f)
			TEST_FAIL("the oracle does not know operation 0x%x", op);
	}
	return s[top];
}

/* What libdw says of one register, compared with what our step made of it. */
static void check_register(Dwarf_Frame *f, int reg, uint64_t cfa, const struct cfi_row *row,
			   const struct cfi_regs *before, const struct cfi_regs *after, taddr_t pc)
{
	Dwarf_Op mem[3], *ops;
	uint64_t want;
	size_t n;

	CHECK_EQ(dwarf_frame_register(f, reg, mem, &ops, &n), 0);
	if (!n) {
		/* libdw takes the psABI's word on what calls destroy; we keep what is there */
		if (ops == mem && row->regs[reg].how != CFI_SAME &&
		    row->regs[reg].how != CFI_UNDEFINED)
			TEST_FAIL("pc 0x%lx: register %d is undefined, not %u", pc, reg,
				  row->regs[reg].how);
		return;
	}
	want = dw_value(ops, n, cfa, before);
	if (ops[n - 1].atom != 0x9f && ops[0].atom != 0x90)
		made_up(NULL, want, &want);
	if (after->r[reg] != want)
		TEST_FAIL("pc 0x%lx: register %d is 0x%lx, libdw says 0x%lx", pc, reg,
			  after->r[reg], want);
}

static void compare(Dwarf_CFI *dw, const struct cfi *cfi, taddr_t pc)
{
	struct cfi_regs before = some_regs(), after;
	Dwarf_Frame *f;
	struct cfi_row row;
	Dwarf_Op *ops;
	bool is_signal;
	uint64_t cfa;
	int r;
	size_t n;

	before.r[CFI_RA] = pc;
	after = before;
	CHECK_EQ(dwarf_cfi_addrframe(dw, pc, &f), 0);
	CHECK_EQ(cfi_row(cfi, pc, &row), 0);
	CHECK(pc >= row.start && pc < row.end);
	CHECK_EQ(dwarf_frame_info(f, NULL, NULL, &is_signal), 16);
	CHECK_EQ(row.is_signal, is_signal);
	CHECK_EQ(dwarf_frame_cfa(f, &ops, &n), 0);
	cfa = dw_value(ops, n, 0, &before);
	r = cfi_step(&row, &after, made_up, NULL);
	if (r == -ENODATA) {
		Dwarf_Op mem[3];

		CHECK_EQ(dwarf_frame_register(f, 16, mem, &ops, &n), 0);
		CHECK_EQ(n, 0);
	} else {
		CHECK_EQ(r, 0);
		if (row.regs[CFI_RSP].how == CFI_SAME && after.r[CFI_RSP] != cfa)
			TEST_FAIL("pc 0x%lx: CFA 0x%lx, libdw says 0x%lx", pc, after.r[CFI_RSP],
				  cfa);
		for (int reg = 0; reg < CFI_NREGS; reg++)
			if (reg != CFI_RSP || row.regs[reg].how != CFI_SAME)
				check_register(f, reg, cfa, &row, &before, &after, pc);
	}
	free(f);
}

/* Where the entry i of the sorted table starts; behind the last one, the end of everything. */
static taddr_t entry_start(const struct library *l, const struct cfi *table, uint32_t i)
{
	int32_t rel;

	if (i == table->count)
		return UINT64_MAX;
	memcpy(&rel, image_bytes((void *)(uintptr_t)&l->im, table->table + i * 8ULL, 4), 4);
	return l->hdr + (taddr_t)(int64_t)rel;
}

/* Every row of the entry in [start, end); some by an index of our own as well. */
static unsigned check_entry(Dwarf_CFI *dw, const struct cfi *table, const struct cfi *own,
			    taddr_t start, taddr_t end)
{
	struct cfi_row row, same;
	unsigned n = 0;

	for (taddr_t pc = start; pc < end; pc = row.end) {
		int r = cfi_row(table, pc, &row);

		if (r == -ENOENT && n)
			break;
		if (r)
			TEST_FAIL("pc 0x%lx of the entry for 0x%lx has no row", pc, start);
		compare(dw, table, pc);
		CHECK_EQ(cfi_row(own, pc, &same), 0);
		CHECK_EQ(same.end, row.end);
		CHECK_EQ(same.cfa.how, row.cfa.how);
		CHECK_EQ(same.cfa.off, row.cfa.off);
		n++;
	}
	return n;
}

static void check_library(const char *path, unsigned least)
{
	struct library l;
	struct cfi table, own;
	Dwarf_CFI *dw;
	unsigned nrows = 0;

	if (!open_library(&l, path))
		SKIP("%s is not here", path);
	CHECK_EQ(cfi_open(&table, image_bytes, &l.im, l.hdr, 0, 0), 0);
	CHECK_EQ(cfi_open(&own, image_bytes, &l.im, 0, l.frame, l.frame_size), 0);
	dw = dwarf_getcfi_elf(l.elf);
	CHECK(dw);
	for (uint32_t i = 0; i < table.count; i++)
		nrows += check_entry(dw, &table, &own, entry_start(&l, &table, i),
				     entry_start(&l, &table, i + 1));
	CHECK(table.count > least && nrows > table.count);
	CHECK_EQ(own.count, table.count);
	cfi_close(&own);
	dwarf_cfi_end(dw);
	close_library(&l);
}

TEST(libc_agrees_with_libdw)
{
	check_library("/lib/x86_64-linux-gnu/libc.so.6", 1000);
}

TEST(ld_so_agrees_with_libdw)
{
	check_library("/lib64/ld-linux-x86-64.so.2", 100);
}

TEST(libstdcxx_agrees_with_libdw)
{
	check_library("/lib/x86_64-linux-gnu/libstdc++.so.6", 1000);
}

TEST(python_agrees_with_libdw)
{
	check_library("/usr/bin/python3", 1000);
}

TEST(ourselves_agree_with_libdw)
{
	check_library("/proc/self/exe", 10);
}

TEST_MAIN();
