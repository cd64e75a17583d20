#include "providers/system/syscalls.h"

static const struct row {
	const char *name, *tracepoint; /* "": the same */
} rows[SYSCALL_ONLY_32] = {
#define SYSCALL(nr, name, tracepoint) [nr] = {#name, tracepoint},
#include "providers/system/syscalls.def"
};

#define NONE (-1)
static const struct row32 {
	const char *name;
	int same; /* the number that 64-bit programs have for it */
} rows32[SYSCALL_ONLY_32] = {
#define SYSCALL32(nr, name, same) [nr] = {#name, same},
#include "providers/system/syscalls32.def"
};

int syscall_of_32(unsigned nr)
{
	if (nr >= SYSCALL_ONLY_32 || !rows32[nr].name)
		return -1;
	return rows32[nr].same == NONE ? (int)(SYSCALL_ONLY_32 + nr) : rows32[nr].same;
}

const char *syscall_name(unsigned nr)
{
	if (nr < SYSCALL_ONLY_32)
		return rows[nr].name;
	nr -= SYSCALL_ONLY_32;
	return nr < SYSCALL_ONLY_32 && rows32[nr].same == NONE ? rows32[nr].name : NULL;
}

static const struct tpformat *format_of(struct tracefs *t, const char *side, unsigned nr)
{
	const struct row *r = nr < SYSCALL_ONLY_32 ? &rows[nr] : NULL;
	char name[128];

	if (!r || !r->name)
		return NULL;
	snprintf(name, sizeof(name), "sys_%s_%s", side, r->tracepoint[0] ? r->tracepoint : r->name);
	return tracefs_format(t, "syscalls", name);
}

const struct tpformat *syscall_format(struct tracefs *t, unsigned nr)
{
	return format_of(t, "enter", nr);
}

const struct tpformat *syscall_exit_format(struct tracefs *t, unsigned nr)
{
	return format_of(t, "exit", nr);
}

unsigned syscall_nargs(const struct tpformat *fmt)
{
	unsigned n = fmt->nfields ? fmt->nfields - 1 : 0;

	return MIN(n, 6);
}

const struct tpfield *syscall_arg(const struct tpformat *fmt, unsigned n)
{
	return &fmt->fields[n + 1];
}
