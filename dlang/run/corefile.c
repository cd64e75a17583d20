/*
 * corefile.c: ELF header, program headers, notes, memory:
 *
 *   | Ehdr | PT_NOTE, PT_LOAD ... | PRSTATUS PRPSINFO AUXV FILE | pages of the first PT_LOAD | ...
 *
 * Pages that were never touched, and those of files that cannot have been changed, are left out:
 * holes of the file, and what debuggers read from the files themselves.
 */
#include "dlang/run/corefile.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/procfile.h"
#include "base/strbuf.h"

#define MAX_SEGMENT ((uint64_t)64 << 30) /* reserved address space, as sanitizers have it */
#define PAGEMAP_HAS ((uint64_t)3 << 62)	 /* present, or in swap (pagemap.rst) */
#define NOTE_ALIGN  4
#define MAX_CORES   100000

struct segment {
	uint64_t from, to, offset; /* offset: in the mapped file */
	uint64_t dumped;	   /* bytes from `from` on that are in the core */
	uint32_t prot;		   /* PF_* */
	bool is_file, is_writable;
	char path[256];
};

struct core {
	const struct corefile *what;
	struct segment *segs;
	size_t nsegs;
	struct strbuf notes;
	int fd, mem, pagemap;
};

/* ---- what is mapped ---- */

/* How much of a mapping is the process's own, or needed to know a file again: its ELF header. */
static uint64_t wanted(const struct corefile *cf, const struct segment *s)
{
	uint64_t size = s->to - s->from;

	if (!(s->prot & PF_R) || size > MAX_SEGMENT || strncmp(s->path, "/dev/", 5) == 0 ||
	    strncmp(s->path, "[vvar", 5) == 0)
		return 0;
	if (cf->is_mini && cf->regs && (cf->regs->r.rsp < s->from || cf->regs->r.rsp >= s->to))
		return 0;
	if (s->is_file && !s->is_writable)
		return s->offset == 0 ? PAGE : 0;
	return size;
}

static bool take_mapping(const struct procmap *line, struct segment *s)
{
	*s = (struct segment){.from = line->start, .to = line->end, .offset = line->offset};
	s->prot = (line->read ? PF_R : 0u) | (line->write ? PF_W : 0u) | (line->exec ? PF_X : 0u);
	s->is_writable = line->write;
	snprintf(s->path, sizeof(s->path), "%s", line->path);
	s->is_file = s->path[0] == '/';
	return strcmp(s->path, "[vsyscall]") != 0;
}

static int read_mappings(struct core *c, struct err *err)
{
	struct procmap line;
	struct strbuf text;
	struct segment s;
	char *at;
	int r;

	strbuf_init(&text);
	r = procfile_slurp(c->what->pid, "maps", &text);
	at = text.s;
	while (!r && procmap_next(&at, &line)) {
		if (!take_mapping(&line, &s))
			continue;
		if ((c->nsegs & (c->nsegs - 1)) == 0)
			c->segs = xrealloc(c->segs, MAX(1, 2 * c->nsegs) * sizeof(*c->segs));
		s.dumped = wanted(c->what, &s);
		c->segs[c->nsegs++] = s;
	}
	strbuf_release(&text);
	if (r)
		return err_set(err, r, "/proc/%d/maps: %s", (int)c->what->pid, strerror(-r));
	return c->nsegs ? 0 : err_set(err, -ESRCH, "process %d is gone", (int)c->what->pid);
}

/* ---- notes ---- */

static void pad(struct strbuf *b)
{
	while (b->len % NOTE_ALIGN)
		strbuf_addc(b, '\0');
}

static void add_note(struct strbuf *b, uint32_t type, const void *desc, size_t size)
{
	static const char name[] = "CORE";
	const Elf64_Nhdr h = {sizeof(name), (Elf64_Word)size, type};

	strbuf_add(b, &h, sizeof(h));
	strbuf_add(b, name, sizeof(name));
	pad(b);
	strbuf_add(b, desc, size);
	pad(b);
}

#define PROC_MS 2000U /* what is in memory of the process may not come */

static size_t read_proc(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	n = helper_file(path, buf, size, PROC_MS);
	return (size_t)MAX(n, 0);
}

