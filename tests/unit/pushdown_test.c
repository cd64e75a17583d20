/* What of predicates can be asked where an event happens. */
#include "dlang/offload/pushdown.h"

#include <stdlib.h>

#include "tests/unit/langrig.h"

/* A source that knows pid, tid, arg0, execname; and of uid that it may be that. */
static enum filter_means means(void *arg UNUSED, const struct filter_test *t)
{
	switch (t->id) {
	case BUILTIN_EXECNAME:
		return t->text ? FILTER_EQUAL : FILTER_UNKNOWN;
	case BUILTIN_PID:
	case BUILTIN_TID:
	case BUILTIN_ARG0:
		return t->text ? FILTER_UNKNOWN : FILTER_EQUAL;
	case BUILTIN_UID:
		return t->op == FILTER_EQ ? FILTER_NECESSARY : FILTER_UNKNOWN;
	default:
		return FILTER_UNKNOWN;
	}
}

static const struct filter_source source = {means, NULL, false};

/* The filter of all clauses of a program, as if they were one probe's; "~": it is not exact. */
static const char *filtered_by(const struct filter_source *by)
{
	static char text[512];
	static struct ecb ecbs[8];
	struct probe *p = probe_by_id(rig.session, 2);
	struct filter s;
	unsigned n = 0;
	char *t;

	for (struct clause *c = rig.program->clauses; c; c = c->next, n++)
		ecbs[n] = (struct ecb){.clause = c, .next = c->next ? &ecbs[n + 1] : NULL};
	p->ecbs = ecbs;
	filter_init(&s);
	filter_add(&s, p, by);
	t = filter_text(&s, NULL, NULL, 400);
	snprintf(text, sizeof(text), "%s%s", s.is_exact ? "" : "~", t ? t : "too long");
	free(t);
	return text;
}

static const char *filtered_program(const char *text)
{
	const char *why = rig_compile(text);

	if (why)
		printf("%s\n", why);
	CHECK(!why);
	return filtered_by(&source);
}

static const char *filtered(const char *predicate)
{
	char text[512];

	snprintf(text, sizeof(text), "fake:libc:open:entry / %s/ { trace(1); }", predicate);
	return filtered_program(text);
}

TEST(comparisons_with_constants)
{
	CHECK_STR(filtered("pid == 123"), "pid == 123");
	CHECK_STR(filtered("123 != pid"), "pid != 123");
	CHECK_STR(filtered("tid < 5"), "tid < 5");
	CHECK_STR(filtered("5 < tid"), "tid > 5");
	CHECK_STR(filtered("arg0 >= -1"), "arg0 >= -1");
	CHECK_STR(filtered("arg0"), "arg0 != 0");
	CHECK_STR(filtered("!arg0"), "arg0 == 0");
	CHECK_STR(filtered("arg0 & 6"), "arg0 & 6");
	CHECK_STR(filtered("!(arg0 & 6)"), "!(arg0 & 6)");
	CHECK_STR(filtered("execname == \"sh\""), "execname == \"sh\"");
	CHECK_STR(filtered("\"sh\" != execname"), "execname != \"sh\"");
}

TEST(and_or_not)
{
	CHECK_STR(filtered("pid == 1 && tid == 2"), "pid == 1 && tid == 2");
	CHECK_STR(filtered("pid == 1 || tid == 2"), "pid == 1 || tid == 2");
	CHECK_STR(filtered("!(pid == 1 || tid == 2)"), "pid != 1 && tid != 2");
	CHECK_STR(filtered("pid == 1 && (tid == 2 || arg0)"),
		  "pid == 1 && (tid == 2 || arg0 != 0)");
	CHECK_STR(filtered("(pid == 1 || pid == 2) && arg0"),
		  "(pid == 1 && arg0 != 0) || (pid != 1 && (pid == 2 && arg0 != 0))");
	CHECK_STR(filtered("pid == 1 ? tid == 2 : 0"), "pid == 1 && tid == 2");
	CHECK_STR(filtered("pid == 1 && 0"), "0");
	CHECK_STR(filtered("pid == 1 || 1"), "1");
}

