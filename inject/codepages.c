#include "inject/codepages.h"

#include <stdlib.h>
#include <string.h>

#define NPAGES 16

struct codepages {
	taddr_t number[NPAGES]; /* of a page, and 1; 0: none */
	uint8_t bytes[NPAGES][PAGE];
};

/* NULL: it cannot be read as a whole. */
static const uint8_t *page_of(struct codepages *c, struct proc *p, taddr_t number)
{
	unsigned at = (unsigned)(number % NPAGES);

	if (c->number[at] != number + 1) {
		c->number[at] = 0;
		if (proc_read_code(p, number * PAGE, c->bytes[at], PAGE) != PAGE)
			return NULL;
		c->number[at] = number + 1;
	}
	return c->bytes[at];
}

bool codepages_read(struct codepages **pages, struct proc *p, taddr_t addr, void *buf, size_t n)
{
	uint8_t *to = buf;

	if (!*pages)
		*pages = xcalloc(1, sizeof(**pages));
	while (n) {
		size_t in = addr % PAGE, len = MIN(n, PAGE - in);
		const uint8_t *page = page_of(*pages, p, addr / PAGE);

		if (!page)
			return proc_read_code(p, addr, to, n) == (ssize_t)n;
		memcpy(to, page + in, len);
		addr += len;
		to += len;
		n -= len;
	}
	return true;
}

void codepages_forget(struct codepages **pages)
{
	free(*pages);
	*pages = NULL;
}
