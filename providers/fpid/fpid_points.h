/*
 * fpid_points.h: what fpid_records.c and fpid_replay.c know of the points that leave records.
 */
#ifndef PROVIDERS_FPID_FPID_POINTS_H
#define PROVIDERS_FPID_FPID_POINTS_H

#include "dlang/run/vm.h"
#include "inject/ring.h"
#include "providers/fpid/fpid_claims.h"

/* What is behind a number of the target's table of sites. */
struct point {
	struct hook_site site;
	struct fpid_point at;
	struct pid_site **listeners; /* sites of that address: a function has several names */
	unsigned nlisteners;
	struct hook_mem mem[HOOK_MEM_MAX]; /* of all of them */
	uint64_t ndropped;		   /* counted so far */
	uint64_t nunread;		   /* dropped from rings at the end; not counted yet */
	/* Its records are of one clause only, whose predicate has been decided there; or NULL. */
	const struct ecb *ecb;
	unsigned from; /* struct ecb_part */
	bool has_faulted, has_texts;
	const struct fpid_carried *carried; /* what they hold for it; malloced */
};

/* Memory that was recorded. */
struct recorded {
	taddr_t addr;
	uint64_t n;
	const void *bytes;
};

struct fpid_records {
	struct pid_proc *pp;
	struct target view; /* the process as it was: what was not recorded cannot be read */
	struct event event; /* that is fired: what all events have in common stays in it */
	taddr_t pcs[VM_MAX_PCS];
	struct recorded pieces[HOOK_MEM_MAX]; /* of the event that is fired */
	unsigned npieces;
	struct point *points;
	unsigned npoints, room;
	bool has_stacks, has_mem, reads_vtime;
	uint64_t ncut; /* stacks that could not be walked to their end */
	bool is_cut;   /* one since the maps were last looked at: code may have come */
	uint64_t looked_ns;
};

/* fpid_replay.c: fires what a record of one of its sites tells. */
void fpid_fire_point(struct fpid_records *, const struct ring_record *);

#endif