TEST(what_cannot_be_asked_lets_pass)
{
	CHECK_STR(filtered("pid == 1 && arg1 == 2"), "~pid == 1");
	CHECK_STR(filtered("arg1 == 2 && pid == 1"), "~pid == 1");
	CHECK_STR(filtered("pid == 1 || arg1 == 2"), "~1");
	CHECK_STR(filtered("arg1 == 2 ? pid == 1 : tid == 3"), "~pid == 1 || tid == 3");
	CHECK_STR(filtered("pid == arg0"), "~1");
	CHECK_STR(filtered("pid + 1 == 3"), "~1");
	CHECK_STR(filtered("execname < \"sh\""), "~1");
	CHECK_STR(filtered("(pid == 1) + arg1"), "~1");
	CHECK_STR(filtered("pid == 1 ^^ arg1"), "~1");
	CHECK_STR(filtered("pid == 1 ^^ arg0"), "~pid != 1 || arg0 == 0");
	CHECK_STR(filtered("execname == strjoin(\"s\", \"h\")"), "~1");
}

TEST(what_may_be_so_rules_out_only)
{
	CHECK_STR(filtered("uid == 1"), "~uid == 1");
	CHECK_STR(filtered("uid != 1"), "~1");
	CHECK_STR(filtered("uid == 1 && pid == 3"), "~uid == 1 && pid == 3");
	CHECK_STR(filtered("uid == 1 || pid == 3"), "~uid == 1 || pid == 3");
	CHECK_STR(filtered("uid == 1 ? pid == 2 : pid == 3"),
		  "~(uid == 1 && (pid == 2 || pid == 3)) || (uid != 1 && pid == 3)");
}

TEST(what_may_fault_or_change_something_is_no_more_left_out)
{
	CHECK_STR(filtered("*(int *)arg0 == 3 && pid == 1"), "~1");
	CHECK_STR(filtered("pid == 1 && *(int *)arg0 == 3"), "~pid == 1");
	CHECK_STR(filtered("10 / arg0 == 3 && pid == 1"), "~1");
	CHECK_STR(filtered("stringof(arg0) == \"x\" && pid == 1"), "~1");
	CHECK_STR(filtered("x++ < 3 && pid == 1"), "~1");
}

TEST(names_of_the_probe_are_known)
{
	CHECK_STR(filtered("probefunc == \"open\""), "1");
	CHECK_STR(filtered("probefunc != \"open\""), "0");
	CHECK_STR(filtered("probefunc != \"close\" && pid == 3"), "pid == 3");
	CHECK_STR(filtered("probename == \"return\" || tid == 3"), "tid == 3");
}

TEST(clauses_of_a_probe)
{
	CHECK_STR(filtered_program("fake:libc:open:entry /pid == 1/ { @ = count(); }"
				   "fake:libc:open:entry /pid == 1/ { @b = count(); }"),
		  "pid == 1");
	CHECK_STR(filtered_program("fake:libc:open:entry /pid == 1/ { @ = count(); }"
				   "fake:libc:open:entry /tid == 1/ { @b = count(); }"),
		  "~pid == 1 || tid == 1");
	CHECK_STR(filtered_program("fake:libc:open:entry /pid == 1/ { @ = count(); }"
				   "fake:libc:open:entry { @b = count(); }"),
		  "~1");
	CHECK_STR(filtered_program("fake:libc:open:entry /0/ { @ = count(); }"
				   "fake:libc:open:entry /pid == 1/ { @b = count(); }"),
		  "~pid == 1");
}

/* A short string of D holds the beginning of a name only. */
TEST(short_strings)
{
	const char *why = rig_compile("fake:libc:open:entry /execname == \"abcd\"/ { trace(1); }");

	CHECK(!why);
	rig.session->options.num[OPT_STRSIZE] = 4;
	CHECK_STR(filtered_by(&source), "~1");
	rig.session->options.num[OPT_STRSIZE] = 5;
	CHECK_STR(filtered_by(&source), "execname == \"abcd\"");
}

TEST(one_that_is_too_long_lets_all_pass)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "fake:libc:open:entry /pid == 0");
	for (unsigned i = 1; i < 60; i++)
		strbuf_addf(&text, " || pid == %u", i);
	strbuf_addf(&text, "/ { trace(1); }");
	CHECK_STR(filtered_program(text.s), "~1");
	strbuf_release(&text);
}

