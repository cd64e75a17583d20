/*
 * writehead.c: what stands before the records (the head, the attributes of events and their ids)
 * and behind them (the features: what the file says of the machine and the run).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/pulse.h"
#include "base/regfile.h"
#include "providers/perfdata/perfdata.h"
#include "providers/perfwrite/perfwrite_priv.h"
#include "symbols/notes.h"
#include "symbols/symbols.h"

/* ---- the head ---- */

struct section {
	uint64_t offset, size;
};

struct head {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, types;
	uint64_t features[4];
};

/* Of an event: its attributes, then where its ids are. */
static size_t entry_size(const struct perfwrite *w)
{
	return w->attr_size + sizeof(struct section);
}

static struct head make_head(uint64_t attrs, const struct perfwrite *w, uint64_t data_size)
{
	return (struct head){
		.magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'},
		.size = sizeof(struct head),
		.attr_size = entry_size(w),
		.attrs = {attrs, w->nevents * entry_size(w)},
		.data = {w->data, data_size},
	};
}

/* The ids, then the attributes, as they stand at `at` of the file. Returns where the latter are. */
static uint64_t add_attrs(const struct perfwrite *w, struct strbuf *b, uint64_t at)
{
	uint64_t ids_at = at, attrs_at;

	for (unsigned i = 0; i < w->nevents; i++)
		strbuf_add(b, w->events[i].ids, w->events[i].nids * sizeof(uint64_t));
	attrs_at = at + b->len;
	for (unsigned i = 0; i < w->nevents; i++) {
		const struct section ids = {ids_at, w->events[i].nids * sizeof(uint64_t)};

		strbuf_add(b, w->events[i].attr, w->attr_size);
		strbuf_add(b, &ids, sizeof(ids));
		ids_at += ids.size;
	}
	return attrs_at;
}

int write_head(struct perfwrite *w)
{
	struct strbuf b;
	struct head h;
	uint64_t attrs;
	int rc;

	strbuf_init(&b);
	attrs = add_attrs(w, &b, sizeof(h));
	w->data = sizeof(h) + b.len;
	h = make_head(attrs, w, 0); /* a file without an end is read as far as it goes */
	rc = write_at(w, &h, sizeof(h), 0);
	if (rc == 0)
		rc = write_at(w, b.s, b.len, sizeof(h));
	strbuf_release(&b);
	return rc;
}

/* ---- features ---- */

