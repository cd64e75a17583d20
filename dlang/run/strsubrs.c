/* String subroutines. Every result is a copy of at most strsize characters, among the temps. */
#include "dlang/run/subrs.h"

static bool matches_at(const struct vm_str *s, uint64_t at, const struct vm_str *sub)
{
	uint64_t i = 0;

	if (sub->len > s->len || at > s->len - sub->len)
		return false;
	while (i < sub->len && s->s[at + i] == sub->s[i])
		i++;
	return i == sub->len;
}

/* An int operand. */
static int64_t int_arg(const struct vm_key *arg)
{
	return (int32_t)arg->value;
}

uint64_t subr_strlen(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	struct vm_str s;

	return vm_string(vm, args[0].value, &s) ? s.len : 0;
}

uint64_t subr_strjoin(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	struct vm_str a, b;
	uint64_t rest;
	char *p;

	if (!vm_string(vm, args[0].value, &a) || !vm_string(vm, args[1].value, &b))
		return 0;
	rest = MIN(b.len, vm->strsize - a.len);
	p = vm_temp(vm, a.len + rest + 1);
	if (!p)
		return 0;
	memmove(p, a.s, a.len);
	memmove(p + a.len, b.s, rest);
	p[a.len + rest] = '\0';
	return (uintptr_t)p;
}

uint64_t subr_index(struct vm *vm, const struct vm_key *args, unsigned nargs)
{
	int64_t start = nargs > 2 ? MAX(int_arg(&args[2]), 0) : 0;
	struct vm_str s, sub;

	if (!vm_string(vm, args[0].value, &s) || !vm_string(vm, args[1].value, &sub))
		return 0;
	for (uint64_t i = (uint64_t)start; i <= s.len; i++)
		if (matches_at(&s, i, &sub))
			return i;
	return UINT64_MAX;
}

uint64_t subr_rindex(struct vm *vm, const struct vm_key *args, unsigned nargs)
{
	struct vm_str s, sub;
	int64_t start;

	if (!vm_string(vm, args[0].value, &s) || !vm_string(vm, args[1].value, &sub))
		return 0;
	start = nargs > 2 ? MIN(int_arg(&args[2]), (int64_t)s.len) : (int64_t)s.len;
	for (int64_t i = start; i >= 0; i--)
		if (matches_at(&s, (uint64_t)i, &sub))
			return (uint64_t)i;
	return UINT64_MAX;
}

uint64_t subr_strstr(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	struct vm_str s, sub;

	if (!vm_string(vm, args[0].value, &s) || !vm_string(vm, args[1].value, &sub))
		return 0;
	for (uint64_t i = 0; i <= s.len; i++)
		if (matches_at(&s, i, &sub))
			return vm_new_string(vm, s.s + i, s.len - i);
	return 0;
}

uint64_t subr_strchr(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	struct vm_str s;

	if (!vm_string(vm, args[0].value, &s))
		return 0;
	for (uint64_t i = 0; i < s.len; i++)
		if (s.s[i] == (char)args[1].value)
			return vm_new_string(vm, s.s + i, s.len - i);
	return 0;
}

uint64_t subr_strrchr(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	struct vm_str s;

	if (!vm_string(vm, args[0].value, &s))
		return 0;
	for (uint64_t i = s.len; i-- > 0;)
		if (s.s[i] == (char)args[1].value)
			return vm_new_string(vm, s.s + i, s.len - i);
	return 0;
}

static bool is_delimiter(const struct vm_str *delims, char c)
{
	for (uint64_t i = 0; i < delims->len; i++)
		if (delims->s[i] == c)
			return true;
	return false;
}

uint64_t subr_strtok(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	struct vm_str delims;
	char *start, *end;

	if (args[0].kind != DIF_PUSH_INT) { /* a constant 0 goes on with what is left */
		if (vm_get_string(vm, vm->strtok_buf, vm->strsize + 1, args[0].value, false) < 0)
			return 0;
		vm->strtok_next = vm->strtok_buf;
	}
	if (!vm_string(vm, args[1].value, &delims))
		return 0;
	start = vm->strtok_next;
	while (start && *start && is_delimiter(&delims, *start))
		start++;
	if (!start || !*start) {
		vm->strtok_next = NULL;
		return 0;
	}
	for (end = start; *end && !is_delimiter(&delims, *end);)
		end++;
	vm->strtok_next = end;
	return vm_new_string(vm, start, (uint64_t)(end - start));
}

