/*
 * reg.bpf.c: the kernel's own trees of keys and values, read and written as files: /proc/sys,
 * sysfs, cgroups, configfs and securityfs. A record is made when the call returns; of a close
 * before, as the file is gone then.
 */
#include "providers/kernel/bpf/fs/fscall.h"
#include "providers/kernel/bpf/fs/fscloses.h"
#define COUNT_WORDS REG_WORDS
#include "providers/kernel/bpf/count.h"
#include "providers/kernel/bpf/known.h"

/* linux/bpf.h */
struct bpf_sysctl {
	__u32 write, file_pos;
};

enum { BPF_MAP_TYPE_TASK_STORAGE = 29, BPF_F_NO_PREALLOC = 1, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };

/* include/uapi/linux/magic.h */
enum {
	MAGIC_PROC = 0x9fa0,
	MAGIC_SYSFS = 0x62656572,
	MAGIC_CGROUP = 0x27e0eb,
	MAGIC_CGROUP2 = 0x63677270,
	MAGIC_CONFIGFS = 0x62656570,
	MAGIC_SECURITYFS = 0x73636673,
};

/* What a thread is about. */
struct doing {
	__u64 irp, time_ns, offset; /* irp 0: nothing */
	__u32 nr, is_told;	    /* the record is there but for the result */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct doing);
} doing SEC(".maps");

/* What a write of a sysctl finds and brings, by the thread that makes it. */
struct change {
	__u32 before_len, after_len;
	char before[BPF_REG_VALUE], after[BPF_REG_VALUE];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct change);
} changes SEC(".maps");

struct net___reg {
	struct ns_common___fs ns;
} KERNEL;
struct ipc_namespace___reg {
	struct ns_common___fs ns;
} KERNEL;
struct uts_namespace___reg {
	struct ns_common___fs ns;
} KERNEL;
struct user_namespace___reg {
	struct ns_common___fs ns;
} KERNEL;
struct nsproxy___reg {
	struct net___reg *net_ns;
	struct ipc_namespace___reg *ipc_ns;
	struct uts_namespace___reg *uts_ns;
} KERNEL;
struct cred___reg {
	struct user_namespace___reg *user_ns;
} KERNEL;
struct task_struct___reg {
	struct nsproxy___reg *nsproxy;
	const struct cred___reg *cred;
} KERNEL;

/* ---- whose files ---- */

#define TEXT4(a, b, c, d) ((__u32)(a) | (__u32)(b) << 8 | (__u32)(c) << 16 | (__u32)(d) << 24)

/* The first four bytes of a text of the kernel, of which as many are there. */
static __always_inline int starts_as(__u64 text, __u32 four)
{
	__u32 found = 0;

	if (wants.can_cast)
		return (__u32)typed_word(text) == four;
	bpf_probe_read_kernel(&found, sizeof(found), (void *)text);
	return found == four;
}

/* A file of proc is below its folder sys, or that folder. d as AT() has it. */
static __always_inline int is_below_sys(struct dentry___fs *d)
{
	struct dentry___fs *up;

	for (int i = 0; i < 16; i++) {
		up = GET(d, d_parent);
		if (up == d || !up)
			return 0;
		if (GET(up, d_parent) == up)
			return starts_as((__u64)GET(d, d_name.name), TEXT4('s', 'y', 's', '\0'));
		d = up;
	}
	return 0;
}

static __always_inline int is_of_trees(struct path___fs *path)
{
	struct path___fs *p = AT(struct path___fs, path);
	struct dentry___fs *d = GET(p, dentry);
	struct inode___fs *inode = GET(d, d_inode);
	struct super_block___fs *sb = GET(inode, i_sb);

	switch (GET(sb, s_magic)) {
	case MAGIC_SYSFS:
	case MAGIC_CGROUP:
	case MAGIC_CGROUP2:
	case MAGIC_CONFIGFS:
	case MAGIC_SECURITYFS:
		return 1;
	case MAGIC_PROC:
		return is_below_sys(d);
	}
	return 0;
}

