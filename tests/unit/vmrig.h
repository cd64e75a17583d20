/*
 * vmrig.h: a machine without an engine around it, for tests, fuzzing and benchmarks of dlang's
 * lower half: an arena, a session with options, one probe, a target of one page at TARGET_BASE, and
 * a small assembler for DIFOs.
 */
#ifndef TESTS_VMRIG_H
#define TESTS_VMRIG_H

#include <errno.h>

#include "dlang/osinfo/osinfo.h"
#include "dlang/session_engine.h"
#include "dlang/run/speculation.h"
#include "dlang/run/vars.h"
#include "dlang/run/vm.h"
#include "dlang/run/vmmem.h"

#define TARGET_BASE 0x10000
#define TARGET_SIZE 4096

struct rig {
	struct arena arena;
	struct session *session;
	struct vm *vm;
	struct target target;
	struct provider provider;
	struct probe probe;
	struct ecb ecb;
	struct event ev;
	char memory[TARGET_SIZE]; /* of the target */
	/* the DIFO being assembled */
	uint32_t text[256];
	uint64_t ints[64];
	char strs[1024];
	struct dif_var vars[16];
	struct difo difo;
};

static struct rig rig;

static const struct type rig_int = {.kind = TYPE_INT, .size = 4, .is_signed = true};
static const struct type rig_char = {.kind = TYPE_INT, .size = 1, .is_signed = true};
static const struct type rig_uint8 = {.kind = TYPE_INT, .size = 1};
static const struct type rig_int64 = {.kind = TYPE_INT, .size = 8, .is_signed = true};
static const struct type rig_string = {.kind = TYPE_STRING, .size = 256};
static const struct type rig_struct = {.kind = TYPE_STRUCT, .size = 24};

static ssize_t rig_read(struct target *t UNUSED, taddr_t addr, void *buf, size_t n)
{
	if (addr < TARGET_BASE || addr >= TARGET_BASE + TARGET_SIZE)
		return -EFAULT;
	n = MIN(n, TARGET_BASE + TARGET_SIZE - addr);
	memcpy(buf, rig.memory + (addr - TARGET_BASE), n);
	return (ssize_t)n;
}

static ssize_t rig_write(struct target *t UNUSED, taddr_t addr, const void *buf, size_t n)
{
	if (addr < TARGET_BASE || addr >= TARGET_BASE + TARGET_SIZE)
		return -EFAULT;
	n = MIN(n, TARGET_BASE + TARGET_SIZE - addr);
	memcpy(rig.memory + (addr - TARGET_BASE), buf, n);
	return (ssize_t)n;
}

/* A fresh session. Variables are defined between this and rig_start. */
static inline void rig_new(uint64_t strsize, uint64_t dynvarsize)
{
	struct session *s;

	if (rig.arena.base)
		arena_release(&rig.arena);
	memset(&rig, 0, sizeof(rig));
	if (arena_init_shared(&rig.arena, (size_t)64 << 20, NULL) < 0)
		die("no memory for the rig");
	rig.session = s = ARENA_NEW(&rig.arena, struct session);
	s->engine = ARENA_NEW(&rig.arena, struct session_engine);
	s->arena = &rig.arena;
	s->progname = arena_strdup(&rig.arena, "dtrace");
	s->front_pid = 1;
	s->options.num[OPT_MAXFRAMES] = OPT_UNSET;
	s->options.num[OPT_STRSIZE] = (int64_t)strsize;
	s->options.num[OPT_SCRATCHSIZE] = 256;
	s->options.num[OPT_DYNVARSIZE] = (int64_t)dynvarsize;
	s->engine->vars = vars_new(&rig.arena);
	rig.target = (struct target){.pid = 7, .aspace = 1, .read = rig_read, .write = rig_write};
	rig.probe = (struct probe){.id = 3, .provider = &rig.provider, .session = s};
	rig.probe.prov = arena_strdup(&rig.arena, "pid7");
	rig.probe.mod = arena_strdup(&rig.arena, "a.out");
	rig.probe.func = arena_strdup(&rig.arena, "main");
	rig.probe.name = arena_strdup(&rig.arena, "entry");
	rig.ecb = (struct ecb){.epid = 2, .probe = &rig.probe};
	rig.ev = (struct event){.probe = &rig.probe, .target = &rig.target, .pid = 7, .tid = 8};
	rig.ev.time_ns = 1000;
}

static inline void rig_start(void)
{
	struct session *s = rig.session;

	if (vars_start(s->engine->vars, (uint64_t)s->options.num[OPT_STRSIZE],
		       (uint64_t)s->options.num[OPT_DYNVARSIZE], NULL) < 0)
		die("no memory for variables");
	s->engine->speculations = speculations_new(&rig.arena, 2, 512, NULL);
	s->engine->vm = rig.vm = vm_new(s);
	vm_begin_firing(rig.vm, &rig.ev);
	vm_begin_clause(rig.vm, &rig.ecb);
}

static inline void rig_default(void)
{
	rig_new(256, 1 << 16);
	rig_start();
}

/* The address of a text that a program may read in this clause. */
static inline uint64_t rig_text(const char *s)
{
	return vm_lend(rig.vm, arena_strdup(&rig.arena, s));
}

/* ---- the assembler ---- */

static inline void rig_begin(void)
{
	memset(&rig.difo, 0, sizeof(rig.difo));
	rig.difo.strslen = 1; /* "" at 0 */
	rig.difo.nregs = 8;
}

static inline void rig_emit(uint32_t insn)
{
	rig.text[rig.difo.ninsns++] = insn;
}

static inline void rig_setx(uint64_t value, unsigned reg)
{
	rig.ints[rig.difo.nints] = value;
	rig_emit(DIF_INDEX(DIF_OP_SETX, rig.difo.nints++, reg));
}

static inline void rig_sets(const char *s, unsigned reg)
{
	rig_emit(DIF_INDEX(DIF_OP_SETS, rig.difo.strslen, reg));
	memcpy(rig.strs + rig.difo.strslen, s, strlen(s) + 1);
	rig.difo.strslen += (unsigned)strlen(s) + 1;
}

/* Declares a variable to the DIFO under construction. */
static inline void rig_var(enum dif_scope scope, uint16_t id, bool is_array)
{
	rig.vars[rig.difo.nvars++] =
		(struct dif_var){.name = "v", .id = id, .scope = scope, .is_array = is_array};
}

/* Copies what was assembled into the arena, where DIFOs live. */
static inline const struct difo *rig_end(void)
{
	struct difo *d = arena_memdup(&rig.arena, &rig.difo, sizeof(rig.difo));

	d->text = arena_memdup(&rig.arena, rig.text, d->ninsns * sizeof(*rig.text));
	d->ints = arena_memdup(&rig.arena, rig.ints, d->nints * sizeof(*rig.ints));
	d->strs = arena_memdup(&rig.arena, rig.strs, d->strslen);
	d->vars = arena_memdup(&rig.arena, rig.vars, d->nvars * sizeof(*rig.vars));
	return d;
}

#endif