static void add_u32(struct strbuf *b, uint32_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void add_u64(struct strbuf *b, uint64_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void add_zeros(struct strbuf *b, size_t n)
{
	while (n--)
		strbuf_addc(b, 0);
}

#define TEXT_ALIGN 64

/* Its length with what fills it up, then itself. */
static void add_text(struct strbuf *b, const char *s)
{
	const size_t n = strlen(s) + 1, padded = (n + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;

	add_u32(b, (uint32_t)padded);
	strbuf_add(b, s, n);
	add_zeros(b, padded - n);
}

static void add_hostname(struct perfwrite *w UNUSED, struct strbuf *b)
{
	struct utsname u;

	uname(&u);
	add_text(b, u.nodename);
}

static void add_release(struct perfwrite *w UNUSED, struct strbuf *b)
{
	struct utsname u;

	uname(&u);
	add_text(b, u.release);
}

static void add_arch(struct perfwrite *w UNUSED, struct strbuf *b)
{
	struct utsname u;

	uname(&u);
	add_text(b, u.machine);
}

static void add_ncpus(struct perfwrite *w UNUSED, struct strbuf *b)
{
	add_u32(b, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	add_u32(b, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static void add_cpu_name(struct perfwrite *w UNUSED, struct strbuf *b)
{
	char text[CPUINFO_TEXT], name[256] = "";
	const char *at;

	if (slurp_start(CPUINFO_FILE, text, sizeof(text)) > 0 &&
	    (at = cpuinfo_value(text, "model name")))
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "\n"), at);
	if (name[0])
		add_text(b, name);
}

static void add_memory(struct perfwrite *w UNUSED, struct strbuf *b)
{
	const uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);

	add_u64(b, pages * ((uint64_t)sysconf(_SC_PAGESIZE) / 1024));
}

static void add_command(struct perfwrite *w, struct strbuf *b)
{
	struct strbuf words;
	uint32_t n = 0;

	strbuf_init(&words);
	if (procfile_slurp(w->self, "cmdline", &words) == 0) {
		for (size_t i = 0; i < words.len; i++)
			n += !words.s[i];
		add_u32(b, n);
		for (size_t i = 0; n--; i += strlen(words.s + i) + 1)
			add_text(b, words.s + i);
	}
	strbuf_release(&words);
}

void write_add_events(struct perfwrite *w, struct strbuf *b)
{
	add_u32(b, w->nevents);
	add_u32(b, (uint32_t)w->attr_size);
	for (unsigned i = 0; i < w->nevents; i++) {
		const struct write_event *e = &w->events[i];

		strbuf_add(b, e->attr, w->attr_size);
		add_u32(b, e->nids);
		add_text(b, e->name);
		strbuf_add(b, e->ids, e->nids * sizeof(*e->ids));
	}
}

void write_add_times(struct perfwrite *w, struct strbuf *b)
{
	if (!w->first_ns)
		return;
	add_u64(b, w->first_ns);
	add_u64(b, w->last_ns);
}

static void add_clock(struct perfwrite *w UNUSED, struct strbuf *b)
{
	struct timespec step;

	clock_getres(PERFWRITE_CLOCK, &step);
	add_u64(b, (uint64_t)step.tv_sec * 1000000000U + (uint64_t)step.tv_nsec);
}

static void add_clock_data(struct perfwrite *w, struct strbuf *b)
{
	add_u32(b, 1); /* version */
	add_u32(b, PERFWRITE_CLOCK);
	add_u64(b, w->pair.wall_ns);
	add_u64(b, w->pair.clock_ns);
}

/* How it has been compressed: a version, by what, and how much a record unpacks to. */
static void add_compressed(struct perfwrite *w, struct strbuf *b)
{
	if (!w->zip)
		return;
	add_u32(b, 0);
	add_u32(b, 1); /* Zstandard */
	add_u32(b, (uint32_t)w->zip_level);
	add_u32(b, write_zip_ratio(w));
	add_u32(b, WRITE_ZIP_SIZE);
}

/* ---- builds ---- */

#define BUILD_ID_HAS_SIZE 0x8000 /* PERF_RECORD_MISC_BUILD_ID_SIZE */

void write_add_build_id(struct strbuf *b, uint16_t mode, const char *name, const unsigned char *id,
			size_t n)
{
	const size_t len = strlen(name) + 1,
		     padded = (len + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;
	struct {
		struct perf_event_header h;
		int32_t pid;
		uint8_t id[PERFDATA_BUILD_ID_MAX], size, pad[3];
	} r = {.pid = -1, .size = (uint8_t)n};

	if (!n || n > sizeof(r.id) || sizeof(r) + padded > UINT16_MAX)
		return;
	r.h = (struct perf_event_header){0, mode | BUILD_ID_HAS_SIZE,
					 (uint16_t)(sizeof(r) + padded)};
	memcpy(r.id, id, n);
	strbuf_add(b, &r, sizeof(r));
	strbuf_add(b, name, len);
	add_zeros(b, padded - len);
}

/* The file that has been mapped, if it is still the one of that name. */
static void add_image(struct strbuf *b, const struct write_image *i)
{
	int fd = i->ino ? regfile_open(FILEROOT_OURS, i->path, REGFILE_FOLLOW) : -1;
	struct objfile *o;
	struct err err;
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) < 0 || st.st_ino != i->ino) {
		close(fd);
		return;
	}
	if (objfile_open_headers(fd, i->path, &o, &err) < 0)
		return;
	write_add_build_id(b, PERF_RECORD_MISC_USER, i->path, o->buildid, o->buildid_len);
	objfile_close(o);
}

static void add_builds(struct perfwrite *w, struct strbuf *b)
{
	unsigned char id[PERFDATA_BUILD_ID_MAX];

	write_add_build_id(b, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]", id,
			   kernel_build_id(id, sizeof(id)));
	for (const struct write_image *i = w->images; i; i = i->next) {
		pulse();
		add_image(b, i);
	}
}

/* ---- formats of tracepoints: trace-cmd.dat(5), version 6 ---- */

static const char *text_of(const struct perfwrite *w, const char *name)
{
	/* what tracefs says of its own buffers, of which perf has none, but asks for */
	static const struct {
		const char *name, *text;
	} usual[] = {
		{"header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"},
		{"header_event", "# compressed entry header\n"},
	};
	const char *text = strmap_get(&w->texts, name);

	for (unsigned i = 0; !text && i < ARRAY_SIZE(usual); i++)
		if (strcmp(usual[i].name, name) == 0)
			text = usual[i].text;
	return text ? text : "";
}

static void add_page(const struct perfwrite *w, struct strbuf *b, const char *name)
{
	const char *text = text_of(w, name);

	strbuf_add(b, name, strlen(name) + 1);
	add_u64(b, strlen(text));
	strbuf_adds(b, text);
}

static bool is_first(const struct perfwrite *w, const struct write_format *f)
{
	const struct write_format *g = w->formats;

	while (strcmp(g->system, f->system) != 0)
		g = g->next;
	return g == f;
}

static void add_system(struct strbuf *b, const struct write_format *first)
{
	uint32_t n = 0;

	for (const struct write_format *f = first; f; f = f->next)
		n += strcmp(f->system, first->system) == 0;
	strbuf_add(b, first->system, strlen(first->system) + 1);
	add_u32(b, n);
	for (const struct write_format *f = first; f; f = f->next) {
		if (strcmp(f->system, first->system) != 0)
			continue;
		add_u64(b, strlen(f->text));
		strbuf_adds(b, f->text);
	}
}

uint32_t write_add_systems(const struct perfwrite *w, struct strbuf *b)
{
	uint32_t n = 0;

	for (const struct write_format *f = w->formats; f; f = f->next)
		if (is_first(w, f)) {
			add_system(b, f);
			n++;
		}
	return n;
}

void write_add_formats(struct perfwrite *w, struct strbuf *b)
{
	static const char magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	static const char version[] = "0.6";
	const char *printk = text_of(w, "printk_formats");
	struct strbuf systems;

	if (!w->formats)
		return;
	strbuf_add(b, magic, sizeof(magic));
	strbuf_add(b, version, sizeof(version));
	strbuf_addc(b, 0); /* little-endian */
	strbuf_addc(b, sizeof(long));
	add_u32(b, (uint32_t)sysconf(_SC_PAGESIZE));
	add_page(w, b, "header_page");
	add_page(w, b, "header_event");
	add_u32(b, 0); /* records of the kernel's own tracers */
	strbuf_init(&systems);
	add_u32(b, write_add_systems(w, &systems));
	strbuf_add(b, systems.s, systems.len);
	strbuf_release(&systems);
	add_u32(b, 0); /* kallsyms */
	add_u32(b, (uint32_t)strlen(printk));
	strbuf_adds(b, printk);
	add_u64(b, 0); /* names of threads */
}

/* Who has recorded it: perf has its version there. */
static void add_writer(struct perfwrite *w UNUSED, struct strbuf *b)
{
	add_text(b, PERFDATA_OURS);
}

/* ---- the end ---- */

static const struct {
	enum perfdata_feature bit;
	void (*add)(struct perfwrite *, struct strbuf *);
} live_features[] = {
	{PERFDATA_F_TRACING_DATA, write_add_formats},
	{PERFDATA_F_BUILD_ID, add_builds},
	{PERFDATA_F_HOSTNAME, add_hostname},
	{PERFDATA_F_OSRELEASE, add_release},
	{PERFDATA_F_VERSION, add_writer},
	{PERFDATA_F_ARCH, add_arch},
	{PERFDATA_F_NRCPUS, add_ncpus},
	{PERFDATA_F_CPUDESC, add_cpu_name},
	{PERFDATA_F_TOTAL_MEM, add_memory},
	{PERFDATA_F_CMDLINE, add_command},
	{PERFDATA_F_EVENT_DESC, write_add_events},
	{PERFDATA_F_SAMPLE_TIME, write_add_times},
	{PERFDATA_F_CLOCKID, add_clock},
	{PERFDATA_F_COMPRESSED, add_compressed},
	{PERFDATA_F_CLOCK_DATA, add_clock_data},
};

void write_live_feature(struct perfwrite *w, unsigned bit, struct strbuf *b)
{
	for (unsigned i = 0; i < ARRAY_SIZE(live_features); i++)
		if (live_features[i].bit == bit)
			live_features[i].add(w, b);
}

/* The table first: its place follows from where the records end. What is empty is not there. */
static void add_features(struct perfwrite *w, struct strbuf *b, struct head *h)
{
	struct section table[PERFDATA_FEATURES];
	struct strbuf parts;
	uint64_t at;
	unsigned n = 0;

	strbuf_init(&parts);
	for (unsigned bit = 0; bit < PERFDATA_FEATURES; bit++) {
		const size_t begins = parts.len;

		w->add_feature(w, bit, &parts);
		if (parts.len == begins)
			continue;
		h->features[bit / 64] |= 1ULL << bit % 64;
		table[n++] = (struct section){begins, parts.len - begins};
	}
	at = w->at + n * sizeof(table[0]);
	for (unsigned i = 0; i < n; i++)
		table[i].offset += at;
	strbuf_add(b, table, n * sizeof(table[0]));
	strbuf_add(b, parts.s, parts.len);
	strbuf_release(&parts);
}

/* Events may have been added since the head was written: attributes and ids stand at the end. */
int write_tail(struct perfwrite *w, bool has_features)
{
	struct head h = make_head(0, w, w->at - w->data);
	struct strbuf b;
	int rc;

	strbuf_init(&b);
	if (has_features) {
		struct strbuf attrs;

		add_features(w, &b, &h);
		strbuf_init(&attrs);
		add_zeros(&b, -b.len & 7);
		h.attrs.offset = add_attrs(w, &attrs, w->at + b.len);
		strbuf_add(&b, attrs.s, attrs.len);
		strbuf_release(&attrs);
		rc = write_at(w, b.s, b.len, w->at);
		if (rc == 0)
			rc = write_at(w, &h, sizeof(h), 0);
	} else {
		rc = ftruncate(w->fd, (off_t)w->at) < 0 ? -errno : 0;
		/* the attributes are those of the beginning */
		if (rc == 0)
			rc = write_at(w, &h.data, sizeof(h.data), offsetof(struct head, data));
	}
	w->size = w->at + b.len;
	strbuf_release(&b);
	return rc;
}