/* "/sys" and "/proc/sys", and what is below. */
static __always_inline int ends_part(char c)
{
	return c == '/' || c == '\0';
}

enum { IS_NOT, IS_OF_TREES, IS_UNREADABLE };

/* The path of a call, or where it begins, may lead there. */
static __always_inline int text_leads_there(const struct bpf_fs_op *op, struct pt_regs *regs)
{
	union {
		__u32 words[3];
		char bytes[12];
	} t = {};
	__u32 dirfd = op->dirfd == FS_OP_NONE ? (__u32)FD_CWD : (__u32)fs_arg(regs, op->dirfd);
	struct file___fs *f;

	if (bpf_probe_read_user_str(t.bytes, sizeof(t.bytes), (void *)fs_arg(regs, op->path)) < 0)
		return IS_UNREADABLE;
	if (t.bytes[0] != '/') {
		if ((__s32)dirfd == FD_CWD)
			return is_of_trees(&current_fs()->fs->pwd);
		f = fs_file_of(dirfd);
		return f ? is_of_trees(&f->f_path) : IS_NOT;
	}
	if (t.words[0] == TEXT4('/', 's', 'y', 's'))
		return ends_part(t.bytes[4]);
	return t.words[0] == TEXT4('/', 'p', 'r', 'o') && t.words[1] == TEXT4('c', '/', 's', 'y') &&
	       t.bytes[8] == 's' && ends_part(t.bytes[9]);
}

/* ---- records ---- */

static __always_inline __u32 other_namespaces(void)
{
	struct task_struct___reg *t = (void *)bpf_get_current_task_btf();
	__u32 other = 0;

	if (!t->nsproxy)
		return 0;
	if (who.net && t->nsproxy->net_ns->ns.inum != who.net)
		other |= BPF_REG_NET;
	if (who.ipc && t->nsproxy->ipc_ns->ns.inum != who.ipc)
		other |= BPF_REG_IPC;
	if (who.uts && t->nsproxy->uts_ns->ns.inum != who.uts)
		other |= BPF_REG_UTS;
	if (who.user && BPF_CORE_READ(t, cred, user_ns, ns.inum) != who.user)
		other |= BPF_REG_USER;
	return other << 16;
}

/* The beginning of a buffer of the process, of which n bytes count. */
static __always_inline __u32 put_buffer(struct fs_scratch *s, __u64 addr, __s64 n)
{
	__u32 at = s->used, len = n < BPF_REG_VALUE ? (__u32)n : BPF_REG_VALUE;

	if (n <= 0 || at > BPF_FS_BYTES || len > BPF_REG_VALUE ||
	    bpf_probe_read_user(s->rec.bytes + at, len, (void *)addr))
		return 0;
	s->used = at + len;
	return len;
}

static __always_inline __u32 put_kernel(struct fs_scratch *s, const char *from, __u32 len)
{
	__u32 at = s->used;

	if (!len || len > BPF_REG_VALUE || at > BPF_FS_BYTES ||
	    bpf_probe_read_kernel(s->rec.bytes + at, len, from))
		return 0;
	s->used = at + len;
	return len;
}

/* Of readv and writev the first buffer. */
static __always_inline __u64 buffer_of(const struct bpf_fs_op *op, struct pt_regs *regs)
{
	__u64 addr = call_arg(regs, 1), first = 0;

	if (!(op->flags & FS_OP_IOVEC))
		return addr;
	bpf_probe_read_user(&first, is_compat() ? 4 : 8, (void *)addr);
	return first;
}

static __always_inline void put_values(struct fs_scratch *s, const struct bpf_fs_op *op,
				       struct pt_regs *regs, __s64 ret)
{
	__u64 key = bpf_get_current_task(), asked = call_arg(regs, 2);
	struct change *c;

