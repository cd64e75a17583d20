#include "command/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fatal.h"
#include "base/utf8.h"
#include "command/live/keyboard.h"
#include "command/live/screen.h"
#include "command/live/view.h"

#define PANE_LINES  3
#define PANE_LENGTH 512
#define MAX_READ    (1U << 20) /* of a program's output at a time */

struct live {
	bool has_capture, has_program;
	int pipe[2]; /* of captured output; -1 */
	struct screen screen;
	struct view view;
	struct strbuf keys;		    /* bytes that are no whole key yet */
	char pane[PANE_LINES][PANE_LENGTH]; /* the last lines, the newest in pane[0] */
	unsigned npane;
	bool is_new_line;
	const struct session *session;
};

struct live *live_new(struct options *o, bool has_program)
{
	bool has_capture = opt(o, OPT_LIVE) == LIVE_CAPTURE;
	struct live *l;

	if (!opt_on(o, OPT_LIVE) || opt(o, OPT_LIVE) == LIVE_ON)
		return NULL;
	if (!screen_is_possible()) {
		o->num[OPT_LIVE] = LIVE_ON;
		return NULL;
	}
	l = xcalloc(1, sizeof(*l));
	l->pipe[0] = l->pipe[1] = -1;
	l->screen.fd = -1;
	l->has_program = has_program;
	l->has_capture = has_capture && has_program && pipe2(l->pipe, O_CLOEXEC) == 0;
	l->is_new_line = true;
	strbuf_init(&l->keys);
	return l;
}

void live_give_streams(struct live *l)
{
	int null;

	if (!l)
		return;
	null = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	if (!l->has_capture)
		return;
	dup2(l->pipe[1], STDOUT_FILENO);
	if (isatty(STDERR_FILENO))
		dup2(l->pipe[1], STDERR_FILENO);
	close(l->pipe[0]);
	close(l->pipe[1]);
}

static void put_back(void *arg)
{
	struct live *l = arg;

	screen_close(&l->screen);
}

static void put_back_at_once(void *arg)
{
	struct live *l = arg;

	screen_crash(&l->screen);
}

/* Nothing that is read of it is waited for: a program that lives on may keep its end. */
static void keep_reading_end(struct live *l)
{
	if (l->pipe[1] >= 0)
		close(l->pipe[1]);
	l->pipe[1] = -1;
	if (l->pipe[0] >= 0)
		fcntl(l->pipe[0], F_SETFL, O_NONBLOCK);
}

bool live_begin(struct live *l, const struct session *s)
{
	bool has_keys = opt_on(&s->options, OPT_LIVEKEYS);

	if (l->has_capture) {
		keep_reading_end(l);
		fcntl(l->pipe[0], F_SETOWN, getpid());
		fcntl(l->pipe[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	}
	l->session = s;
	view_init(&l->view, (uint64_t)opt(&s->options, OPT_LIVERATE),
		  opt(&s->options, OPT_ENCODING) == ENCODING_UTF8);
	if (screen_open(&l->screen, has_keys)) {
		view_release(&l->view);
		return false;
	}
	die_cleanup(put_back, l);
	fatal_prepare(put_back_at_once, l);
	return true;
}

bool live_is_shown(const struct live *l)
{
	return l && l->screen.fd >= 0;
}

uint64_t live_interval_ns(const struct live *l)
{
	return live_is_shown(l) ? l->view.interval_ns : 0;
}

/* ---- what a program writes ---- */

static void push_line(struct live *l)
{
	memmove(l->pane[1], l->pane[0], sizeof(l->pane) - sizeof(l->pane[0]));
	l->pane[0][0] = '\0';
	l->npane = MIN(l->npane + 1, (unsigned)PANE_LINES);
}

/* Its last lines, without what would act on the terminal. */
static void note_lines(struct live *l, const char *s, size_t n)
{
	size_t at = strlen(l->pane[0]);

	for (size_t i = 0, len; i < n; i += len) {
		len = MAX(utf8_length(s + i, n - i), 1U);
		if (l->is_new_line) {
			push_line(l);
			at = 0;
			l->is_new_line = false;
		}
		if (s[i] == '\n') {
			l->is_new_line = true;
		} else if (at + len < PANE_LENGTH) {
			size_t shown = utf8_shown(s + i, n - i);

			if (shown)
				memcpy(&l->pane[0][at], s + i, len);
			else
				l->pane[0][at] = '?';
			at += MAX(shown, 1U);
			l->pane[0][at] = '\0';
		}
	}
}

static bool take_output(struct live *l)
{
	size_t all = 0;
	char buf[16384];
	ssize_t n = 0;

	while (l->pipe[0] >= 0 && all < MAX_READ && (n = read(l->pipe[0], buf, sizeof(buf))) > 0) {
		note_lines(l, buf, (size_t)n);
		screen_keep(&l->screen, buf, (size_t)n);
		all += (size_t)n;
	}
	if (l->pipe[0] >= 0 && n == 0) { /* all who could write are gone */
		close(l->pipe[0]);
		l->pipe[0] = -1;
	}
	return all > 0;
}

/* ---- the picture ---- */

static void draw(struct live *l)
{
	const char *lines[PANE_LINES];
	struct view_facts facts = {.drops = session_drops(l->session), .note = "", .output = lines};
	unsigned rows, columns;
	struct strbuf out;

	if (l->has_program && !l->has_capture)
		facts.note = "the program writes to this terminal, too (live=full,capture shows it "
			     "below)";
	for (unsigned i = l->npane; i-- > 0;)
		lines[facts.noutput++] = l->pane[i];
	strbuf_init(&out);
	screen_size(&l->screen, &rows, &columns);
	view_draw(&l->view, &facts, rows, columns, &out);
	screen_draw(&l->screen, &out);
	strbuf_release(&out);
}

void live_update(struct live *l, const struct report_data *data)
{
	if (!live_is_shown(l))
		return;
	view_update(&l->view, data, now_mono());
	draw(l);
}

static bool press_keys(struct live *l, bool *was_pressed)
{
	bool goes_on = true;
	size_t used = 0, n;
	uint32_t key;

	while (screen_read_keys(&l->screen, &l->keys))
		*was_pressed = true;
	while ((n = keyboard_take(l->keys.s + used, l->keys.len - used, true, &key)) > 0) {
		goes_on = goes_on && view_key(&l->view, key);
		used += n;
	}
	strbuf_clear(&l->keys);
	return goes_on;
}

bool live_work(struct live *l, bool was_resized)
{
	bool is_new = was_resized, goes_on;

	if (!live_is_shown(l))
		return true;
	goes_on = press_keys(l, &is_new);
	is_new |= take_output(l);
	if (is_new)
		draw(l);
	return goes_on;
}

void live_stop(struct live *l)
{
	screen_suspend(&l->screen);
	raise(SIGSTOP);
	screen_resume(&l->screen);
	draw(l);
}

void live_end(struct live *l)
{
	if (!live_is_shown(l))
		return;
	take_output(l);
	screen_close(&l->screen);
	view_release(&l->view);
}

void live_free(struct live *l)
{
	if (!l)
		return;
	keep_reading_end(l); /* it may never have begun */
	while (take_output(l))
		;
	strbuf_release(&l->keys);
	free(l);
}
