/*
 * live.h: -x live=full: a view of the aggregations that fills the terminal while a run goes on. In
 * the front's own loop, which SIGIO wakes when keys are pressed or a captured program has written
 * something.
 *
 * The program of -c: what it writes to the same terminal would be drawn over; with
 * live=full,capture it goes into a pipe, its last lines are shown, and all of it is printed when
 * the view has gone. Its standard input is /dev/null if it was the terminal: keys are the view's.
 */
#ifndef COMMAND_LIVE_LIVE_H
#define COMMAND_LIVE_LIVE_H

#include "command/report/report.h"

struct live;

/* Before the fork. NULL: it is not asked for, or standard output is no terminal that can (it is
 * live=on then). */
struct live *live_new(struct options *, bool has_program);
/* Engine, before it starts programs: they inherit what is theirs. NULL is none, here and below. */
void live_give_streams(struct live *);

/* Front: tracing has begun. The engine's and our own words are kept from now on. False: there is no
 * terminal to open (of a session without one). */
bool live_begin(struct live *, const struct session *);
bool live_is_shown(const struct live *);
/* How often live_update() is to be called, in ns; 0: it is not shown. */
uint64_t live_interval_ns(const struct live *);
/* What a snapshot says. */
void live_update(struct live *, const struct report_data *);
/* Keys, output of the program, a size that has changed. False: the user wants to end. */
bool live_work(struct live *, bool was_resized);
/* ^Z: the terminal as before until the process is let go on. */
void live_stop(struct live *);
/* The terminal is as before, what was kept is printed. */
void live_end(struct live *);
/* Behind the end of the programs: what they have still written. */
void live_free(struct live *);

#endif
