/*
 * screen.h: the terminal while a view is shown on it (ECMA-48, termios(3)): the alternate screen,
 * keys as they are pressed, without echo. What this command prints meanwhile is kept in a file
 * without a name and comes out when the view has gone, in the order in which it was printed,
 * together with what a captured program writes.
 *
 * One per process by nature. Whatever ends the process but SIGKILL puts the terminal back:
 * screen_close(), or screen_crash() where a signal ends it.
 */
#ifndef COMMAND_LIVE_SCREEN_H
#define COMMAND_LIVE_SCREEN_H

#include <termios.h>

#include "base/strbuf.h"

struct screen {
	int fd;				 /* of the terminal; -1: it is not shown */
	int keys;			 /* where keys come from; -1: nowhere */
	int spool, saved_out, saved_err; /* saved_err -1: stderr is no terminal and stays */
	bool has_termios;
	struct termios termios;
};

/* Can standard output show one? */
bool screen_is_possible(void);
/* Shows an empty one. with_keys: keys are read, SIGIO says that there are some. 0, or a negative
 * errno. */
int screen_open(struct screen *, bool with_keys);
/* Puts everything back, and prints what was kept. Nothing where it is not shown. */
void screen_close(struct screen *);
/* The same where a signal is about to end the process: what may be done there (man signal-safety).
 */
void screen_crash(struct screen *);
/* For a moment (^Z): the terminal is as before; what is kept stays. */
void screen_suspend(struct screen *);
void screen_resume(struct screen *);

void screen_size(const struct screen *, unsigned *rows, unsigned *columns);
/* Draws lines from the upper left corner on. */
void screen_draw(const struct screen *, const struct strbuf *lines);
/* Adds bytes of keys that have been pressed; false: none. */
bool screen_read_keys(const struct screen *, struct strbuf *);
/* What others print for us is kept, too. */
void screen_keep(const struct screen *, const char *bytes, size_t n);

#endif