	if (op->row == FS_READ) {
		s->rec.value = put_buffer(s, buffer_of(op, regs), ret);
		return;
	}
	c = bpf_map_lookup_elem(&changes, &key);
	if (c) {
		s->rec.value = put_kernel(s, c->before, c->before_len);
		s->rec.newvalue = put_kernel(s, c->after, c->after_len);
		bpf_map_delete_elem(&changes, &key);
		return;
	}
	if (op->flags & FS_OP_IOVEC)
		asked = ret > 0 ? ret : BPF_REG_VALUE;
	s->rec.newvalue = put_buffer(s, buffer_of(op, regs), asked);
}

static __always_inline struct fs_scratch *begin(__u32 row, __u64 irp, __s64 ret)
{
	struct fs_scratch *s = begin_details();

	if (!s)
		return 0;
	s->rec.row = row;
	s->rec.irp = irp;
	s->rec.flags = other_namespaces();
	s->rec.result = ret;
	return s;
}

/* ---- what filters and counts ask for ---- */

/* A value of the record, as D has it: up to its NUL, without the ends of lines. One that is longer
 * than two words may be short all the same: it is not known. */
static __always_inline void know_value(struct fs_scratch *s, __u32 first, __u32 at, __u32 len)
{
	__u64 *to = s->known.words + first, raw[3] = {0, 0, 0}, text[3] = {0, 0, 0};
	__u64 goes_on = 0; /* 255: what is before this is no end of a line */

	if (len > 16 || at > BPF_FS_BYTES)
		return;
	if (len)
		bpf_probe_read_kernel(raw, len, s->rec.bytes + at);
	bpf_probe_read_kernel_str(text, 17, raw);
	for (int i = 15; i >= 0; i--) { /* without branches, for the verifier's sake */
		__u64 c = text[i / 8] >> 8 * (i % 8) & 0xff;

		goes_on |= ((c == 0 || c == '\n') - 1ULL) & 0xff;
		text[i / 8] &= ~((goes_on ^ 0xff) << 8 * (i % 8));
	}
	to[0] = text[0];
	to[1] = text[1];
	know_text(&s->known, first, !(text[1] >> 56));
}

/* Keys of other names are none of those asked for. */
static __always_inline void know_key(struct fs_scratch *s)
{
	__u32 len = s->rec.text, end = s->used - s->rec.value - s->rec.newvalue - s->rec.text2;
	__u32 at = 0, n;

	if (s->rec.flags & BPF_FS_TEXT) {
		if (len < 2 || len >= BPF_FS_PATH || end < len)
			return;
		n = last_part(s, end - len, len - 1, &at);
	} else {
		if (!(s->rec.flags & BPF_FS_FILE) || s->rec.flags & BPF_FS_ANON || !s->rec.way)
			return;
		n = bpf_probe_read_kernel_str(s->name, sizeof(s->name), s->rec.bytes) - 1;
	}
	if (at <= BPF_FS_BYTES + BPF_FS_PATH - BPF_FS_PART)
		know_tail(&s->known, REG_WORD_TAIL, s->rec.bytes + at, n);
}

/* A close has not returned yet. (Verified once, not where it is called: it is not static.) */
__noinline int reg_know(struct fs_scratch *s)
{
	struct bpf_known *k;
	__s64 result;

	if (!s)
		return 0;
	k = &s->known;
	result = s->rec.result;
	k->words[REG_WORD_INDEX] = s->rec.row == REG_ENUMKEY ? s->rec.offset : ~0ULL;
	k->words[REG_WORD_INTIME] = s->rec.bytes_asked;
	k->words[REG_WORD_STATUS] = result < 0 && result >= -4095 ? result : 0;
	k->known = BIT(REG_WORD_INDEX) | BIT(REG_WORD_INTIME);
	if (s->rec.row != REG_CLOSE)
		k->known |= BIT(REG_WORD_STATUS);
	k->whole = k->known;
	know_value(s, REG_WORD_VALUE, s->used - s->rec.value - s->rec.newvalue, s->rec.value);
	know_value(s, REG_WORD_NEWVALUE, s->used - s->rec.newvalue, s->rec.newvalue);
	if (wants.filter_asks & BIT(REG_WORD_TAIL))
		know_key(s);
	return 0;
}

