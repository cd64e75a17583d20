#include "command/live/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[2J" /* alternate screen, no cursor */
#define LEAVE "\033[m\033[?25h\033[?1049l"
/* A picture as a whole, where the terminal can (ignored elsewhere). */
#define BEGIN_PICTURE "\033[?2026h\033[H"
#define END_PICTURE   "\033[?2026l"

/* A terminal that is gone takes nothing: nobody is told, as nobody is there. */
static void put(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t done = write(fd, s, n);

		if (done < 0 && errno != EINTR)
			return;
		s += MAX(done, 0);
		n -= (size_t)MAX(done, 0);
	}
}

static void put_text(int fd, const char *s)
{
	put(fd, s, strlen(s));
}

bool screen_is_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static void take_keys(struct screen *s)
{
	struct termios raw;

	if (s->keys < 0 || tcgetattr(s->keys, &s->termios))
		return;
	raw = s->termios;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	s->has_termios = tcsetattr(s->keys, TCSANOW, &raw) == 0;
	fcntl(s->keys, F_SETOWN, getpid());
	fcntl(s->keys, F_SETFL, fcntl(s->keys, F_GETFL) | O_ASYNC | O_NONBLOCK);
}

/* On a disk, as it may become much; where no file without a name can be made, in memory. */
static int open_spool(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("output", MFD_CLOEXEC);
}

/* What is printed from now on is kept. */
static int begin_to_keep(struct screen *s)
{
	s->spool = open_spool();
	if (s->spool < 0)
		return -errno;
	fflush(stdout);
	s->saved_out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	s->saved_err = isatty(STDERR_FILENO) ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10) : -1;
	if (s->saved_out < 0)
		return -errno;
	dup2(s->spool, STDOUT_FILENO);
	if (s->saved_err >= 0)
		dup2(s->spool, STDERR_FILENO);
	return 0;
}

int screen_open(struct screen *s, bool with_keys)
{
	int rc;

	*s = (struct screen){.fd = -1, .keys = -1, .spool = -1, .saved_out = -1, .saved_err = -1};
	s->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (s->fd < 0)
		return -errno;
	rc = begin_to_keep(s);
	if (rc) {
		screen_close(s);
		return rc;
	}
	/* an open of its own: what we set of it is not set of what programs share with us */
	s->keys = with_keys ? open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	take_keys(s);
	put_text(s->fd, ENTER);
	return 0;
}

void screen_suspend(struct screen *s)
{
	if (s->fd < 0)
		return;
	put_text(s->fd, LEAVE);
	if (s->has_termios)
		tcsetattr(s->keys, TCSANOW, &s->termios);
	s->has_termios = false;
}

void screen_resume(struct screen *s)
{
	if (s->fd < 0)
		return;
	take_keys(s);
	put_text(s->fd, ENTER);
}

static void print_kept(struct screen *s)
{
	char buf[65536];
	ssize_t n;

	if (s->spool < 0 || s->saved_out < 0)
		return;
	dup2(s->saved_out, STDOUT_FILENO);
	if (s->saved_err >= 0)
		dup2(s->saved_err, STDERR_FILENO);
	lseek(s->spool, 0, SEEK_SET);
	while ((n = read(s->spool, buf, sizeof(buf))) > 0)
		put(STDOUT_FILENO, buf, (size_t)n);
}

static void close_all(struct screen *s)
{
	const int fds[] = {s->spool, s->saved_out, s->saved_err, s->keys, s->fd};

	for (unsigned i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	s->fd = s->keys = s->spool = s->saved_out = s->saved_err = -1;
}

void screen_close(struct screen *s)
{
	if (s->fd < 0)
		return;
	screen_suspend(s);
	fflush(stdout);
	print_kept(s);
	close_all(s);
}

void screen_crash(struct screen *s)
{
	screen_suspend(s);
	print_kept(s);
}

void screen_size(const struct screen *s, unsigned *rows, unsigned *columns)
{
	struct winsize w = {0};

	ioctl(s->fd, TIOCGWINSZ, &w);
	*rows = w.ws_row > 1 ? w.ws_row : 24;
	*columns = w.ws_col > 1 ? w.ws_col : 80;
}

void screen_draw(const struct screen *s, const struct strbuf *lines)
{
	struct strbuf all;

	strbuf_init(&all);
	strbuf_adds(&all, BEGIN_PICTURE);
	strbuf_add(&all, lines->s, lines->len);
	strbuf_adds(&all, END_PICTURE);
	put(s->fd, all.s, all.len);
	strbuf_release(&all);
}

bool screen_read_keys(const struct screen *s, struct strbuf *bytes)
{
	char buf[256];
	ssize_t n = s->keys < 0 ? -1 : read(s->keys, buf, sizeof(buf));

	if (n <= 0)
		return false;
	strbuf_add(bytes, buf, (size_t)n);
	return true;
}

void screen_keep(const struct screen *s, const char *bytes, size_t n)
{
	put(s->spool >= 0 ? s->spool : STDOUT_FILENO, bytes, n);
}