/* Perl's rules: negative numbers count from the end; what lies outside is cut off. */
uint64_t subr_substr(struct vm *vm, const struct vm_key *args, unsigned nargs)
{
	int64_t start = int_arg(&args[1]), len, end;
	struct vm_str s;

	if (!vm_string(vm, args[0].value, &s))
		return 0;
	end = len = (int64_t)s.len;
	if (start < 0)
		start += len;
	if (nargs > 2)
		end = (int_arg(&args[2]) < 0 ? len : start) + int_arg(&args[2]);
	start = MIN(MAX(start, 0), len);
	end = MIN(MAX(end, start), len);
	return vm_new_string(vm, s.s + start, (uint64_t)(end - start));
}

static uint64_t change_case(struct vm *vm, uint64_t addr, char from, char to)
{
	struct vm_str s;
	char *p;

	if (!vm_string(vm, addr, &s))
		return 0;
	p = vm_temp(vm, s.len + 1);
	if (!p)
		return 0;
	for (uint64_t i = 0; i < s.len; i++)
		p[i] = (char)(s.s[i] >= from && s.s[i] < from + 26 ? s.s[i] - from + to : s.s[i]);
	p[s.len] = '\0';
	return (uintptr_t)p;
}

uint64_t subr_tolower(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	return change_case(vm, args[0].value, 'A', 'a');
}

uint64_t subr_toupper(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	return change_case(vm, args[0].value, 'a', 'A');
}

/* The base given as the second argument, 10 without; 0 and the fault if there is no such base. */
static unsigned base_arg(struct vm *vm, const struct vm_key *args, unsigned nargs)
{
	int64_t base = nargs > 1 ? int_arg(&args[1]) : 10;

	if (base >= 2 && base <= 36)
		return (unsigned)base;
	vm_fail(vm, FAULT_ILLOP, 0);
	return 0;
}

uint64_t subr_lltostr(struct vm *vm, const struct vm_key *args, unsigned nargs)
{
	unsigned base = base_arg(vm, args, nargs);
	uint64_t v = args[0].value;
	bool negative = base == 10 && (int64_t)v < 0;
	char buf[72], *p = buf + sizeof(buf);

	if (!base)
		return 0;
	if (negative)
		v = -v;
	if (base == 8 && !v) /* no second 0 in front of it */
		return vm_new_string(vm, "0", 1);
	do {
		*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[v % base];
		v /= base;
	} while (v);
	if (base == 16)
		*--p = 'x';
	if (base == 16 || base == 8)
		*--p = '0';
	if (negative)
		*--p = '-';
	return vm_new_string(vm, p, (uint64_t)(buf + sizeof(buf) - p));
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a' + 10);
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A' + 10);
	return UINT32_MAX;
}

uint64_t subr_strtoll(struct vm *vm, const struct vm_key *args, unsigned nargs)
{
	unsigned base = base_arg(vm, args, nargs);
	uint64_t i = 0, v = 0;
	bool negative = false;
	struct vm_str s;

	if (!base || !vm_string(vm, args[0].value, &s))
		return 0;
	while (i < s.len && (s.s[i] == ' ' || (s.s[i] >= '\t' && s.s[i] <= '\r')))
		i++;
	if (i < s.len && (s.s[i] == '-' || s.s[i] == '+'))
		negative = s.s[i++] == '-';
	if (base == 16 && s.len - i > 2 && s.s[i] == '0' && (s.s[i + 1] | ' ') == 'x')
		i += 2;
	for (; i < s.len && digit_value(s.s[i]) < base; i++)
		v = v * base + digit_value(s.s[i]);
	return negative ? -v : v;
}