/* The rows that the engine may find in a record whose own may be counted; 0: in others. */
static __always_inline __u32 rows_in(__u32 row)
{
	if (row == REG_SETVALUE)
		return BIT(REG_SETVALUE) | BIT(REG_VIRTUALIZE);
	if (row == REG_QUERYVALUE)
		return BIT(REG_QUERYVALUE) | BIT(REG_QUERYMULVALUE) | BIT(REG_VIRTUALIZE);
	return 0;
}

/* Whether there is to be a record. */
__noinline int reg_judge(struct fs_scratch *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	int verdict = FILTER_PASSES;
	__u32 row, rows;

	if (!s)
		return 0;
	row = s->rec.row % BPF_COUNT_ROWS;
	rows = wants.rows & rows_in(row);
	if (wants.filter_asks)
		verdict = filter_known(&wants.filter, task, &s->known);
	if (verdict == FILTER_STOPS)
		return 0;
	if (verdict == FILTER_IS_OPEN || !(rows & BIT(row)))
		return 1;
	if (count_known(&wants, row, task, &s->known))
		s->counted = BIT(row);
	return (rows & ~s->counted) != 0;
}

/* Nobody asks for more than that it has happened: it is counted when it begins, and where the file
 * is, which costs the most, is not looked for. A try that may fail to be one is none. */
static __always_inline int is_counted_at_once(const struct bpf_fs_op *op, __u64 extra, __u64 offset)
{
	__u32 row = reg_row_of(op, extra) % BPF_COUNT_ROWS;

	if (op->flags & FS_OP_SECOND)
		return 0;
	if (!wants.counts.n || wants.filter_asks || wants.counts.words ||
	    (wants.rows & rows_in(row)) != BIT(row))
		return 0;
	return (row == REG_QUERYVALUE && offset) ||
	       count_row(&wants, row, bpf_get_current_task_btf(), 0);
}