/* The value of the first aggregation of a clause as an operand, in words. */
static const char *operand(const char *value)
{
	static char text[128];
	struct operand o;
	const struct stmt *st;

	snprintf(text, sizeof(text), "fake:libc:open:entry { @ = sum(%s); }", value);
	if (rig_compile(text))
		return "does not compile";
	st = &rig.program->clauses->stmts[0];
	if (!operand_of(probe_by_id(rig.session, 2), st->acts[st->nacts - 1].difo, &o))
		return "something else";
	if (o.of == OPERAND_CONST)
		snprintf(text, sizeof(text), "%lld", (long long)o.value);
	else
		snprintf(text, sizeof(text), "%s %u bits %s mask %llx",
			 builtin_by_id((uint16_t)o.id)->name, o.nbits,
			 o.is_signed ? "signed" : "unsigned", (unsigned long long)o.mask);
	return text;
}

TEST(expressions_that_are_one_thing)
{
	CHECK_STR(operand("3 + 4"), "7");
	CHECK_STR(operand("arg0"), "arg0 0 bits unsigned mask 0");
	CHECK_STR(operand("(int)arg0"), "arg0 32 bits signed mask 0");
	CHECK_STR(operand("(unsigned char)arg1"), "arg1 8 bits unsigned mask 0");
	CHECK_STR(operand("arg1 & 0xf0"), "arg1 0 bits unsigned mask f0");
	CHECK_STR(operand("arg0 + 1"), "something else");
	CHECK_STR(operand("(int)arg0 & 1"), "something else");
	CHECK_STR(operand("arg0 << 32"), "something else");
	CHECK_STR(operand("(arg0 << 32) >> 16"), "something else");
	CHECK_STR(operand("arg0 > 1 ? arg0 : 1"), "something else");
	CHECK_STR(operand("self->x++"), "something else");
	CHECK_STR(operand("this->y = arg0"), "something else");
}

/* The first key of an aggregation: what of a record it is made of. */
static const char *derived(const char *key)
{
	static char text[256];
	struct derived d;
	size_t len = 0;

	snprintf(text, sizeof(text),
		 "provider fake { probe entry(int *a, int *b); }; "
		 "fake:libc:open:entry { @[%s] = count(); }",
		 key);
	if (rig_compile(text))
		return "does not compile";
	if (!derived_of(probe_by_id(rig.session, 2), rig.program->clauses->stmts[0].acts[0].difo,
			&d))
		return "something else";
	text[0] = '\0';
	for (unsigned i = 0; i < d.n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, " args[%u]+%lld:%u",
					d.v[i].id, (long long)d.v[i].off, d.v[i].size);
	return text;
}

TEST(texts_that_follow_from_a_record)
{
#define P "(char *)args[0]"
	CHECK_STR(derived("inet_ntop(2, " P " + 8)"), " args[0]+8:16");
	CHECK_STR(derived("probename == \"entry\" ? inet_ntop(2, " P ") : \"\""), "something else");
	/* memory of a process, where it lies, who has it, what is elsewhere */
	CHECK_STR(derived("*(int *)args[1] ? \"a\" : \"b\""), "something else");
	CHECK_STR(derived("args[0] ? \"a\" : \"b\""), "something else");
	CHECK_STR(derived("(uint64_t)args[0] & 8 ? \"a\" : \"b\""), "something else");
	CHECK_STR(derived("(uint64_t)args[0] * 8 ? \"a\" : \"b\""), "something else");
	CHECK_STR(derived("pid ? inet_ntop(2, " P ") : \"\""), "something else");
	CHECK_STR(derived("inet_ntop(2, *(char **)arg0)"), "something else");
	CHECK_STR(derived("strjoin(execname, inet_ntop(2, " P "))"), "something else");
	CHECK_STR(derived("stringof(*(char **)args[0] + 4)"), "something else");
	CHECK_STR(derived("stringof(" P " + 4)"), " args[0]+4:0");
	CHECK_STR(derived("\"fixed\""), "something else");
#undef P
}

/* What a cast has left is not what a filter compares. */
TEST(a_cast_is_no_field)
{
	CHECK_STR(filtered("(int)arg0 == 3"), "~1");
	CHECK_STR(filtered("(arg0 << 32) == 0"), "~1");
}

TEST_MAIN();
