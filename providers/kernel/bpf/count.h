/*
 * count.h: aggregations that are kept here, by keys (struct bpf_counts). One that finds no room is
 * not lost: the event becomes a record.
 */
#ifndef BPF_COUNT_H
#define BPF_COUNT_H

#include "providers/kernel/bpf/filter.h"

#ifndef COUNT_WORDS /* a program with more says how many before it includes this */
#define COUNT_WORDS 8
#endif
#ifndef COUNT_NAME /* one that knows names of processes: where among these, two words */
#define COUNT_NAME 0
#endif
#ifndef COUNT_FIND_NAME /* one that finds them by number: get_name() of that process, if it can */
#define COUNT_FIND_NAME(name, pid) ((void)0)
#endif

/* The engine gives it its size, and the size of its keys. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct bpf_count_key));
	__uint(value_size, sizeof(struct bpf_count_value));
} counted SEC(".maps");

/* Of each row whose one statement has no keys: nothing has to be searched for. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, BPF_COUNT_ROWS);
	__type(key, __u32);
	__type(value, struct bpf_count_value);
} counted_plain SEC(".maps");

/* Of keys that come first on a CPU: half of what counting by keys costs is the search of the map.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, BPF_COUNT_PLACES);
	__type(key, __u32);
	__type(value, struct bpf_count_place);
} counted_first SEC(".maps");

/* Whose event it is. */
struct count_who {
	const struct task_struct___filter *task; /* 0: only the numbers are known */
	__u32 pid, tid;
};

/* Word n of an event; the rest are 0. Of providers without words: 0, no structure. */
struct count_words {
	__u64 v[COUNT_WORDS];
};

static __always_inline __u64 word_of(const struct count_words *words, __u32 n)
{
	asm volatile("" : "+r"(n)); /* the comparison stays where it is */
	return words && n < COUNT_WORDS ? words->v[n] : 0;
}

static __always_inline __u64 count_operand(const volatile struct bpf_count_operand *o,
					   const struct count_who *who,
					   const struct count_words *words)
{
	__u64 v = 0;

	switch (o->what) {
	case BPF_COUNT_CONST:
		return o->value;
	case BPF_COUNT_PID:
		v = who->pid;
		break;
	case BPF_COUNT_TID:
		v = who->tid;
		break;
	case BPF_COUNT_CPU:
		v = bpf_get_smp_processor_id();
		break;
	default:
		v = word_of(words, o->what - BPF_COUNT_WORD);
		if (o->unused_bits) {
			v <<= o->unused_bits;
			v = o->is_signed ? (__u64)((__s64)v >> o->unused_bits)
					 : v >> o->unused_bits;
		}
	}
	return o->mask ? v & o->mask : v;
}

/* As dlang/run/histogram.c has them. */
enum { QUANTIZE_ZERO = 63, QUANTIZE_TOP = 62 };

static __always_inline __u16 quantize_bucket(__s64 v)
{
	__u32 n;

	if (!v)
		return QUANTIZE_ZERO;
	n = log2_of(v < 0 ? -(__u64)v : (__u64)v);
	if (n > QUANTIZE_TOP)
		n = QUANTIZE_TOP;
	return (__u16)(v < 0 ? QUANTIZE_ZERO - 1 - n : QUANTIZE_ZERO + 1 + n);
}

static __always_inline __u16 lquantize_bucket(const volatile struct bpf_count *c, __s64 v)
{
	__u64 level;

	if (v < c->base)
		return 0;
	level = ((__u64)v - (__u64)c->base) / (__u64)c->step;
	return (__u16)(1 + (level < c->levels ? level : c->levels));
}

/* What D calls the process of that thread at this moment; zeros: it is of the kernel, or gone. */
static __always_inline void get_name(__u64 *name, struct task_struct *task)
{
	const struct task_struct___filter *t = (void *)task;

	name[0] = name[1] = 0;
	if (BPF_CORE_READ(t, tgid) && !(BPF_CORE_READ(t, flags) & FILTER_KTHREAD))
		bpf_probe_read_kernel_str(name, 16, BPF_CORE_READ(t, group_leader)->comm);
}

/* What D calls a process; the engine knows it by its number, too: a thread of the kernel may be
 * called otherwise by /proc. */
