#include "dlang/osinfo/tidreuse.h"

#include "base/err.h"

#define TID_LIMIT (1 << 22) /* linux/threads.h: PID_MAX_LIMIT */

void tidreuse_begin(struct tidreuse *l, pid_t tid)
{
	uint8_t bit = (uint8_t)(1U << ((unsigned)tid & 7));

	if (tid < 0 || tid >= TID_LIMIT)
		return;
	if (!l->seen)
		l->seen = xcalloc(TID_LIMIT / 8, 1);
	if (l->seen[tid / 8] & bit)
		hash_put(&l->again, (uint64_t)tid, (void *)(uintptr_t)(tidreuse_of(l, tid) + 1));
	l->seen[tid / 8] |= bit;
}

uint64_t tidreuse_of(const struct tidreuse *l, pid_t tid)
{
	return l->again.n ? (uintptr_t)hash_get(&l->again, (uint64_t)tid) : 0;
}