static void add_status(struct core *c)
{
	const struct corefile *cf = c->what;
	struct elf_prstatus status = {.pr_pid = cf->tid};

	status.pr_info.si_signo = SIGTRAP;
	status.pr_cursig = SIGTRAP;
	if (cf->regs)
		memcpy(&status.pr_reg, &cf->regs->r, sizeof(status.pr_reg));
	add_note(&c->notes, NT_PRSTATUS, &status, sizeof(status));
}

static void add_info(struct core *c)
{
	struct elf_prpsinfo info = {.pr_pid = c->what->pid, .pr_sname = 't', .pr_state = 5};
	char args[ELF_PRARGSZ - 1];
	size_t n;

	n = read_proc(c->what->pid, "comm", info.pr_fname, sizeof(info.pr_fname) - 1);
	if (n)
		info.pr_fname[n - 1] = '\0';
	n = read_proc(c->what->pid, "cmdline", args, sizeof(args));
	for (size_t i = 0; i + 1 < n; i++)
		info.pr_psargs[i] = args[i];
	for (size_t i = 0; i + 1 < n; i++)
		if (!info.pr_psargs[i])
			info.pr_psargs[i] = ' ';
	add_note(&c->notes, NT_PRPSINFO, &info, sizeof(info));
}

static void add_auxv(struct core *c)
{
	char auxv[4096];
	size_t n = read_proc(c->what->pid, "auxv", auxv, sizeof(auxv));

	add_note(&c->notes, NT_AUXV, auxv, n);
}

/* count, page size, {from, to, offset in pages} ..., names */
static void add_files(struct core *c)
{
	uint64_t head[2] = {0, PAGE};
	struct strbuf b;

	strbuf_init(&b);
	strbuf_add(&b, head, sizeof(head));
	for (size_t i = 0; i < c->nsegs; i++) {
		const struct segment *s = &c->segs[i];
		const uint64_t row[3] = {s->from, s->to, s->offset / PAGE};

		if (!s->is_file)
			continue;
		strbuf_add(&b, row, sizeof(row));
		head[0]++;
	}
	for (size_t i = 0; i < c->nsegs; i++)
		if (c->segs[i].is_file)
			strbuf_add(&b, c->segs[i].path, strlen(c->segs[i].path) + 1);
	memcpy(b.s, head, sizeof(head));
	add_note(&c->notes, NT_FILE, b.s, b.len);
	strbuf_release(&b);
}

/* ---- the file ---- */