static __always_inline void count_name(struct bpf_count_key *k, const struct count_who *who,
				       const struct count_words *words)
{
	const struct task_struct___filter *t = who->task;
	const __u64 *comm; /* by plain loads: a helper's copy is half of what counting costs */

	k->has_name = 1;
	k->pid = who->pid;
	if (COUNT_NAME > 0 && !t) {
		k->name[0] = words->v[COUNT_NAME];
		k->name[1] = words->v[COUNT_NAME + 1];
	}
	if (!t)
		COUNT_FIND_NAME(k->name, who->pid);
	if (!t || !t->tgid || t->flags & FILTER_KTHREAD)
		return;
	comm = (const void *)t->group_leader +
	       bpf_core_field_offset(struct task_struct___filter, comm);
	k->name[0] = comm[0];
	k->name[1] = comm[1];
}

static __always_inline void add_value(struct bpf_count_value *v, const volatile struct bpf_count *c,
				      __u64 value)
{
	__sync_fetch_and_add(&v->n, 1);
	if (c->func == BPF_COUNT_SUM && (c->value.what != BPF_COUNT_CONST || c->value.value))
		__sync_fetch_and_add(&v->sum, value);
}

/* Row, statement and bucket; process. */
static __always_inline __u64 key_head(const struct bpf_count_key *k, int n)
{
	return ((const __u64 *)k)[n];
}

/* What keys have beyond two words is left to the comparison. */
static __always_inline __u32 place_number(const struct bpf_count_key *k)
{
	__u64 sum = (key_head(k, 0) ^ key_head(k, 1) << 7 ^ k->name[0]) * 0x9e3779b97f4a7c15ULL;

	sum = (sum ^ k->words[0] ^ k->words[1] << 7) * 0x9e3779b97f4a7c15ULL;
	return sum >> 32 & (BPF_COUNT_PLACES - 1);
}

static __always_inline int is_same_key(const struct bpf_count_key *a, const struct bpf_count_key *b,
				       __u32 nkeys)
{
	__u64 differ = key_head(a, 0) ^ key_head(b, 0);

	differ |= key_head(a, 1) ^ key_head(b, 1);
	differ |= a->name[0] ^ b->name[0];
	differ |= a->name[1] ^ b->name[1];
	differ |= a->words[0] ^ b->words[0];
	if (nkeys > 1)
		for (int i = 1; i < BPF_COUNT_KEYS; i++)
			differ |= a->words[i] ^ b->words[i];
	return !differ;
}

/* NULL: its place is another's, or is being taken by a program that this one has interrupted. */
static __always_inline struct bpf_count_value *find_place(const struct bpf_count_key *k,
							  __u32 nkeys)
{
	__u32 n = place_number(k);
	struct bpf_count_place *p = bpf_map_lookup_elem(&counted_first, &n);

	if (!p)
		return 0;
	if (*(volatile __u32 *)&p->state == BPF_PLACE_FREE) {
		if (__sync_val_compare_and_swap(&p->state, BPF_PLACE_FREE, BPF_PLACE_CLAIMED))
			return 0;
		p->key = *k;
		asm volatile("" ::: "memory"); /* the key, then the word that it is there */
		*(volatile __u32 *)&p->state = BPF_PLACE_TAKEN;
		return &p->value;
	}
	if (*(volatile __u32 *)&p->state != BPF_PLACE_TAKEN || !is_same_key(&p->key, k, nkeys))
		return 0;
	return &p->value;
}

/* NULL: no room. */
static __always_inline struct bpf_count_value *find_count(const volatile struct bpf_counts *c,
							  struct bpf_count_key *k, __u32 nkeys)
{
	struct bpf_count_value *v = find_place(k, nkeys);

	if (v)
		return v;
	v = bpf_map_lookup_elem(&counted, k);
	if (v)
		return v;
	bpf_map_update_elem(&counted, k, (const void *)&c->none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&counted, k);
}

/* False: there is no room. `adds`: else there is room now. */
static __always_inline int count_stmt(const volatile struct bpf_counts *counts, __u16 number,
				      __u32 row, const struct count_who *who,
				      const struct count_words *words, int adds)
{
	const volatile struct bpf_count *c = &counts->v[number];
	struct bpf_count_key k = {.row = row, .stmt = number};
	struct bpf_count_value *v;
	__u64 value = count_operand(&c->value, who, words);

	for (int i = 0; i < BPF_COUNT_KEYS && i < c->nkeys; i++)
		k.words[i] = count_operand(&c->keys[i], who, words);
	if (c->has_name)
		count_name(&k, who, words);
	if (c->func == BPF_COUNT_QUANTIZE)
		k.bucket = quantize_bucket((__s64)value);
	else if (c->func == BPF_COUNT_LQUANTIZE)
		k.bucket = lquantize_bucket(c, (__s64)value);
	v = find_count(counts, &k, c->nkeys);
	if (v && adds)
		add_value(v, c, value);
	return v != 0;
}

