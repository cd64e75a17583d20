/*
 * vmmap.h: /proc/PID/maps as an array, in address order.
 */
#ifndef TRACER_PROCFS_VMMAP_H
#define TRACER_PROCFS_VMMAP_H

#include "base/base.h"

struct vma {
	taddr_t start, end;
	uint64_t offset, ino;
	unsigned dev_major, dev_minor;
	bool read, write, exec, shared;
	bool vdso, is_copy; /* is_copy: as in struct procmap */
	char *path;	    /* as the kernel writes it; "" for anonymous memory */
};

struct vmmap {
	struct vma *v;
	size_t n, room;
};

/* Reads the map of a live thread, replacing what was there. Errors: -errno of the file. */
int vmmap_read(struct vmmap *, pid_t tid);
void vmmap_release(struct vmmap *);
const struct vma *vmmap_at(const struct vmmap *, taddr_t addr); /* NULL: not mapped */

/*
 * A free range of `size` bytes for code that must reach [near, near + 2 GiB) and back: well away
 * from where the heap and new mappings grow, if that can be. 0: none.
 */
taddr_t vmmap_gap(const struct vmmap *, taddr_t near, uint64_t size);
/*
 * The same for what is to lie at the same distance in other processes, whose mappings are nearly
 * those of this one: nothing is mapped near it, nor will be. 0: there is no such place.
 */
taddr_t vmmap_lonely_gap(const struct vmmap *, taddr_t near, uint64_t size);

#endif
