/* Network addresses as text. */
#include <net/if_arp.h>
#include <sys/socket.h>

#include "dlang/run/subrs.h"

#define TEXT6 48 /* eight words of four digits, or six and a dotted quad */

struct out {
	char text[TEXT6];
	uint64_t n;
};

static void put(struct out *o, char c)
{
	o->text[o->n++] = c;
}

static void put_number(struct out *o, unsigned v, unsigned base)
{
	char digits[8];
	unsigned n = 0;

	do {
		digits[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	while (n)
		put(o, digits[--n]);
}

static void put_quad(struct out *o, const uint8_t *b)
{
	for (unsigned i = 0; i < 4; i++) {
		if (i)
			put(o, '.');
		put_number(o, b[i], 10);
	}
}

/* ::ffff:a.b.c.d */
static bool is_mapped(const uint8_t *b)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(b, prefix, sizeof(prefix)) == 0;
}

/* IPv4 within IPv6: ::ffff:a.b.c.d, or ::a.b.c.d other than :: and ::1. */
static bool is_v4(const uint8_t *b)
{
	unsigned zeros = 0;

	while (zeros < 15 && !b[zeros])
		zeros++;
	return (zeros == 10 && b[10] == 0xff && b[11] == 0xff) || (zeros >= 12 && zeros < 15) ||
	       (zeros == 15 && b[15] > 1);
}

static unsigned word_at(const uint8_t *b, size_t i)
{
	return (unsigned)b[2 * i] << 8 | b[2 * i + 1];
}

/* The longest run of at least two zero words among n: where it begins (n: none), and its length. */
static unsigned longest_run(const uint8_t *b, unsigned n, unsigned *len)
{
	unsigned best = n;

	*len = 1;
	for (unsigned i = 0, run = 0; i < n; i++) {
		run = word_at(b, i) ? 0 : run + 1;
		if (run > *len) {
			*len = run;
			best = i + 1 - run;
		}
	}
	return best;
}

static void put_v6(struct out *o, const uint8_t *b)
{
	bool v4 = is_v4(b);
	unsigned n = v4 ? 6 : 8, len, skip = longest_run(b, n, &len);

	for (unsigned i = 0; i < n; i++) {
		if (i == skip) {
			put(o, ':');
			i += len - 1;
			if (i + 1 == n)
				put(o, ':');
			continue;
		}
		if (i)
			put(o, ':');
		put_number(o, word_at(b, i), 16);
	}
	if (!v4)
		return;
	if (o->text[o->n - 1] != ':')
		put(o, ':');
	put_quad(o, b + 12);
}

static uint64_t as_text(struct vm *vm, uint64_t addr, bool is_v6)
{
	struct out o = {.n = 0};
	uint8_t b[16];

	if (!vm_copy(vm, b, addr, is_v6 ? 16 : 4, false))
		return 0;
	if (is_v6)
		put_v6(&o, b);
	else
		put_quad(&o, b);
	return vm_new_string(vm, o.text, o.n);
}

uint64_t subr_inet_ntoa(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	return as_text(vm, args[0].value, false);
}

/* An address of IPv4 is its quad alone; strictly only a mapped one is such. */
uint64_t subr_inet_ntoa6(struct vm *vm, const struct vm_key *args, unsigned nargs)
{
	bool is_strict = nargs > 1 && args[1].value;
	struct out o = {.n = 0};
	uint8_t b[16];

	if (!vm_copy(vm, b, args[0].value, sizeof(b), false))
		return 0;
	if (is_strict ? is_mapped(b) : is_v4(b))
		put_quad(&o, b + 12);
	else
		put_v6(&o, b);
	return vm_new_string(vm, o.text, o.n);
}

uint64_t subr_inet_ntop(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	int af = (int)args[0].value;

	if (af == AF_INET || af == AF_INET6)
		return as_text(vm, args[1].value, af == AF_INET6);
	vm_fail(vm, FAULT_ILLOP, 0);
	return 0;
}

uint64_t subr_link_ntop(struct vm *vm, const struct vm_key *args, unsigned nargs UNUSED)
{
	enum { LENGTH_MAX = 20 };
	int type = (int)args[0].value;
	unsigned n = type == ARPHRD_ETHER ? 6 : type == ARPHRD_INFINIBAND ? LENGTH_MAX : 0;
	char text[3 * LENGTH_MAX], *p = text;
	uint8_t b[LENGTH_MAX];

	if (!n) {
		vm_fail(vm, FAULT_ILLOP, 0);
		return 0;
	}
	if (!vm_copy(vm, b, args[1].value, n, false))
		return 0;
	for (unsigned i = 0; i < n; i++) {
		*p++ = "0123456789abcdef"[b[i] >> 4];
		*p++ = "0123456789abcdef"[b[i] & 15];
		*p++ = ':';
	}
	return vm_new_string(vm, text, 3 * n - 1);
}