/* Returns whether anybody has asked for it. */
static __always_inline int finish(void *ctx, struct fs_scratch *s, const struct doing *d)
{
	s->rec.bytes_asked = d->time_ns;
	s->rec.offset = d->offset;
	if (s->rec.row == REG_QUERYVALUE && d->offset)
		return 0; /* the rest of a value that has been read */
	if (wants.filter_asks || wants.counts.n) {
		reg_know(s);
		if (!reg_judge(s))
			return 0;
	}
	hand_over(s, BPF_KIND_REG, put_own_stacks(ctx, wants.stacks, 0));
	return 1;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, unsigned long id)
{
	__u32 nr = call_of((__u32)id);
	struct bpf_fs_op *op = bpf_map_lookup_elem(&ops, &nr);
	struct doing did = {.irp = (__u64)regs, .nr = nr}, *d;
	struct file___fs *f = 0;
	struct fs_scratch *s;

	if (!op || op->row == FS_OP_NONE || op->flags & FS_OP_RANGE)
		return 0;
	if (op->path != FS_OP_NONE) {
		if (!(op->flags & FS_OP_OPENS) && text_leads_there(op, regs) == IS_NOT)
			return 0;
	} else {
		f = fs_file_of((__u32)fs_arg(regs, op->fd));
		if (!f || !is_of_trees(&f->f_path))
			return 0;
		did.offset = op->off == FS_OP_NONE ? GET(AT(struct file___fs, f), f_pos)
						   : fs_arg(regs, op->off);
		if (op->row == FS_CLEANUP) {
			if (last_descriptor(f) == IS_HELD)
				return 0;
			did.is_told = 1;
		}
	}
	if (is_own() || !current_passes(&wants.filter) ||
	    (f && is_counted_at_once(op, fs_arg(regs, op->extra), did.offset)))
		return 0;
	did.time_ns = bpf_ktime_get_ns();
	d = bpf_task_storage_get(&doing, bpf_get_current_task_btf(), 0,
				 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!d) {
		count_lost();
		return 0;
	}
	*d = did;
	if (!did.is_told)
		return 0;
	s = begin(REG_CLOSE, did.irp, 0);
	if (s) {
		put_file(s, f);
		if (!finish(ctx, s, &did))
			d->irp = 0;
	}
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long ret)
{
	struct doing *d = bpf_task_storage_get(&doing, bpf_get_current_task_btf(), 0, 0);
	struct bpf_fs_op *op;
	struct file___fs *f = 0;
	struct fs_scratch *s;
	__u32 nr, row;

	if (!d || d->irp != (__u64)regs)
		return 0;
	d->irp = 0;
	nr = d->nr;
	op = bpf_map_lookup_elem(&ops, &nr);
	if (!op || (op->flags & FS_OP_SECOND && ret < 0)) /* such a try is followed by a read */
		return 0;
	if (d->is_told) {
		hand_over_short(BPF_KIND_REG, REG_CLOSE, BPF_FS_ENDED, (__u64)regs, ret, 0, 0);
		return 0;
	}
	if (op->flags & FS_OP_OPENS && ret >= 0) {
		f = fs_file_of((__u32)ret);
		if (!f || !is_of_trees(&f->f_path))
			return 0;
	} else if (op->path != FS_OP_NONE) {
		if (text_leads_there(op, regs) != IS_OF_TREES)
			return 0;
	} else {
		f = fs_file_of((__u32)fs_arg(regs, op->fd));
	}
	row = reg_row_of(op, fs_arg(regs, op->extra)) % BPF_COUNT_ROWS;
	s = begin(row, (__u64)regs, ret);
	if (!s)
		return 0;
	if (f) {
		put_file(s, f);
		if ((op->row == FS_READ || op->row == FS_WRITE) && !(op->flags & FS_OP_SECOND))
			put_values(s, op, regs, ret);
	} else if (op->path != FS_OP_NONE) {
		put_path(s, op, regs);
		put_numbers(&s->rec, op, regs);
		s->rec.result = ret;
	}
	finish(ctx, s, d);
	return 0;
}

/* It ends as soon as it is told, and cannot fail. */
static __always_inline int close_file(void *ctx, void *events, struct file___fs *f)
{
	const struct doing d = {.irp = (__u64)f, .time_ns = bpf_ktime_get_ns()};
	struct fs_scratch *s;

	if (!is_of_trees(&f->f_path) || last_descriptor(f) == IS_HELD)
		return 0;
	s = begin(REG_CLOSE, d.irp, 0);
	if (!s)
		return 0;
	put_file(s, f);
	if (finish(ctx, s, &d))
		hand_over_short(BPF_KIND_REG, REG_CLOSE, BPF_FS_ENDED, d.irp, 0, 0, 0);
	return 0;
}

/* A sysctl is about to be written; 1: it may be. */
SEC("cgroup/sysctl")
int on_sysctl(struct bpf_sysctl *ctx)
{
	__u64 key = bpf_get_current_task();
	struct change c = {};
	int n;

	if (!ctx->write)
		return 1;
	n = bpf_sysctl_get_current_value(ctx, c.before, sizeof(c.before));
	c.before_len = n > 0 ? n : n == -7 ? sizeof(c.before) : 0; /* E2BIG: it was cut */
	n = bpf_sysctl_get_new_value(ctx, c.after, sizeof(c.after));
	c.after_len = n > 0 ? n : n == -7 ? sizeof(c.after) : 0;
	bpf_map_update_elem(&changes, &key, &c, BPF_ANY);
	return 1;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
