#include "dlang/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

#include "base/nearest.h"
#include "base/procfile.h"
#include "dlang/attr.h"

/* ---- values: one function per parser named in options.def ---- */

struct optval {
	const char *name, *value; /* value NULL: none was given */
	int64_t num;		  /* result; what is there now when called */
	struct err *err;
};

/* wanted: what is allowed, as the end of a sentence. */
static int bad_value(const struct optval *v, const char *wanted)
{
	if (!v->value)
		return err_set(v->err, -EINVAL,
			       "Invalid value for specified option: there is none; allowed: %s",
			       wanted);
	return err_set(v->err, -EINVAL, "Invalid value for specified option: '%.64s'; allowed: %s",
		       v->value, wanted);
}

/* Digits in C notation at *p, which moves past them. False: none, or more than fits. */
static bool take_number(const char **p, int64_t *num)
{
	char *end;
	long long n;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	n = strtoll(*p, &end, 0);
	if (errno)
		return false;
	*p = end;
	*num = n;
	return true;
}

static int parse_FLAG(struct optval *v)
{
	if (v->value)
		return bad_value(v, "no value");
	v->num = 1;
	return 0;
}

static int parse_SWITCH(struct optval *v)
{
	v->num = 1;
	return 0;
}

/* Applied by the command line, to the environment of -c programs. */
static int parse_ENVIRON(struct optval *v)
{
	return v->value && v->value[0] && v->value[0] != '=' ? 0
							     : bad_value(v, "a variable's name");
}

static int parse_BOOL(struct optval *v)
{
	static const struct {
		const char *word;
		int64_t num;
	} words[] = {
		{"yes", 1},
		{"no", OPT_UNSET},
		{"enable", 1},
		{"enabled", 1},
		{"true", 1},
		{"false", OPT_UNSET},
		{"disable", OPT_UNSET},
		{"disabled", OPT_UNSET},
		{"on", 1},
		{"off", OPT_UNSET},
		{"set", 1},
		{"unset", OPT_UNSET},
		{"", OPT_UNSET},
	};
	const char *p = v->value;
	int64_t ignored;

	if (!p) {
		v->num = 1;
		return 0;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(p, words[i].word)) {
			v->num = words[i].num;
			return 0;
		}
	if (!take_number(&p, &ignored) || *p)
		return bad_value(v, "yes, no, on, off, true, false, enable, disable, set, unset");
	v->num = 1; /* any number, 0 too */
	return 0;
}

static int parse_LIVE(struct optval *v)
{
	if (v->value && !strcmp(v->value, "full"))
		v->num = LIVE_FULL;
	else if (v->value && !strcmp(v->value, "full,capture"))
		v->num = LIVE_CAPTURE;
	else if (parse_BOOL(v))
		return bad_value(v, "on, off, full, full,capture");
	return 0;
}

static int number_from(struct optval *v, int64_t least, const char *wanted)
{
	const char *p = v->value;

	if (!p || !take_number(&p, &v->num) || *p || v->num < least || v->num > INT_MAX)
		return bad_value(v, wanted);
	return 0;
}

static int parse_NUM(struct optval *v)
{
	return number_from(v, 0, "a number from 0 to 2147483647");
}

/* Blanks in front of each line. */
static int parse_INDENT(struct optval *v)
{
	static const char wanted[] = "a number from 0 to 4096";

	if (number_from(v, 0, wanted))
		return -EINVAL;
	return v->num > 4096 ? bad_value(v, wanted) : 0;
}

/* Each is a row of a table that is looked through. */
static int parse_NSPEC(struct optval *v)
{
	static const char wanted[] = "a number from 0 to 1000000";

	if (number_from(v, 0, wanted))
		return -EINVAL;
	return v->num > 1000000 ? bad_value(v, wanted) : 0;
}

static int parse_IREGS(struct optval *v)
{
	if (number_from(v, 1, "a number from 1 to 8"))
		return -EINVAL;
	if (v->num > 8)
		return bad_value(v, "a number from 1 to 8");
	if (v->num < 8)
		return err_set(v->err, -EINVAL,
			       "Insufficient registers to generate code: '%.64s'; allowed: 8",
			       v->value);
	return 0;
}

/* At least one; what the machine has not is refused where it is needed. */
static int parse_TREGS(struct optval *v)
{
	return number_from(v, 1, "a number from 1 to 2147483647");
}

/* Text that is no number counts as 0. */
static int parse_PGMAX(struct optval *v)
{
	const char *p = v->value;

	if (!p || *p == '-')
		return bad_value(v, "a number from 0 on");
	if (!take_number(&p, &v->num))
		v->num = 0;
	return 0;
}

