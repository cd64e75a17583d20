#include "dlang/attr.h"

static const char *const stability_names[] = {
	[STABILITY_INTERNAL] = "Internal", [STABILITY_PRIVATE] = "Private",
	[STABILITY_OBSOLETE] = "Obsolete", [STABILITY_EXTERNAL] = "External",
	[STABILITY_UNSTABLE] = "Unstable", [STABILITY_EVOLVING] = "Evolving",
	[STABILITY_STABLE] = "Stable",	   [STABILITY_STANDARD] = "Standard",
};
static const char *const class_names[] = {
	[CLASS_UNKNOWN] = "Unknown", [CLASS_CPU] = "CPU", [CLASS_PLATFORM] = "Platform",
	[CLASS_GROUP] = "Group",     [CLASS_ISA] = "ISA", [CLASS_COMMON] = "Common",
};

const struct attr attr_max = {STABILITY_STANDARD, STABILITY_STANDARD, CLASS_COMMON};
const struct attr attr_stable = {STABILITY_STABLE, STABILITY_STABLE, CLASS_COMMON};
const struct attr attr_private = {STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN};

struct attr attr_weaker(struct attr a, struct attr b)
{
	return (struct attr){MIN(a.names, b.names), MIN(a.data, b.data),
			     MIN(a.depclass, b.depclass)};
}

bool attr_is_less(struct attr a, struct attr least)
{
	return a.names < least.names || a.data < least.data || a.depclass < least.depclass;
}

/* The word at *p, up to `end`, as an index of names; -1: none. */
static int take_word(const char **p, char end, const char *const *names, unsigned n)
{
	size_t len = strcspn(*p, "/");

	if ((*p)[len] != end)
		return -1;
	for (unsigned i = 0; i < n; i++)
		if (strlen(names[i]) == len && strncmp(names[i], *p, len) == 0) {
			*p += len + (end != '\0');
			return (int)i;
		}
	return -1;
}

bool attr_parse(const char *text, struct attr *a)
{
	int names = take_word(&text, '/', stability_names, ARRAY_SIZE(stability_names));
	int data = names < 0 ? -1
			     : take_word(&text, '/', stability_names, ARRAY_SIZE(stability_names));
	int class = data < 0 ? -1 : take_word(&text, '\0', class_names, ARRAY_SIZE(class_names));

	*a = (struct attr){(uint8_t)names, (uint8_t)data, (uint8_t) class};
	return class >= 0;
}

char *attr_text(struct attr a, char buf[ATTR_TEXT])
{
	snprintf(buf, ATTR_TEXT, "%s/%s/%s", stability_names[a.names], stability_names[a.data],
		 class_names[a.depclass]);
	return buf;
}

void attr_print(struct strbuf *out, const char *title, struct attr a)
{
	strbuf_addf(out,
		    "\n\t%s Attributes\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n"
		    "\t\tDependency Class: %s\n",
		    title, stability_names[a.names], stability_names[a.data],
		    class_names[a.depclass]);
}
