/*
 * kernelmem.h: the kernel's memory and its threads, as clauses see them (curthread, what its
 * members lead to). The session has one if there is somebody who can read it; it is opened when
 * somebody reads first.
 */
#ifndef DLANG_KERNELMEM_H
#define DLANG_KERNELMEM_H

#include "dlang/provider.h"

/* A thread of the kernel, and what tells it from another that has its memory or number later. */
struct kernthread {
	uint64_t addr;	   /* 0: it is not known, or was gone when it was looked for */
	uint64_t start_ns; /* when it was made */
	uint64_t mm;	   /* its memory: goes with exec and exit */
	uint32_t tid;
	enum { KERNTHREAD_GONE, KERNTHREAD_LIVES, KERNTHREAD_EXITS } state;
};

struct kernelmem {
	/* Can it be read by this user? Errors: the sentence why not. Opens it. */
	int (*open)(struct session *, struct err *);
	/* The thread that fires the event. */
	void (*thread)(struct session *, const struct event *, struct kernthread *);
	/*
	 * n bytes of the kernel at addr. Returns how many, short at the end of what is mapped;
	 * -EFAULT; -ESRCH if `fires` (NULL: nobody has asked for it) is no longer what it was, or
	 * addr lies in a thread that `thread` has told of and that is gone. buf is written to on
	 * success only.
	 */
	ssize_t (*read)(struct session *, const struct kernthread *fires, taddr_t addr, void *buf,
			size_t n);
	/* The path of the kernel's struct path there, at most n characters, no NUL. As read. */
	ssize_t (*path)(struct session *, const struct kernthread *fires, taddr_t path, char *buf,
			size_t n);
};

#endif
