/*
 * err.h: the one way to fail. A function that can fail returns 0 or a negative
 * errno and leaves its outputs untouched; where a human will read the reason it
 * also takes a struct err, and whoever knows the reason writes it, once, as one
 * sentence: the thing, the cause, the next step.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/base.h"

struct err {
	int code;	 /* 0, or the negative errno last set */
	char text[4096]; /* it may quote the rest of a program */
};

/* Stores code and text; returns code, so that `return err_set(...)` reads well. err may be NULL. */
int err_set(struct err *err, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* fork has failed with errno e: says what may forbid it. Returns -e. */
int err_no_process(struct err *err, int e);
/* For the end of a sentence with strerror(e): what to do where files are too few, or nothing. */
const char *err_next_step(int e);
/* Puts "context: " in front of the text; returns err->code (-EIO if err is NULL). */
int err_wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * die: ends this process with status 1 after "dtrace: text" on stderr, for our own mistakes and
 * for want of memory. Runs the clean-ups registered with die_cleanup first, newest first, so that
 * no breakpoint stays in a target. Never for bad input.
 */
void die(const char *fmt, ...) NORETURN PRINTF_LIKE(1, 2);
void die_cleanup(void (*fn)(void *), void *arg); /* at most 16 */
void die_forget(void (*fn)(void *), void *arg);

/* These never return NULL: they die. Free with free(). */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
/* A hint: all of it is about to be written. One call in place of a page fault for each page. */
void will_fill(void *p, size_t n);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