static int parse_TREE(struct optval *v)
{
	return number_from(v, 1, "a number from 1 to 2147483647");
}

#define SIZES "a size in bytes, with k, m, g or t if need be"

static int parse_SIZE(struct optval *v)
{
	static const char units[] = "kmgt";
	const char *p = v->value, *unit;
	unsigned shift = 0;

	if (!p) {
		v->num = 0;
		return 0;
	}
	if (!take_number(&p, &v->num))
		return bad_value(v, SIZES);
	if (*p) {
		unit = strchr(units, tolower((unsigned char)*p));
		if (!unit || p[1])
			return bad_value(v, SIZES);
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (v->num > INT64_MAX >> shift)
		return bad_value(v, SIZES);
	v->num <<= shift;
	return 0;
}

static int parse_STRSIZE(struct optval *v)
{
	if (parse_SIZE(v))
		return -EINVAL;
	if (v->num > UINT32_MAX)
		return err_set(
			v->err, -EOVERFLOW,
			"Value too large for defined data type: '%.64s'; allowed: 2 to 4294967295",
			v->value);
	return v->num < 2 ? bad_value(v, SIZES ": 2 to 4294967295") : 0;
}

static int parse_KERNELBUF(struct optval *v)
{
	if (parse_SIZE(v))
		return -EINVAL;
	return v->num < 64 << 10 || v->num > 1 << 30 ? bad_value(v, SIZES ": 64k to 1g") : 0;
}

static int parse_LOCKMEM(struct optval *v)
{
	v->num = INT64_MAX;
	if (v->value && !strcmp(v->value, "unlimited"))
		return 0;
	if (!v->value || parse_SIZE(v))
		return bad_value(v, SIZES ", or unlimited");
	return 0;
}

#define SECOND 1000000000LL

#define TIMES "a number with a unit: ns, us, ms, s, m, h or d"
#define RATES "a number with ns, us, ms, s, m, h, d or hz"

static const struct time_unit {
	const char *suffix;
	int64_t ns;
} time_units[] = {
	/* clang-format off */
	{"",  1},           {"ns", 1},               {"nsec", 1},      {"us", 1000},
	{"usec", 1000},     {"ms", 1000000},         {"msec", 1000000}, {"s", SECOND},
	{"sec", SECOND},    {"m", 60 * SECOND},      {"min", 60 * SECOND},
	{"h", 3600 * SECOND}, {"hour", 3600 * SECOND},
	{"d", 86400 * SECOND}, {"day", 86400 * SECOND},
	/* clang-format on */
};

/* The number, in nanoseconds. */
static int in_units(struct optval *v, const char *suffix, const char *wanted)
{
	for (unsigned i = 0; i < ARRAY_SIZE(time_units); i++) {
		const struct time_unit *u = &time_units[i];

		if (strcasecmp(suffix, u->suffix) != 0)
			continue;
		if (v->num > INT64_MAX / u->ns)
			return bad_value(v, wanted);
		v->num *= u->ns;
		return 0;
	}
	return bad_value(v, wanted);
}

static int parse_RATE(struct optval *v)
{
	const char *p = v->value;

	if (!p || !take_number(&p, &v->num))
		return bad_value(v, RATES);
	if (!strcasecmp(p, "hz")) {
		v->num = v->num ? SECOND / v->num : 0;
		return 0;
	}
	return in_units(v, p, RATES);
}

/* Unlike a rate it has no unit that all know: a bare number would be taken for seconds. */
static int parse_TIME(struct optval *v)
{
	const char *p = v->value;

	if (!p || !take_number(&p, &v->num) || (v->num && !*p))
		return bad_value(v, TIMES);
	return in_units(v, p, TIMES);
}

/* The index of the value among words, which a NULL ends. */
static int keyword(struct optval *v, const char *const *words,
		   int (*compare)(const char *, const char *))
{
	char wanted[128] = "";
	size_t len = 0;

	for (unsigned i = 0; words[i] && len < sizeof(wanted); i++) {
		if (v->value && !compare(v->value, words[i])) {
			v->num = i;
			return 0;
		}
		len += (size_t)snprintf(wanted + len, sizeof(wanted) - len, "%s%s", i ? ", " : "",
					words[i]);
	}
	return bad_value(v, wanted);
}

#define WORD(id, word) word,
#define OPTWORDS(name, compare, ...)                                                               \
	static const char *const words_##name[] = {__VA_ARGS__ NULL};                              \
	static int parse_##name(struct optval *v)                                                  \
	{                                                                                          \
		return keyword(v, words_##name, compare);                                          \
	}
#include "dlang/optwords.def"
#undef OPTWORDS
#undef WORD

/* The option alone means that word. */
static int parse_word_or(struct optval *v, const char *alone, int (*parse)(struct optval *))
{
	struct optval word = *v;
	int r;

	if (!word.value)
		word.value = alone;
	r = parse(&word);
	v->num = word.num;
	return r;
}

static int parse_EXPLAIN(struct optval *v)
{
	return parse_word_or(v, words_EXPLAINED[EXPLAIN_ON], parse_EXPLAINED);
}

static int parse_ONESHOT(struct optval *v)
{
	return parse_word_or(v, words_ONESHOTS[ONESHOT_PROCESS], parse_ONESHOTS);
}

static int parse_TEXT(struct optval *v)
{
	return v->value && v->value[0] ? 0 : bad_value(v, "text that is not empty");
}

static int parse_LIST(struct optval *v)
{
	return parse_TEXT(v);
}

int64_t option_version(const char *p)
{
	static const int64_t limits[] = {255, 4095, 4095};
	int64_t part, all = 0;
	unsigned n = 0;

	while (p && n < ARRAY_SIZE(limits)) {
		if (!take_number(&p, &part) || part > limits[n])
			return -1;
		all = all << 12 | part;
		n++;
		if (*p != '.')
			break;
		p++;
	}
	if (!p || *p || n < 2)
		return -1;
	return n == 2 ? all << 12 : all;
}

static const char *const versions[] = {
	"1.0", "1.1",	"1.2",	 "1.2.1", "1.2.2", "1.3",    "1.4",   "1.4.1", "1.5",
	"1.6", "1.6.1", "1.6.2", "1.6.3", "1.6.4", "1.7",    "1.7.1", "1.8",   "1.8.1",
	"1.9", "1.9.1", "1.10",	 "1.11",  "1.12",  "1.12.1", "1.13",  "2.0",
};

bool option_version_known(const char *text)
{
	for (unsigned i = 0; i < ARRAY_SIZE(versions); i++)
		if (option_version(versions[i]) == option_version(text))
			return true;
	return false;
}

static int parse_VERSION(struct optval *v)
{
	int64_t now = v->num, asked = option_version(v->value);

	if (asked < 0)
		return err_set(v->err, -EINVAL,
			       "Version is not properly formatted or is too large: %s%.64s%s; "
			       "allowed: x.y or x.y.z, as 2.0",
			       v->value ? "'" : "none", v->value ? v->value : "",
			       v->value ? "'" : "");
	if (!option_version_known(v->value))
		return err_set(v->err, -EINVAL,
			       "Requested version is not supported by compiler: '%.64s'; allowed: "
			       "1.0 to 2.0",
			       v->value);
	if (now != OPT_UNSET && asked < now)
		return err_set(v->err, -EINVAL,
			       "Requested version conflicts with earlier setting: '%.64s' is older",
			       v->value);
	v->num = asked;
	return 0;
}

static int parse_AMIN(struct optval *v)
{
	struct attr least;

	if (!v->value || !attr_parse(v->value, &least))
		return bad_value(v, "attributes as Stable/Stable/Common");
	v->num = 1;
	return 0;
}

/* ---- the table ---- */

enum phase { PHASE_OUTSIDE, PHASE_COMPILE, PHASE_RUN, PHASE_DYN };

static const struct optrow {
	const char *name;
	enum phase phase;
	int (*parse)(struct optval *);
	int64_t dflt;
} rows[NOPTS] = {
#define OPT(id, name, phase, parser, dflt) {name, PHASE_##phase, parse_##parser, dflt},
#include "dlang/options.def"
#undef OPT
};

/* The kernel's chains of addresses are no longer; stacks that are unwound here are cut alike. */
static int64_t frames_max(void)
{
	char text[32] = "";
	int64_t n;

	slurp_start("/proc/sys/kernel/perf_event_max_stack", text, sizeof(text));
	n = strtoll(text, NULL, 10);
	return n > 0 ? n : 127; /* the kernel's default */
}

void options_init(struct options *o)
{
	static int64_t max;

	max = max ? max : frames_max();
	for (unsigned i = 0; i < NOPTS; i++) {
		o->num[i] = rows[i].dflt;
		o->text[i] = NULL;
	}
	o->num[OPT_MAXFRAMES] = max;
}

const char *options_unheeded(const struct options *o, enum opt_id id)
{
	static const char *const why[NOPTS] = {
		[OPT_BPFLOG] = "the verifier's words are shown where a program is refused",
		[OPT_BPFLOGSIZE] = "the verifier's words are shown where a program is refused",
		[OPT_CTFPATH] = "types come from DWARF and BTF",
		[OPT_DEBUGASSERT] = "there are no assertions to choose from",
		[OPT_DISASM] = "-S prints one kind of listing",
		[OPT_DOFSTASHPATH] = "no probes of programs are kept in files",
		[OPT_LATE] = "translators are bound when the program is compiled",
		[OPT_LDPATH] = "-G needs no linker",
		[OPT_LINKMODE] = "external symbols have the addresses of the running target",
		[OPT_LINKNOMMAP] = "-G needs no linker",
		[OPT_MODPATH] = "the kernel says itself what it is made of",
		[OPT_OBJCOPYPATH] = "-G needs no objcopy",
		[OPT_PCAPSIZE] = "pcap() is not there",
		[OPT_PREALLOCATE] = "memory is taken when it is needed",
		[OPT_PROCFSPATH] = "processes are looked for in /proc",
		[OPT_SYSSLICE] = "no data is taken from system calls in slices",
		[OPT_USERUID] = "privileges are those of the user",
	};
	return o->num[id] != rows[id].dflt || o->text[id] ? why[id] : NULL;
}

/* The words that are values, by parser. */
static const struct values {
	int (*parse)(struct optval *);
	const char *const *words;
} values[] = {
#define OPTWORDS(name, compare, ...) {parse_##name, words_##name},
#include "dlang/optwords.def"
#undef OPTWORDS
	{parse_EXPLAIN, words_EXPLAINED},
	{parse_ONESHOT, words_ONESHOTS},
	{parse_BOOL, (const char *const[]){"yes", "no", "on", "off", NULL}},
};

static const struct optrow *find_row(const char *name)
{
	for (unsigned i = 0; i < NOPTS; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

const char *const *options_words(const char *name)
{
	const struct optrow *row = find_row(name);

	for (unsigned i = 0; row && i < ARRAY_SIZE(values); i++)
		if (values[i].parse == row->parse)
			return values[i].words;
	return NULL;
}

bool options_hint(const char *name, const char *value, struct strbuf *out)
{
	const char *const *words = options_words(name);
	bool is_known = find_row(name), said;
	struct nearest near;

	nearest_init(&near, !is_known ? name : value ? value : "");
	for (unsigned i = 0; !is_known && i < NOPTS; i++)
		nearest_add(&near, rows[i].name);
	for (; words && *words; words++)
		nearest_add(&near, *words);
	said = nearest_say(&near, out);
	nearest_release(&near);
	return said;
}

const char *options_name(enum opt_id id)
{
	return rows[id].name;
}

int options_set(struct options *o, struct arena *arena, const char *name, const char *value,
		enum opt_when when, struct err *err)
{
	const struct optrow *row = find_row(name);
	struct optval v = {name, value, 0, err};
	int rc;

	if (!row)
		return err_set(err, -ENOENT, "Invalid option name");
	if (when == OPT_RUNTIME && row->phase != PHASE_DYN)
		return err_set(err, -EBUSY, "Operation illegal when tracing is active");
	if (when == OPT_PRAGMA && row->phase == PHASE_OUTSIDE)
		return err_set(err, -EPERM, "Option cannot be used from within a D program");
	v.num = o->num[row - rows];
	rc = row->parse(&v);
	if (rc)
		return rc;
	o->num[row - rows] = v.num;
	if (row->parse == parse_LIST && o->text[row - rows])
		value = arena_printf(arena, "%s\n%s", o->text[row - rows], value);
	o->text[row - rows] = value ? arena_strdup(arena, value) : NULL;
	return 0;
}

static bool is_switched_on(const char *value)
{
	return !*value || strcmp(value, "1") == 0;
}

void options_from_env(struct options *o, struct arena *arena, char *const *envp,
		      void (*each)(void *arg, const char *name, const char *value), void *arg)
{
	static const char prefix[] = "DTRACE_OPT_";
	char name[32];

	for (; *envp; envp++) {
		const char *p = *envp + sizeof(prefix) - 1, *eq;
		size_t n;

		if (strncmp(*envp, prefix, sizeof(prefix) - 1) != 0)
			continue;
		eq = strchr(p, '=');
		n = eq ? (size_t)(eq - p) : 0;
		if (n == 0 || n >= sizeof(name))
			continue;
		for (size_t i = 0; i < n; i++)
			name[i] = (char)tolower((unsigned char)p[i]);
		name[n] = '\0';
		if (options_set(o, arena, name, eq + 1, OPT_CMDLINE, NULL) == 0)
			each(arg, name, eq + 1);
		else if (is_switched_on(eq + 1) &&
			 options_set(o, arena, name, NULL, OPT_CMDLINE, NULL) == 0)
			each(arg, name, NULL);
	}
}
