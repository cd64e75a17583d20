/* Subroutines on path names; text only, but for d_path: no file is looked at. */
#include "dlang/run/subrs.h"

/* The length of s without the slashes at its end. */
static uint64_t trim_slashes(const char *s, uint64_t n)
{
	while (n && s[n - 1] == '/')
		n--;
	return n;
}

/* The length of s without its last component. */
static uint64_t trim_component(const char *s, uint64_t n)
{
	while (n && s[n - 1] != '/')
		n--;
	return n;
}

uint64_t subr_basename(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	uint64_t start, end;
	struct vm_str s;

	if (!vm_string(vm, args[0].value, &s))
		return 0;
	end = trim_slashes(s.s, s.len);
	if (!end)
		return vm_new_string(vm, s.len ? "/" : ".", 1);
	start = trim_component(s.s, end);
	return vm_new_string(vm, s.s + start, end - start);
}

uint64_t subr_dirname(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	uint64_t file, end;
	struct vm_str s;

	if (!vm_string(vm, args[0].value, &s))
		return 0;
	file = trim_component(s.s, trim_slashes(s.s, s.len));
	if (!file) /* no directory in it, or nothing but slashes */
		return vm_new_string(vm, s.len && s.s[0] == '/' ? "/" : ".", 1);
	end = trim_slashes(s.s, file);
	return end ? vm_new_string(vm, s.s, end) : vm_new_string(vm, "/", 1);
}

/*
 * Takes the components one by one; `..` takes back the one before, of which there are ncomps, an
 * absolute path has none above its root, and a relative one keeps what leads out of it.
 */
static uint64_t clean_path(const struct vm_str *s, char *out)
{
	bool absolute = s->s[0] == '/';
	uint64_t n = 0, ncomps = 0;

	for (uint64_t i = 0, len; i < s->len; i += len + 1) {
		const char *comp = s->s + i;
		bool up;

		for (len = 0; i + len < s->len && comp[len] != '/';)
			len++;
		up = len == 2 && comp[0] == '.' && comp[1] == '.';
		if (!len || (len == 1 && comp[0] == '.') || (up && !ncomps && absolute))
			continue;
		if (up && ncomps) {
			n = trim_slashes(out, trim_component(out, n));
			ncomps--;
			continue;
		}
		if (n || absolute)
			out[n++] = '/';
		memmove(out + n, comp, len);
		n += len;
		ncomps += !up;
	}
	if (!n)
		out[n++] = absolute ? '/' : '.';
	return n;
}

uint64_t subr_cleanpath(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	struct vm_str s;
	char *out;

	if (!vm_string(vm, args[0].value, &s))
		return 0;
	out = vm_temp(vm, s.len + 1);
	if (!out)
		return 0;
	out[s.len ? clean_path(&s, out) : 0] = '\0';
	return (uintptr_t)out;
}

uint64_t subr_d_path(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	return vm_kernel_path(vm, args[0].value);
}
