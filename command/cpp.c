#include "command/cpp.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command/cmdline.h"

static void add(struct cpp_args *a, char *arg)
{
	if (a->n + 2 > a->room) {
		a->room = 2 * a->room + 16;
		a->v = xrealloc(a->v, a->room * sizeof(*a->v));
	}
	a->v[a->n++] = arg;
	a->v[a->n] = NULL;
}

void cpp_args_release(struct cpp_args *a)
{
	for (unsigned i = 0; i < a->n; i++)
		free(a->v[i]);
	free(a->v);
	*a = (struct cpp_args){0};
}

static int add_words(struct cpp_args *a, const char *text)
{
	char **words;

	if (cmdline_split(text, &words) < 0)
		return -EINVAL;
	for (char **w = words; *w; w++)
		add(a, xstrdup(*w));
	free(words);
	return 0;
}

int cpp_option(struct cpp_args *a, const char *name, const char *value)
{
	static const struct {
		const char *name, *flag;
	} flags[] = {{"define", "-D"}, {"undef", "-U"}, {"incdir", "-I"}};

	if (strcmp(name, "cpphdrs") == 0)
		add(a, xstrdup("-H"));
	if (strcmp(name, "cppargs") == 0)
		return add_words(a, value);
	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
		if (strcmp(name, flags[i].name) == 0)
			add(a, xasprintf("%s%s", flags[i].flag, value));
	return 0;
}

static const char *cpp_path(const struct options *o)
{
	return o->text[OPT_CPPPATH] ? o->text[OPT_CPPPATH] : "cpp";
}

/* All arguments, ours and the user's. The name it is run by is the last part of its path. */
static void full_args(const struct options *o, const struct cpp_args *user, bool is_ilp32,
		      struct cpp_args *all)
{
	const char *const first[] = {"-D__linux",  "-D__unix",
				     "-D__SVR4",   "-D__SUNW_D=1",
				     "-U__GNUC__", is_ilp32 ? "-D__SUNW_D_32" : "-D__SUNW_D_64",
				     "-D__Linux"};
	const char *slash = strrchr(cpp_path(o), '/');

	add(all, xstrdup(slash ? slash + 1 : cpp_path(o)));
	for (unsigned i = 0; i < ARRAY_SIZE(first); i++)
		add(all, xstrdup(first[i]));
	for (unsigned i = 0; i < user->n; i++)
		add(all, xstrdup(user->v[i]));
	add(all, xstrdup("-D__SUNW_D_VERSION=0x02000000"));
	add(all, xstrdup(opt(o, OPT_STDC) == STDC_S ? "-traditional-cpp" : "-std=c99"));
	add(all, xstrdup("/dev/stdin")); /* not "-": messages call the text by this name */
}

/* A file of memory with the text; -1: errno. */
static int file_of(const struct strbuf *text)
{
	int fd = memfd_create("script", MFD_CLOEXEC);
	size_t done = 0, skip = 0;
	ssize_t n;

	if (text->len > 1 && text->s[0] == '#' && text->s[1] == '!')
		skip = strcspn(text->s, "\n"); /* the newline stays, so do the line numbers */
	for (; fd >= 0 && skip + done < text->len; done += (size_t)n) {
		n = write(fd, text->s + skip + done, text->len - skip - done);
		if (n < 0) {
			close(fd);
			return -1;
		}
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static int read_back(int fd, struct strbuf *text)
{
	char block[4096];
	ssize_t n;

	strbuf_clear(text);
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, block, sizeof(block))) > 0)
		strbuf_add(text, block, (size_t)n);
	return n < 0 ? -errno : 0;
}

#define NOT_FOUND 127 /* as a shell says it */

/* What a preprocessor may use: macros can grow without end, and files that it includes may be none.
 */
#define OUTPUT_MAX  (64U << 20)
#define CPU_SECONDS 20
#define SECONDS	    60
#define MEMORY_MAX  (2ULL << 30)

static NORETURN void run(const char *path, char **argv, int in, int out, pid_t parent)
{
	const struct rlimit size = {OUTPUT_MAX, OUTPUT_MAX}, cpu = {CPU_SECONDS, CPU_SECONDS + 1},
			    memory = {MEMORY_MAX, MEMORY_MAX};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setrlimit(RLIMIT_FSIZE, &size);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_AS, &memory);
	dup2(in, 0);
	dup2(out, 1);
	execvp(path, argv);
	_exit(NOT_FOUND);
}

/* Its end, or that of its time. */
static int await(pid_t pid, int *status)
{
	const struct timespec nap = {.tv_nsec = 2000000};
	time_t begin = time(NULL);
	pid_t r;

	while ((r = waitpid(pid, status, WNOHANG)) == 0 && time(NULL) - begin < SECONDS)
		nanosleep(&nap, NULL);
	if (r == pid)
		return 0;
	kill(pid, SIGKILL);
	waitpid(pid, status, 0);
	return -ETIMEDOUT;
}

static int spawn(const char *path, char **argv, int in, int out, struct err *err)
{
	pid_t pid, self = getpid();
	struct rusage used;
	int rc, status = 0;
	struct stat st;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return err_no_process(err, errno);
	if (pid == 0)
		run(path, argv, in, out, self);
	rc = await(pid, &status);
	if (rc < 0)
		return err_set(err, rc, "the preprocessor has not ended after %u s", SECONDS);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return err_set(err, -ENOENT, "Preprocessor not found");
	if (fstat(out, &st) == 0 && st.st_size >= OUTPUT_MAX)
		return err_set(err, -EFBIG, "its preprocessed text is longer than %u MB",
			       OUTPUT_MAX >> 20);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (getrusage(RUSAGE_CHILDREN, &used) == 0 && used.ru_utime.tv_sec >= CPU_SECONDS - 1)
		return err_set(err, -ETIMEDOUT, "the preprocessor has used more than %u s of CPU",
			       CPU_SECONDS - 1);
	return err_set(err, -EINVAL, "Preprocessor failed to process input program");
}

int cpp_run(const struct options *o, const struct cpp_args *user, bool is_ilp32,
	    struct strbuf *text, struct err *err)
{
	struct cpp_args all = {0};
	int in = file_of(text), out = memfd_create("preprocessed", MFD_CLOEXEC), rc;

	full_args(o, user, is_ilp32, &all);
	if (in < 0 || out < 0)
		rc = err_set(err, -errno, "cannot make a file in memory: %s", strerror(errno));
	else
		rc = spawn(cpp_path(o), all.v, in, out, err);
	if (rc == 0)
		rc = read_back(out, text);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	cpp_args_release(&all);
	return rc;
}
