#include "providers/syscalls.h"

static const struct row {
	const char *name, *tracepoint; /* "": the same */
} rows[SYSCALL_MAX_NR] = {
#define SYSCALL(nr, name, tracepoint) [nr] = {#name, tracepoint},
#include "providers/syscalls.def"
};

const char *syscall_name(unsigned nr)
{
	return nr < SYSCALL_MAX_NR ? rows[nr].name : NULL;
}

const struct tpformat *syscall_format(struct tracefs *t, unsigned nr)
{
	const struct row *r = nr < SYSCALL_MAX_NR ? &rows[nr] : NULL;
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
