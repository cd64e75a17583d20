/* libunwind reading through us: the stack out of the copy, tables out of the images. */
#include "tracer/unwind/unwind.h"

#include <stdlib.h>

#include <libunwind-x86_64.h>

/* Exported by libunwind for other processes' tables, as perf uses it; no header declares it. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t ip, unw_dyn_info_t *,
				       unw_proc_info_t *, int need_unwind_info, void *arg);

struct libunwind {
	unw_addr_space_t space;
	struct unwind *unwind;
	const struct cfi_regs *regs; /* of the walk */
};

static int access_mem(UNUSED unw_addr_space_t as, unw_word_t a, unw_word_t *v, int write, void *arg)
{
	const struct libunwind *l = arg;

	if (write)
		return -UNW_EINVAL;
	if (cfimap_word(&l->unwind->map, a, v) || stackcopy_word(&l->unwind->stack, a, v))
		return 0;
	return -UNW_EINVAL;
}

static int access_reg(UNUSED unw_addr_space_t as, unw_regnum_t reg, unw_word_t *v, int write,
		      void *arg)
{
	const struct libunwind *l = arg;

	if (write || reg < 0 || reg >= CFI_NREGS)
		return -UNW_EBADREG;
	*v = l->regs->r[reg]; /* in DWARF's order, as ours are */
	return 0;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need,
			  void *arg)
{
	const struct libunwind *l = arg;
	const struct cfimod *m = cfimap_at(&l->unwind->map, ip);
	unw_dyn_info_t info = {.format = UNW_INFO_FORMAT_REMOTE_TABLE};

	if (!m || !m->has_cfi || !m->cfi.table)
		return -UNW_ENOINFO;
	info.start_ip = m->vma.start;
	info.end_ip = m->vma.end;
	info.u.rti.segbase = m->cfi.hdr;
	info.u.rti.table_data = m->cfi.table;
	info.u.rti.table_len = m->cfi.count * 8ULL / sizeof(unw_word_t);
	return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &info, pi, need, arg);
}

static void put_unwind_info(UNUSED unw_addr_space_t as, UNUSED unw_proc_info_t *pi,
			    UNUSED void *arg)
{
}

static int no_dyn_info(UNUSED unw_addr_space_t as, UNUSED unw_word_t *a, UNUSED void *arg)
{
	return -UNW_ENOINFO;
}

static int no_fpreg(UNUSED unw_addr_space_t as, UNUSED unw_regnum_t reg, UNUSED unw_fpreg_t *v,
		    UNUSED int write, UNUSED void *arg)
{
	return -UNW_EBADREG;
}

static int no_resume(UNUSED unw_addr_space_t as, UNUSED unw_cursor_t *c, UNUSED void *arg)
{
	return -UNW_EINVAL;
}

static int no_name(UNUSED unw_addr_space_t as, UNUSED unw_word_t a, UNUSED char *buf,
		   UNUSED size_t n, UNUSED unw_word_t *off, UNUSED void *arg)
{
	return -UNW_ENOINFO;
}

static struct libunwind *libunwind_new(struct unwind *u)
{
	unw_accessors_t acc = {.find_proc_info = find_proc_info,
			       .put_unwind_info = put_unwind_info,
			       .get_dyn_info_list_addr = no_dyn_info,
			       .access_mem = access_mem,
			       .access_reg = access_reg,
			       .access_fpreg = no_fpreg,
			       .resume = no_resume,
			       .get_proc_name = no_name};
	struct libunwind *l = xcalloc(1, sizeof(*l));

	l->space = unw_create_addr_space(&acc, 0);
	if (!l->space)
		die("the unwinder (libunwind) cannot be started");
	unw_set_caching_policy(l->space, UNW_CACHE_GLOBAL);
	l->unwind = u;
	return l;
}

void libunwind_free(struct libunwind *l)
{
	if (!l)
		return;
	unw_destroy_addr_space(l->space);
	free(l);
}

void libunwind_flush(struct libunwind *l)
{
	if (l)
		unw_flush_cache(l->space, 0, 0);
}

unsigned unwind_libunwind(struct unwind *u, struct cfi_regs *r, bool exact, taddr_t *pcs,
			  unsigned n, unsigned max)
{
	unw_cursor_t c;
	unw_word_t ip;

	if (!u->libunwind)
		u->libunwind = libunwind_new(u);
	/* Within the call, so that one to a function that never returns is found. */
	r->r[CFI_RA] -= !exact;
	u->libunwind->regs = r;
	if (unw_init_remote(&c, u->libunwind->space, u->libunwind) < 0)
		return n;
	while (n < max && unw_step(&c) > 0) {
		if (unw_get_reg(&c, UNW_REG_IP, &ip) < 0 || !ip)
			break;
		pcs[n++] = ip;
	}
	return n;
}
