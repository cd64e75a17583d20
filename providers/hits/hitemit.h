/*
 * hitemit.h: events that a program emits, as records of a recording that is written anew
 * (providers/rewrite/recrewrite.h): in the form in which the file of a run has them (hitlog.h), so
 * that they are fired again from it.
 */
#ifndef PROVIDERS_HITS_HITEMIT_H
#define PROVIDERS_HITS_HITEMIT_H

#include "providers/rewrite/recrewrite.h"

extern const struct emit_form hit_emit_form;

#endif
