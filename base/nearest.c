#include "base/nearest.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/err.h"

#define LONGEST 128

static bool differ(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

/*
 * Edit distance with swapped neighbours as one edit (optimal string alignment); above `limit` the
 * result is only known to be above. Upper case is lower case.
 */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit)
{
	unsigned row[3][LONGEST + 1];

	for (size_t j = 0; j <= nb; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *cur = row[i % 3], *prev = row[(i - 1) % 3], *prev2 = row[(i + 1) % 3];
		unsigned least = cur[0] = (unsigned)i;

		for (size_t j = 1; j <= nb; j++) {
			unsigned d = prev[j - 1] + differ(a[i - 1], b[j - 1]);

			d = MIN(d, MIN(prev[j], cur[j - 1]) + 1);
			if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) &&
			    !differ(a[i - 2], b[j - 1]))
				d = MIN(d, prev2[j - 2] + 1);
			cur[j] = d;
			least = MIN(least, d);
		}
		if (least > limit)
			return limit + 1;
	}
	return row[na % 3][nb];
}

/* Half of a short word may not be wrong. */
static unsigned most_edits(size_t len)
{
	return len <= 2 ? 0 : len <= 4 ? 1 : len <= 7 ? 2 : 3;
}

/* Numbers are not misspelled: profile-97 is not near profil-99. */
static bool same_digits(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a && !isdigit((unsigned char)*a))
			a++;
		while (*b && !isdigit((unsigned char)*b))
			b++;
		if (*a != *b || !*a)
			return *a == *b;
	}
}

void nearest_init(struct nearest *n, const char *want)
{
	*n = (struct nearest){.want = want, .len = strlen(want)};
	n->limit = most_edits(n->len);
}

static void forget(struct nearest *n)
{
	while (n->n)
		free(n->names[--n->n]);
}

void nearest_release(struct nearest *n)
{
	forget(n);
}

void nearest_add(struct nearest *n, const char *name)
{
	size_t len = strlen(name);
	unsigned d;

	n->is_there |= !strcmp(n->want, name);
	if (n->len > LONGEST || len > LONGEST || !len ||
	    (len > n->len ? len - n->len : n->len - len) > n->limit)
		return;
	d = distance(n->want, n->len, name, len, n->limit);
	/* who errs twice knows how the word begins */
	if (d > n->limit || d >= len || (d > 1 && differ(n->want[0], name[0])) ||
	    !same_digits(n->want, name))
		return;
	if (d < n->limit) /* of the others none is as near */
		forget(n);
	n->limit = d;
	for (unsigned i = 0; i < n->n; i++)
		if (!strcmp(n->names[i], name))
			return;
	if (n->n < NEAREST_MOST)
		n->names[n->n++] = xstrdup(name);
}

bool nearest_say(const struct nearest *n, struct strbuf *out)
{
	if (!n->n || n->is_there)
		return false;
	for (unsigned i = 0; i < n->n; i++)
		strbuf_addf(out, "%s%s",
			    i == 0	   ? "did you mean "
			    : i + 1 < n->n ? ", "
					   : " or ",
			    n->names[i]);
	strbuf_addc(out, '?');
	return true;
}
