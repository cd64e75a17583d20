/*
 * subrs.h: the functions that subrs.def names, for the table in subrs.c. Each gets the tuple stack
 * as its arguments (the verifier has counted them) and sets the fault if it cannot do its work.
 * Freestanding: strings and memory of its result are temps of the clause (vmmem.h).
 */
#ifndef DLANG_RUN_SUBRS_H
#define DLANG_RUN_SUBRS_H

#include "dlang/osinfo/osinfo.h"
#include "dlang/run/vmmem.h"

#define SUBR_FN(name) uint64_t subr_##name(struct vm *, const struct vm_key *args, unsigned nargs)

/* subrs.c */
SUBR_FN(swap16);
SUBR_FN(swap32);
SUBR_FN(swap64);
SUBR_FN(getmajor);
SUBR_FN(getminor);
SUBR_FN(rand);
SUBR_FN(progenyof);
SUBR_FN(check_index);
SUBR_FN(d_path);
SUBR_FN(ddi_pathname);
SUBR_FN(getf);
/* storevalue.c */
SUBR_FN(ustackid);
SUBR_FN(stackid);
/* memsubrs.c */
SUBR_FN(alloca);
SUBR_FN(bcopy);
SUBR_FN(copyin);
SUBR_FN(copyinstr);
SUBR_FN(copyinto);
SUBR_FN(copyout);
SUBR_FN(copyoutstr);
SUBR_FN(memref);
SUBR_FN(memstr);
SUBR_FN(store_string);
/* strsubrs.c */
SUBR_FN(index);
SUBR_FN(lltostr);
SUBR_FN(rindex);
SUBR_FN(strchr);
SUBR_FN(strjoin);
SUBR_FN(strlen);
SUBR_FN(strrchr);
SUBR_FN(strstr);
SUBR_FN(strtok);
SUBR_FN(strtoll);
SUBR_FN(substr);
SUBR_FN(tolower);
SUBR_FN(toupper);
/* pathsubrs.c */
SUBR_FN(basename);
SUBR_FN(cleanpath);
SUBR_FN(dirname);
/* jsonsubrs.c */
SUBR_FN(json);
/* inetsubrs.c */
SUBR_FN(inet_ntoa);
SUBR_FN(inet_ntoa6);
SUBR_FN(link_ntop);
SUBR_FN(inet_ntop);

/* locksubrs.c */
SUBR_FN(mutex_owned);
SUBR_FN(mutex_owner);
SUBR_FN(mutex_type_adaptive);
SUBR_FN(mutex_type_spin);
SUBR_FN(rw_read_held);
SUBR_FN(rw_write_held);
SUBR_FN(rw_iswriter);
/* speculation.c */
SUBR_FN(speculation);

#endif
