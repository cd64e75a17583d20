/*
 * silent WAY: calls look(p), and deep() on a stack, whose memory never comes, again and again:
 *   uffd  pages registered with a userfaultfd that nobody serves
 *   fuse  a private mapping of a file in FUSE, whose daemon (a child) answers no read
 *   code  the same, as code: who wants to know its symbols reads the file
 * Writes "silent PID" first, and a line for each round. It touches none of that memory itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SIZE (1 << 20)

static volatile unsigned long seen;

__attribute__((noinline)) void look(const char *p)
{
	seen += (unsigned long)p >> 12;
	seen ^= 0x5555;
}

/* With its stack pointer in the middle of p for the length of the call to `there`, which pushes
 * nothing and returns by a register. */
__asm__(".text\n.globl there\n.type there,@function\nthere:\n\tnop\n\tjmp *%rdx\n.size "
	"there,.-there\n"
	".globl deep\n.type deep,@function\ndeep:\n\tmov %rsp,%rcx\n\tlea 1f(%rip),%rdx\n"
	"\tmov %rdi,%rsp\n\tjmp there\n1:\tmov %rcx,%rsp\n\tret\n.size deep,.-deep\n");
void deep(const char *p);

static void die(const char *what)
{
	perror(what);
	exit(77);
}

static char *by_uffd(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	reg.range.start = (unsigned long)p;
	reg.range.len = SIZE;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &reg) < 0)
		die("userfaultfd");
	return p;
}

/* What one request is answered with; -1: nothing. */
static int answer(const struct fuse_in_header *in, void *body)
{
	struct fuse_attr file = {.ino = 2, .mode = S_IFREG | 0755, .nlink = 1, .size = SIZE};

	switch (in->opcode) {
	case FUSE_INIT:
		*(struct fuse_init_out *)body = (struct fuse_init_out){
			.major = 7, .minor = 31, .max_write = 65536, .flags = FUSE_ASYNC_READ};
		return sizeof(struct fuse_init_out);
	case FUSE_LOOKUP:
		*(struct fuse_entry_out *)body = (struct fuse_entry_out){
			.nodeid = 2, .attr_valid = 1000, .entry_valid = 1000, .attr = file};
		return sizeof(struct fuse_entry_out);
	case FUSE_GETATTR:
		if (in->nodeid == 1)
			file.mode = S_IFDIR | 0755;
		*(struct fuse_attr_out *)body =
			(struct fuse_attr_out){.attr_valid = 1000, .attr = file};
		return sizeof(struct fuse_attr_out);
	case FUSE_OPEN:
		return sizeof(struct fuse_open_out);
	}
	return -1;
}

static void serve(int fd)
{
	static char request[1 << 20];
	struct {
		struct fuse_out_header head;
		char body[256];
	} out;

	for (;;) {
		const struct fuse_in_header *in = (const void *)request;
		int n;

		if (read(fd, request, sizeof(request)) <= 0) {
			if (errno == EINTR || errno == ENOENT)
				continue;
			_exit(0);
		}
		if (in->opcode == FUSE_READ || in->opcode == FUSE_INTERRUPT ||
		    in->opcode == FUSE_FORGET || in->opcode == FUSE_BATCH_FORGET)
			continue;
		memset(&out, 0, sizeof(out));
		n = answer(in, out.body);
		out.head.unique = in->unique;
		out.head.error = n < 0 ? -ENOSYS : 0;
		out.head.len = (unsigned)sizeof(out.head) + (n > 0 ? (unsigned)n : 0);
		if (write(fd, &out, out.head.len) < 0)
			_exit(1);
	}
}

static char *by_fuse(int prot)
{
	char options[128], dir[] = "/tmp/silent.XXXXXX", path[64];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC), file;
	pid_t self = getpid();
	char *p;

	if (fd < 0 || !mkdtemp(dir) || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) < 0)
		die("/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mount("silent", dir, "fuse", 0, options) < 0)
		die("mount");
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(1);
		serve(fd);
	}
	close(fd);
	snprintf(path, sizeof(path), "%s/file", dir);
	file = open(path, O_RDONLY);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
	if (file < 0)
		die("a file of FUSE");
	p = mmap(NULL, SIZE, prot, MAP_PRIVATE, file, 0);
	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

int main(int argc, char **argv)
{
	const struct timespec nap = {.tv_nsec = 10000000};
	const char *way = argc > 1 ? argv[1] : "uffd";
	char *p = strcmp(way, "fuse") == 0   ? by_fuse(PROT_READ)
		  : strcmp(way, "code") == 0 ? by_fuse(PROT_READ | PROT_EXEC)
					     : by_uffd();

	dprintf(1, "silent %d\n", getpid());
	for (unsigned i = 0;; i++) {
		nanosleep(&nap, NULL);
		look(p + 4096 * (i % (SIZE / 4096)));
		deep(p + SIZE / 2);
		dprintf(1, "round %u\n", i);
	}
}
