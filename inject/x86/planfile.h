/*
 * planfile.h: what is known of the code of a file, kept from run to run in the user's cache: what
 * the scan of all of it has found, and plans of functions that are hooked as a whole.
 *
 * It is that of one file, as it was then (device, inode, size, times of its last change, its
 * functions and their names), by this very build of the program, whose build-id it has: what else
 * decides about plans is code. Each window is compared with what the file has there before it is
 * used. One file of the cache:
 *
 *   ┌────────┬─────────────────┬─────────────────────────────┬────────────────┬──────────────────┐
 *   │ header │ struct scanned  │ five bitmaps: targets,      │ struct codecall│ plans, one behind│
 *   │        │ of each function│ called, jumped, foreign, ...│                │ the other        │
 *   └────────┴─────────────────┴─────────────────────────────┴────────────────┴──────────────────┘
 */
#ifndef INJECT_X86_PLANFILE_H
#define INJECT_X86_PLANFILE_H

#include "inject/x86/plan.h"

enum { PLANFILE_KINDS = PLAN_ENTRY | PLAN_RETURN }; /* combinations of kinds that plans are for */

struct planfile;

/*
 * Before its code is read. folder: as of cachefile_folder(); -1: nothing is looked for there. NULL:
 * nothing can be kept of that file, as it has no build-id. The objfile must live as long.
 */
struct planfile *planfile_open(int folder, struct objfile *);
void planfile_close(struct planfile *);
/* What the scan has found; NULL: nothing is kept, or not of the file as it is now. The caller frees
 * it, before the planfile. */
struct codescan *planfile_scan(const struct planfile *);
/* The plan of function i for these kinds; the caller frees its windows. False: none is kept, or the
 * file has other bytes there. */
bool planfile_plan(const struct planfile *, unsigned i, unsigned kinds, struct plan *);
unsigned planfile_nplans(const struct planfile *);
/*
 * Keeps a scan of it, what was kept before, and plans of functions that have been made, by their
 * kinds, less 1 (NULL: none), all of which hook all that was asked for. Of a file that had been
 * changed a moment before it was opened nothing is. Errors: those of writing.
 */
int planfile_write(const struct planfile *, int folder, const struct codescan *,
		   struct plan **const made[PLANFILE_KINDS]);

#endif