static int put(int fd, const void *p, size_t n, uint64_t at)
{
	while (n > 0) {
		ssize_t done = pwrite(fd, p, n, (off_t)at);

		if (done < 0)
			return -errno;
		p = (const char *)p + done;
		at += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

static int put_headers(const struct core *c, uint64_t notes_at, uint64_t data_at)
{
	const uint64_t size = sizeof(Elf64_Ehdr) + (1 + c->nsegs) * sizeof(Elf64_Phdr);
	char *buf = xcalloc(1, size);
	Elf64_Ehdr *eh = (Elf64_Ehdr *)buf;
	Elf64_Phdr *ph = (Elf64_Phdr *)(eh + 1);
	int rc;

	memcpy(eh->e_ident, ELFMAG, SELFMAG);
	eh->e_ident[EI_CLASS] = ELFCLASS64;
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_ident[EI_VERSION] = EV_CURRENT;
	eh->e_type = ET_CORE;
	eh->e_machine = EM_X86_64;
	eh->e_version = EV_CURRENT;
	eh->e_phoff = sizeof(*eh);
	eh->e_ehsize = sizeof(*eh);
	eh->e_phentsize = sizeof(*ph);
	eh->e_phnum = (Elf64_Half)(1 + c->nsegs);
	*ph++ = (Elf64_Phdr){.p_type = PT_NOTE,
			     .p_offset = notes_at,
			     .p_filesz = c->notes.len,
			     .p_align = NOTE_ALIGN};
	for (size_t i = 0; i < c->nsegs; i++) {
		const struct segment *s = &c->segs[i];

		*ph++ = (Elf64_Phdr){.p_type = PT_LOAD,
				     .p_flags = s->prot,
				     .p_offset = data_at,
				     .p_vaddr = s->from,
				     .p_filesz = s->dumped,
				     .p_memsz = s->to - s->from,
				     .p_align = PAGE};
		data_at += s->dumped;
	}
	rc = put(c->fd, buf, size, 0);
	free(buf);
	return rc;
}

static ssize_t read_page(const struct core *c, uint64_t at, void *page)
{
	if (c->what->target)
		return target_read(c->what->target, at, page, PAGE);
	return pread(c->mem, page, PAGE, (off_t)at);
}

static int put_page(const struct core *c, uint64_t from, uint64_t at)
{
	static const char zeros[PAGE];
	char page[PAGE];

	if (read_page(c, from, page) != PAGE || memcmp(page, zeros, PAGE) == 0)
		return 0; /* a hole reads as zeros */
	return put(c->fd, page, PAGE, at);
}

static int put_segment(const struct core *c, const struct segment *s, uint64_t at)
{
	uint64_t entries[512];
	int rc = 0;

	for (uint64_t done = 0; done < s->dumped && rc == 0; done += sizeof(entries) / 8 * PAGE) {
		const uint64_t n = MIN(ARRAY_SIZE(entries), (s->dumped - done) / PAGE);
		const off_t where = (off_t)((s->from + done) / PAGE * 8);

		memset(entries, 0xff, sizeof(entries)); /* not told: all are there */
		if (c->pagemap >= 0 && !s->is_file &&
		    pread(c->pagemap, entries, n * 8, where) != (ssize_t)(n * 8))
			memset(entries, 0xff, sizeof(entries));
		for (uint64_t i = 0; i < n && rc == 0; i++)
			if (entries[i] & PAGEMAP_HAS)
				rc = put_page(c, s->from + done + i * PAGE, at + done + i * PAGE);
	}
	return rc;
}

static int put_all(struct core *c)
{
	const uint64_t notes_at = sizeof(Elf64_Ehdr) + (1 + c->nsegs) * sizeof(Elf64_Phdr);
	const uint64_t data_at = ROUND_UP(notes_at + c->notes.len, PAGE);
	uint64_t at = data_at;
	int rc = put_headers(c, notes_at, data_at);

	if (rc == 0)
		rc = put(c->fd, c->notes.s, c->notes.len, notes_at);
	for (size_t i = 0; i < c->nsegs && rc == 0; i++) {
		rc = put_segment(c, &c->segs[i], at);
		at += c->segs[i].dumped;
	}
	if (rc == 0 && ftruncate(c->fd, (off_t)at) < 0)
		rc = -errno;
	return rc;
}

static int open_core(pid_t pid, char name[static COREFILE_NAME])
{
	int fd;

	for (int n = 1; n < MAX_CORES; n++) {
		snprintf(name, COREFILE_NAME, "core.%d.%d", (int)pid, n);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

static int open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void core_release(struct core *c)
{
	const int fds[] = {c->fd, c->mem, c->pagemap};

	for (unsigned i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(c->segs);
	strbuf_release(&c->notes);
}

int corefile_write(const struct corefile *cf, char name[static COREFILE_NAME], struct err *err)
{
	struct core c = {.what = cf, .fd = -1, .mem = -1};
	int rc;

	strbuf_init(&c.notes);
	c.pagemap = open_proc(cf->pid, "pagemap");
	c.mem = cf->target ? -1 : open_proc(cf->pid, "mem");
	rc = read_mappings(&c, err);
	if (rc == 0 && !cf->target && c.mem < 0)
		rc = err_set(err, -errno, "the memory of process %d: %s", (int)cf->pid,
			     strerror(errno));
	if (rc == 0) {
		add_status(&c);
		add_info(&c);
		add_auxv(&c);
		add_files(&c);
		rc = c.fd = open_core(cf->pid, name);
		if (rc >= 0)
			rc = put_all(&c);
		if (rc < 0) {
			err_set(err, rc, "%s: %s", name, strerror(-rc));
			if (c.fd >= 0)
				unlink(name);
		}
	}
	core_release(&c);
	return MIN(rc, 0);
}
