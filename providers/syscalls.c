#include "providers/syscalls.h"

static const struct row {
	const char *name, *tracepoint; /* "": the same */
} rows[SYSCALL_ONLY_32] = {
#define SYSCALL(nr, name, tracepoint) [nr] = {#name, tracepoint},
#include "providers/syscalls.def"
};

static const char *const names32[SYSCALL_ONLY_32] = {
#define SYSCALL32(nr, name) [nr] = #name,
#include "providers/syscalls32.def"
};

static int number_of(const char *name)
{
	for (int nr = 0; nr < SYSCALL_ONLY_32; nr++)
		if (rows[nr].name && strcmp(rows[nr].name, name) == 0)
			return nr;
	return -1;
}

int syscall_of_32(unsigned nr)
{
	int same;

	if (nr >= SYSCALL_ONLY_32 || !names32[nr])
		return -1;
	same = number_of(names32[nr]);
	return same < 0 ? (int)(SYSCALL_ONLY_32 + nr) : same;
}

const char *syscall_name(unsigned nr)
{
	if (nr < SYSCALL_ONLY_32)
		return rows[nr].name;
	nr -= SYSCALL_ONLY_32;
	return nr < SYSCALL_ONLY_32 && names32[nr] && number_of(names32[nr]) < 0 ? names32[nr]
										 : NULL;
}

const struct tpformat *syscall_format(struct tracefs *t, unsigned nr)
{
	const struct row *r = nr < SYSCALL_ONLY_32 ? &rows[nr] : NULL;
	char name[128];

	if (!r || !r->name)
		return NULL;
	snprintf(name, sizeof(name), "sys_enter_%s", r->tracepoint[0] ? r->tracepoint : r->name);
	return tracefs_format(t, "syscalls", name);
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
