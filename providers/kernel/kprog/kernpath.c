/*
 * kernpath.c: the path of a file of the kernel (struct path), as the kernel's d_path() makes it:
 * the names from the file up to the root of its file system, then from where that is mounted on, to
 * the root of all. Files are renamed and freed meanwhile: each step is bounded, and what was read
 * of one that is gone is some text.
 */
#include "providers/kernel/kprog/kernmem.h"

#include <errno.h>
#include <stdio.h>

#include "providers/world/kernsyms.h"
#include "symbols/dwarf/btf.h"

#define MAX_STEPS  512 /* names and mounts */
#define MAX_NAME   255
#define PATH_BYTES 4096

enum {
	PATH_MNT,
	PATH_DENTRY,
	VFSMOUNT_ROOT,
	MOUNT_VFSMOUNT,
	MOUNT_PARENT,
	MOUNT_POINT,
	DENTRY_PARENT,
	DENTRY_NAME,
	DENTRY_HASHED,
	DENTRY_INODE,
	DENTRY_SB,
	INODE_NUMBER,
	SB_TYPE,
	FSTYPE_NAME,
	NPLACES
};

/* Each is a word: an address, a number. */
static const struct {
	const char *type, *member, *inner;
} places[NPLACES] = {
	[PATH_MNT] = {"struct path", "mnt", NULL},
	[PATH_DENTRY] = {"struct path", "dentry", NULL},
	[VFSMOUNT_ROOT] = {"struct vfsmount", "mnt_root", NULL},
	[MOUNT_VFSMOUNT] = {"struct mount", "mnt", NULL},
	[MOUNT_PARENT] = {"struct mount", "mnt_parent", NULL},
	[MOUNT_POINT] = {"struct mount", "mnt_mountpoint", NULL},
	[DENTRY_PARENT] = {"struct dentry", "d_parent", NULL},
	[DENTRY_NAME] = {"struct dentry", "d_name", "name"},
	[DENTRY_HASHED] = {"struct dentry", "d_hash", "pprev"},
	[DENTRY_INODE] = {"struct dentry", "d_inode", NULL},
	[DENTRY_SB] = {"struct dentry", "d_sb", NULL},
	[INODE_NUMBER] = {"struct inode", "i_ino", NULL},
	[SB_TYPE] = {"struct super_block", "s_type", NULL},
	[FSTYPE_NAME] = {"struct file_system_type", "name", NULL},
};

struct walk {
	struct session *session;
	const struct kernthread *fires;
	uint64_t at[NPLACES]; /* offsets */
	char text[PATH_BYTES];
	size_t start; /* of what has been written, from the end */
	int error;
};

/* ---- where members are ---- */

static bool find_places(struct walk *w)
{
	struct kernel_btf *btf = world_btf(world_of(w->session));

	for (unsigned i = 0; btf && i < NPLACES; i++) {
		const struct type *t = kernel_btf_type(btf, places[i].type);
		struct type_member m, inner = {0};

		if (!t || !kernel_btf_member(btf, t, places[i].member, &m) ||
		    (places[i].inner && !kernel_btf_member(btf, m.type, places[i].inner, &inner)))
			return false;
		w->at[i] = (m.bit_offset + inner.bit_offset) / 8;
	}
	return btf != NULL;
}

/* ---- reading ---- */

static uint64_t get(struct walk *w, uint64_t base, unsigned place)
{
	uint64_t v = 0;

	if (!w->error && kernel_memory.read(w->session, w->fires, base + w->at[place], &v,
					    sizeof(v)) != sizeof(v))
		w->error = -EFAULT;
	return v;
}

static void get_name(struct walk *w, uint64_t addr, char name[MAX_NAME + 1])
{
	ssize_t n = w->error ? -1 : kernel_memory.read(w->session, w->fires, addr, name, MAX_NAME);

	if (n < 0)
		w->error = -EFAULT;
	name[n < 0 ? 0 : n] = '\0';
}

/* In front of what is there; what finds no room is left out. */
static void put(struct walk *w, const char *text)
{
	size_t n = MIN(strlen(text), w->start);

	w->start -= n;
	memcpy(w->text + w->start, text + strlen(text) - n, n);
}

/* ---- the way up ---- */

/* Files without a place in the tree have names that the kernel makes up. */
static void put_nameless(struct walk *w, uint64_t dentry)
{
	char name[MAX_NAME + 1], fs[MAX_NAME + 1], text[2 * MAX_NAME + 32];
	size_t n;

	get_name(w, get(w, dentry, DENTRY_NAME), name);
	get_name(w, get(w, get(w, get(w, dentry, DENTRY_SB), SB_TYPE), FSTYPE_NAME), fs);
	n = strlen(fs);
	if (strcmp(fs, "anon_inodefs") == 0)
		snprintf(text, sizeof(text), "anon_inode:%s", name);
	else if (strcmp(fs, "pipefs") == 0)
		snprintf(text, sizeof(text), "pipe:[%llu]",
			 (unsigned long long)get(w, get(w, dentry, DENTRY_INODE), INODE_NUMBER));
	else if (strcmp(fs, "sockfs") == 0)
		snprintf(text, sizeof(text), "socket:[%llu]",
			 (unsigned long long)get(w, get(w, dentry, DENTRY_INODE), INODE_NUMBER));
	else
		snprintf(text, sizeof(text), "%s%s", n && name[0] != '/' ? "/" : "", name);
	put(w, text);
}

static void walk_up(struct walk *w, uint64_t dentry, uint64_t vfsmount)
{
	uint64_t mount = vfsmount - w->at[MOUNT_VFSMOUNT], parent;
	const uint64_t first = dentry;
	char name[MAX_NAME + 1];

	if (get(w, dentry, DENTRY_PARENT) != dentry && !get(w, dentry, DENTRY_HASHED))
		put(w, " (deleted)");
	for (unsigned i = 0; i < MAX_STEPS && !w->error; i++) {
		if (dentry == get(w, mount + w->at[MOUNT_VFSMOUNT], VFSMOUNT_ROOT)) {
			parent = get(w, mount, MOUNT_PARENT);
			if (parent == mount)
				break;
			dentry = get(w, mount, MOUNT_POINT);
			mount = parent;
			continue;
		}
		parent = get(w, dentry, DENTRY_PARENT);
		if (parent == dentry) {
			if (dentry == first)
				put_nameless(w, dentry);
			return;
		}
		get_name(w, get(w, dentry, DENTRY_NAME), name);
		put(w, name);
		put(w, "/");
		dentry = parent;
	}
	if (w->start == sizeof(w->text) - 1)
		put(w, "/");
}

ssize_t kernel_path(struct session *s, const struct kernthread *fires, taddr_t path, char *buf,
		    size_t n)
{
	struct walk w = {.session = s, .fires = fires, .start = sizeof(w.text) - 1};
	uint64_t dentry, vfsmount;

	if (!find_places(&w))
		return -ENOSYS;
	dentry = get(&w, path, PATH_DENTRY);
	vfsmount = get(&w, path, PATH_MNT);
	if (!w.error)
		walk_up(&w, dentry, vfsmount);
	if (w.error)
		return w.error;
	n = MIN(n, sizeof(w.text) - 1 - w.start);
	memcpy(buf, w.text + w.start, n);
	return (ssize_t)n;
}
