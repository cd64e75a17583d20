/*
 * fpid_image.h: what has become of the sites of one file in a process is what becomes of the same
 * sites in the next one that maps it: programs that end soon are hooked by what is known of others.
 * Only where all that is asked for is counting, in processes that are followed.
 */
#ifndef PROVIDERS_FPID_FPID_IMAGE_H
#define PROVIDERS_FPID_FPID_IMAGE_H

#include "inject/hookimage.h"
#include "providers/fpid/fpid.h"

struct fpid_image {
	struct fpid_image *next; /* of the same file */
	unsigned refs;		 /* the list of the file, and folds */
	struct module *mod;	 /* until it is kept: */
	struct hooks_part part;
	struct hookimage *hooks;
	struct fpid_tally tally;
	/* NULL: the module has other sites besides; else they are these, those that wait for an
	 * answer, and no more, where this is what the module means: */
	struct pid_meaning *meaning;
	uint32_t nenablings; /* of the run, when all probes were seen to be only counted */
	struct image_waiting {
		struct pid_probe *probe;
		const struct func *func, *ifunc;
		taddr_t addr;
	} * waiting;
	unsigned nwaiting;
	unsigned n;
	struct image_site {
		struct pid_probe *probe;
		const struct func *func, *ifunc;
		taddr_t addr;
		enum fpid_how how;
		bool is_half, is_left; /* left: to be decided by each process */
		uint32_t counter;
		const char *why; /* NULL: it is hooked */
	} v[];
};

/* The sites of one module that want a hook. */
struct fpid_batch {
	struct fpid_batch *next;
	struct pid_proc *proc;
	struct module *mod;
	struct pid_site **v;
	unsigned n, room;
};

/*
 * All sites of a process that want a hook, a batch for each module, in the order in which the first
 * of its sites comes: sites of one module need not stand side by side, where several descriptions
 * have found them. NULL: none. The caller frees them.
 */
struct fpid_batch *fpid_batches_new(struct pid_proc *);
void fpid_batches_free(struct fpid_batch *);

/* All of them are decided as in an image, but for those that still want a hook. False: nothing has
 * been done. Errors: as of fpid_arm. */
bool fpid_image_use(const struct fpid_batch *, struct fpid_tally *, int *r, struct err *err);
/*
 * They are to be decided one by one, between the two. NULL: nothing can be learnt from them. After
 * hooks_commit: what has been learnt from them is kept for others, but of functions (keys of
 * `blocked`) that could not be hooked after all; or (NULL) forgotten.
 */
struct fpid_image *fpid_image_begin(const struct fpid_batch *);
void fpid_image_end(struct fpid_image *, const struct fpid_batch *, const struct fpid_tally *);
void fpid_images_keep(struct pid_proc *, const struct hash *blocked);

/* What is as in an image; its cells are so much further on. Errors: as of fpid_arm. */
int fpid_image_set(struct pid_site *, const struct image_site *as, uint32_t cells,
		   struct fpid_tally *, struct err *);
void fpid_image_free(struct fpid_image *); /* lets go of it */
void fpid_images_free(struct pid_world *);
/* Of files that have images, for processes that may have them; NULL: they are to have none. */
struct textcopies *fpid_copies(const struct pid_proc *);
void fpid_copies_tell(struct pid_world *); /* once, why there are none */

#endif
