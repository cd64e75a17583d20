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

/* folder: as of cachefile_folder(). NULL: nothing is kept of that file, or not as it is now. The
 * objfile must live as long. */
struct planfile *planfile_open(int folder, struct objfile *);
void planfile_close(struct planfile *);
/* What the scan has found. The caller frees it, before the planfile. */
struct codescan *planfile_scan(const struct planfile *);
/* The plan of function i for these kinds; the caller frees its windows. False: none is kept, or the
 * file has other bytes there. */
bool planfile_plan(const struct planfile *, unsigned i, unsigned kinds, struct plan *);
unsigned planfile_nplans(const struct planfile *);
/*
 * Keeps a scan, the plans of `old` (NULL: none), and those of functions that have been made, by
 * their kinds, less 1 (NULL: none), all of which hook all that was asked for. What is of a file
 * without a build-id, or one that has been changed a moment ago, is not kept. Errors: those of
 * writing.
 */
int planfile_write(int folder, const struct codescan *, const struct planfile *old,
		   struct plan **const made[PLANFILE_KINDS]);

#endif