/* Its name may be another one for D: what the filter says of it is not certain. */
static __always_inline int is_uncertain(const volatile struct bpf_counts *c,
					const struct task_struct___filter *t)
{
	return c->asks_name && t->tgid && t->flags & FILTER_KTHREAD;
}

/* Several statements are done together, or none of them. No inline function: what it has on the
 * stack would be there as often as it is called, and callers have as much as there may be. */
static __noinline int count_stmts(const volatile struct bpf_counts *c, __u32 stmts, __u32 row,
				  const struct count_who *who, const struct count_words *words)
{
	if (stmts & (stmts - 1))
		for (int i = 0; i < BPF_COUNT_STMTS && stmts >> i; i++)
			if (stmts >> i & 1 && !count_stmt(c, (__u16)i, row, who, words, 0))
				return 0;
	for (int i = 0; i < BPF_COUNT_STMTS && stmts >> i; i++)
		if (stmts >> i & 1 && !count_stmt(c, (__u16)i, row, who, words, 1))
			return 0;
	return 1;
}

static __always_inline struct count_who count_task(struct task_struct *task)
{
	const struct task_struct___filter *t = (void *)task;
	const struct count_who who = {.task = t, .pid = t->tgid, .tid = t->pid};

	return who;
}

static __always_inline int count_all(const volatile struct bpf_counts *c, __u32 row,
				     const struct count_who *who, const struct count_words *words)
{
	__u32 n = c->plain[row], key = row;
	struct bpf_count_value *v = n ? bpf_map_lookup_elem(&counted_plain, &key) : 0;

	const volatile struct bpf_count_operand *value = &c->v[n % BPF_COUNT_STMTS].value;

	if (!v)
		return count_stmts(c, c->stmts[row], row, who, words);
	__sync_fetch_and_add(&v->n, 1);
	if (value->what != BPF_COUNT_CONST)
		__sync_fetch_and_add(&v->sum, count_operand(value, who, words));
	else if (value->value)
		__sync_fetch_and_add(&v->sum, value->value);
	return 1;
}

static __always_inline int is_counted(const volatile struct bpf_counts *c, __u32 row,
				      struct task_struct *task)
{
	return c->n && c->rows & 1U << row && !is_uncertain(c, (void *)task);
}

/* True: all that clauses of this row do at this event of the thread, which has passed the filter,
 * has been done. */
static __always_inline int count_passed(const volatile struct bpf_wants *wants, __u32 row,
					struct task_struct *task, const struct count_words *words)
{
	const volatile struct bpf_counts *c = &wants->counts;
	struct count_who who;

	if (!is_counted(c, row, task))
		return 0;
	who = count_task(task);
	return count_all(c, row, &who, words);
}

/* The same with what is known of the event: by words that are not known nothing is counted. */
static __always_inline int count_known(const volatile struct bpf_wants *wants, __u32 row,
				       struct task_struct *task, const struct bpf_known *known)
{
	const volatile struct bpf_counts *c = &wants->counts;
	struct count_who who;

	_Static_assert(COUNT_NAME || COUNT_WORDS <= BPF_KNOWN_WORDS, "words");
	if (!is_counted(c, row, task) || c->words & ~known->whole)
		return 0;
	who = count_task(task);
	return count_all(c, row, &who, (const struct count_words *)known->words);
}

/* The same of a thread that may not have. */
static __always_inline int count_row(const volatile struct bpf_wants *wants, __u32 row,
				     struct task_struct *task, const struct count_words *words)
{
	if (is_counted(&wants->counts, row, task) && wants->filter.root != BPF_FILTER_PASS &&
	    !filter_passes(&wants->filter, task, 0, 0))
		return 1;
	return count_passed(wants, row, task, words);
}

/* The same where only the numbers of the thread are known: of providers whose filters ask for
 * nothing else (BPF_KNOWS_IDS). */
static __always_inline int count_row_of(const volatile struct bpf_wants *wants, __u32 row,
					__u32 pid, __u32 tid, const struct count_words *words)
{
	const volatile struct bpf_counts *c = &wants->counts;
	const struct count_who who = {.pid = pid, .tid = tid};

	if (!c->n || !(c->rows & 1U << row))
		return 0;
	if (wants->filter.root != BPF_FILTER_PASS && !ids_pass(&wants->filter, pid, tid))
		return 1;
	return count_all(c, row, &who, words);
}

#endif
