#include "inject/x86/planfile.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#include "base/cache/cachefile.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "symbols/notes.h"

#define MAX_FILE   (256 << 20)
#define MAX_FOLDER (512 << 20)
#define ID_MAX	   32 /* bytes of a build-id */
#define RECENT_NS  2000000000LL

enum { NBITMAPS = 5 };

struct header {
	uint8_t tool[ID_MAX]; /* the build-id of what has written it */
	uint64_t dev, ino, size;
	int64_t mtime_ns, ctime_ns;
	uint64_t funcs;	 /* a hash of them */
	taddr_t lo, hi;	 /* as in struct codescan */
	uint64_t nplans; /* bytes of them */
	uint32_t nfuncs, ncalls;
	uint64_t hash; /* of all that follows */
};

struct kept_plan {
	uint32_t func;
	uint16_t nwindows;
	uint8_t kinds, keeps_flags_and_redzone;
};

enum { HAS_ISLAND = 1, IS_HOSTED = 2, IS_SHORT = 4 };

struct kept_window {
	int32_t off, host;
	uint32_t island; /* from codescan.lo on */
	uint32_t bytes;	 /* a hash of what the file has there */
	uint8_t size, flags, nislands, nstops;
};

enum { STOP_IS_EXIT = 1, STOP_IS_OFFSET = 2, STOP_LEADS_TO_RET = 4 };

struct kept_stop {
	int32_t ret;
	uint8_t off, flags, unused[2];
};

struct planfile {
	struct objfile *o;
	struct header now; /* whose it is, before any of its code was read */
	bool is_recent;	   /* it had been changed a moment before */
	uint8_t *data;	   /* the file of the cache; NULL: there is none of it as it is now */
	const struct header *head;
	const uint8_t *plans;	      /* in it */
	uint32_t *at[PLANFILE_KINDS]; /* where the plan of a function is among them, + 1; 0: none */
	unsigned n;
};

/* ---- whose it is ---- */

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * 1000000000LL + t->tv_nsec;
}

static uint64_t hash_funcs(const struct objfile *o)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < o->nfuncs; i++) {
		const struct func *f = &o->funcs[i];
		const uint64_t v[] = {hash, f->addr, f->size, hash_bytes(f->name, strlen(f->name)),
				      f->is_ifunc | f->is_cfi << 1 | f->is_local << 2 |
					      f->is_part << 3 | f->no_glob << 4};

		hash = hash_bytes(v, sizeof(v));
	}
	return hash;
}

/* All that must be the same. False: nothing can be kept of it. */
static bool identify(struct header *h, const struct objfile *o)
{
	struct stat st;

	*h = (struct header){0};
	if (!o->buildid_len || !o->nfuncs || !own_build_id(h->tool, sizeof(h->tool)) ||
	    fstat(objfile_fd(o), &st) < 0)
		return false;
	h->dev = st.st_dev;
	h->ino = st.st_ino;
	h->size = (uint64_t)st.st_size;
	h->mtime_ns = ns_of(&st.st_mtim);
	h->ctime_ns = ns_of(&st.st_ctim);
	h->funcs = hash_funcs(o);
	h->nfuncs = o->nfuncs;
	codescan_bounds(o, &h->lo, &h->hi);
	return true;
}

/* Several files may have the same build-id: one in each of several containers. */
static void name_of(const struct header *h, const struct objfile *o, char *buf, size_t size)
{
	const uint64_t where[] = {h->dev, h->ino};
	size_t n = (size_t)snprintf(buf, size, "plans-");

	for (unsigned i = 0; i < o->buildid_len; i++)
		n += (size_t)snprintf(buf + n, size - n, "%02x", o->buildid[i]);
	snprintf(buf + n, size - n, "-%08x", (uint32_t)hash_bytes(where, sizeof(where)));
}

/* ---- reading ---- */

static size_t bitmap_size(const struct header *h)
{
	return ROUND_UP((h->hi - h->lo) / 8 + 1, 8);
}

static size_t size_of_scan(const struct header *h)
{
	return h->nfuncs * sizeof(struct scanned) + NBITMAPS * bitmap_size(h) +
	       ROUND_UP(h->ncalls * sizeof(struct codecall), 8);
}

static bool is_whole(const struct header *h, size_t n)
{
	size_t size = sizeof(*h) + size_of_scan(h);

	return h->nplans <= MAX_FILE && n == size + h->nplans &&
	       hash_bytes(h + 1, n - sizeof(*h)) == h->hash;
}

static bool is_of(const struct header *h, const struct header *now)
{
	struct header same = *now;

	same.ncalls = h->ncalls;
	same.nplans = h->nplans;
	same.hash = h->hash;
	return !memcmp(h, &same, sizeof(same));
}

/* The plan that is kept there, in so many bytes; 0: what stands there is none. */
static size_t size_of_plan(const struct planfile *f, size_t at, struct kept_plan *p)
{
	size_t end = at + sizeof(*p);

	if (end > f->head->nplans)
		return 0;
	memcpy(p, f->plans + at, sizeof(*p));
	for (unsigned i = 0; i < p->nwindows; i++) {
		struct kept_window w;

		if (end + sizeof(w) > f->head->nplans)
			return 0;
		memcpy(&w, f->plans + end, sizeof(w));
		end += sizeof(w) + w.nstops * sizeof(struct kept_stop);
		if (end > f->head->nplans || w.nstops > RELOC_STOPS || w.size > RELOC_WINDOW_MAX)
			return 0;
	}
	return end - at;
}

static bool find_plans(struct planfile *f)
{
	struct kept_plan p;
	size_t at = 0, n;

	for (unsigned k = 0; k < PLANFILE_KINDS; k++)
		f->at[k] = xcalloc(f->head->nfuncs, sizeof(*f->at[k]));
	for (; at < f->head->nplans; at += n) {
		n = size_of_plan(f, at, &p);
		if (!n || p.func >= f->head->nfuncs || !p.kinds || p.kinds > PLANFILE_KINDS)
			return false;
		f->at[p.kinds - 1][p.func] = (uint32_t)at + 1;
		f->n++;
	}
	return true;
}

/* A change within one tick of the file system's clock may not be seen by the file's times. */
static bool is_recent(const struct header *h)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return ns_of(&now) - MAX(h->mtime_ns, h->ctime_ns) < RECENT_NS;
}

static void forget(struct planfile *f)
{
	for (unsigned k = 0; k < PLANFILE_KINDS; k++) {
		free(f->at[k]);
		f->at[k] = NULL;
	}
	free(f->data);
	f->data = NULL;
	f->n = 0;
}

static void read_kept(struct planfile *f, int folder)
{
	char name[128];
	size_t n;

	name_of(&f->now, f->o, name, sizeof(name));
	f->data = cachefile_read(folder, name, MAX_FILE, &n);
	f->head = (const struct header *)f->data;
	if (!f->data || n < sizeof(*f->head) || !is_of(f->head, &f->now) || !is_whole(f->head, n)) {
		forget(f);
		return;
	}
	f->plans = f->data + sizeof(*f->head) + size_of_scan(f->head);
	if (!find_plans(f))
		forget(f);
}

struct planfile *planfile_open(int folder, struct objfile *o)
{
	struct planfile *f;
	struct header now;

	if (!identify(&now, o))
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->o = o;
	f->now = now;
	f->is_recent = is_recent(&now);
	if (folder >= 0)
		read_kept(f, folder);
	return f;
}

void planfile_close(struct planfile *f)
{
	if (!f)
		return;
	forget(f);
	free(f);
}

unsigned planfile_nplans(const struct planfile *f)
{
	return f->n;
}

static struct codescan *scan_at(const struct planfile *f, uint8_t *at)
{
	struct codescan *c = xcalloc(1, sizeof(*c));
	uint8_t **bitmaps[NBITMAPS] = {&c->targets, &c->called, &c->jumped, &c->foreign,
				       &c->flagged};

	c->o = f->o;
	c->lo = f->head->lo;
	c->hi = f->head->hi;
	c->is_copy = true;
	c->funcs = (struct scanned *)at;
	at += f->head->nfuncs * sizeof(struct scanned);
	for (unsigned i = 0; i < NBITMAPS; i++, at += bitmap_size(f->head))
		*bitmaps[i] = at;
	c->calls = (struct codecall *)at;
	c->ncalls = c->calls_room = f->head->ncalls;
	c->taken = xcalloc(1, bitmap_size(f->head));
	return c;
}

struct codescan *planfile_scan(const struct planfile *f)
{
	return f->data ? scan_at(f, f->data + sizeof(*f->head)) : NULL;
}

static void take_stop(struct reloc_stop *s, const uint8_t *from)
{
	struct kept_stop k;

	memcpy(&k, from, sizeof(k));
	*s = (struct reloc_stop){.off = k.off,
				 .is_exit = k.flags & STOP_IS_EXIT,
				 .is_offset = k.flags & STOP_IS_OFFSET,
				 .leads_to_ret = k.flags & STOP_LEADS_TO_RET,
				 .ret = k.ret};
}

/* Returns the bytes that it takes; 0: the file has other bytes in the window. */
static size_t take_window(const struct planfile *f, taddr_t function, struct window *w,
			  const uint8_t *from)
{
	struct kept_window k;

	memcpy(&k, from, sizeof(k));
	*w = (struct window){.off = k.off,
			     .size = k.size,
			     .island = k.flags & HAS_ISLAND ? f->head->lo + k.island : 0,
			     .is_hosted = k.flags & IS_HOSTED,
			     .host = k.host,
			     .nislands = k.nislands,
			     .is_short = k.flags & IS_SHORT,
			     .nstops = k.nstops};
	for (unsigned i = 0; i < k.nstops; i++)
		take_stop(&w->stops[i], from + sizeof(k) + i * sizeof(struct kept_stop));
	if (objfile_bytes(f->o, function + (taddr_t)w->off, w->bytes, w->size) != w->size ||
	    (uint32_t)hash_bytes(w->bytes, w->size) != k.bytes)
		return 0;
	return sizeof(k) + k.nstops * sizeof(struct kept_stop);
}

bool planfile_plan(const struct planfile *f, unsigned i, unsigned kinds, struct plan *p)
{
	uint32_t at = kinds && f->data ? f->at[kinds - 1][i] : 0;
	struct kept_plan k;
	const uint8_t *from;

	if (!at)
		return false;
	from = f->plans + at - 1;
	memcpy(&k, from, sizeof(k));
	from += sizeof(k);
	*p = (struct plan){.kinds = kinds,
			   .nwindows = k.nwindows,
			   .room = k.nwindows,
			   .keeps_flags_and_redzone = k.keeps_flags_and_redzone};
	p->windows = xcalloc(k.nwindows + 1U, sizeof(*p->windows));
	for (unsigned w = 0; w < k.nwindows; w++) {
		size_t n = take_window(f, f->o->funcs[i].addr, &p->windows[w], from);

		if (!n) {
			free(p->windows);
			return false;
		}
		from += n;
	}
	return true;
}

/* ---- writing ---- */

static void put_window(struct strbuf *to, taddr_t lo, const struct window *w)
{
	struct kept_window k = {.off = (int32_t)w->off,
				.host = (int32_t)w->host,
				.island = w->island ? (uint32_t)(w->island - lo) : 0,
				.bytes = (uint32_t)hash_bytes(w->bytes, w->size),
				.size = w->size,
				.nislands = w->nislands,
				.nstops = w->nstops};

	k.flags = (uint8_t)((w->island ? HAS_ISLAND : 0) | (w->is_hosted ? IS_HOSTED : 0) |
			    (w->is_short ? IS_SHORT : 0));
	strbuf_add(to, &k, sizeof(k));
	for (unsigned i = 0; i < w->nstops; i++) {
		const struct reloc_stop *s = &w->stops[i];
		struct kept_stop stop = {.ret = s->ret, .off = s->off};

		stop.flags = (uint8_t)((s->is_exit ? STOP_IS_EXIT : 0) |
				       (s->is_offset ? STOP_IS_OFFSET : 0) |
				       (s->leads_to_ret ? STOP_LEADS_TO_RET : 0));
		strbuf_add(to, &stop, sizeof(stop));
	}
}

/* What has distances that there is no room for is left out. */
static bool fits(const struct codescan *c, const struct plan *p)
{
	for (unsigned i = 0; i < p->nwindows; i++) {
		const struct window *w = &p->windows[i];

		if (w->off != (int32_t)w->off || w->host != (int32_t)w->host ||
		    (w->island && w->island - c->lo > UINT32_MAX))
			return false;
	}
	return p->nwindows <= UINT16_MAX;
}

static void put_plan(struct strbuf *to, const struct codescan *c, unsigned i, const struct plan *p)
{
	const struct kept_plan k = {.func = i,
				    .nwindows = (uint16_t)p->nwindows,
				    .kinds = (uint8_t)p->kinds,
				    .keeps_flags_and_redzone = p->keeps_flags_and_redzone};

	if (!fits(c, p))
		return;
	strbuf_add(to, &k, sizeof(k));
	for (unsigned w = 0; w < p->nwindows; w++)
		put_window(to, c->lo, &p->windows[w]);
}

static void put_plans(struct strbuf *to, const struct planfile *f, const struct codescan *c,
		      struct plan **const made[PLANFILE_KINDS])
{
	if (f->data)
		strbuf_add(to, f->plans, f->head->nplans);
	for (unsigned kind = 0; kind < PLANFILE_KINDS; kind++)
		for (unsigned i = 0; made[kind] && i < c->o->nfuncs; i++)
			if (made[kind][i] && !(f->data && f->at[kind][i]))
				put_plan(to, c, i, made[kind][i]);
}

/* Its parts as they follow each other in the file. */
static void put_scan(struct strbuf *to, const struct codescan *c, const struct header *h)
{
	const uint8_t *bitmaps[NBITMAPS] = {c->targets, c->called, c->jumped, c->foreign,
					    c->flagged};
	static const uint8_t zeros[8];
	size_t n = (c->hi - c->lo) / 8 + 1;

	strbuf_add(to, c->funcs, h->nfuncs * sizeof(*c->funcs));
	for (unsigned i = 0; i < NBITMAPS; i++) {
		strbuf_add(to, bitmaps[i], n);
		strbuf_add(to, zeros, bitmap_size(h) - n);
	}
	n = h->ncalls * sizeof(*c->calls);
	strbuf_add(to, c->calls, n);
	strbuf_add(to, zeros, ROUND_UP(n, 8) - n);
}

int planfile_write(const struct planfile *f, int folder, const struct codescan *c,
		   struct plan **const made[PLANFILE_KINDS])
{
	struct header h = f->now;
	struct iovec parts[2];
	struct strbuf body;
	char name[128];
	int r;

	if (f->is_recent)
		return 0;
	strbuf_init(&body);
	h.ncalls = c->ncalls;
	put_scan(&body, c, &h);
	h.nplans = body.len;
	put_plans(&body, f, c, made);
	h.nplans = body.len - h.nplans;
	h.hash = hash_bytes(body.s, body.len);
	parts[0] = (struct iovec){&h, sizeof(h)};
	parts[1] = (struct iovec){body.s, body.len};
	name_of(&h, f->o, name, sizeof(name));
	r = body.len + sizeof(h) > MAX_FILE ? 0 : cachefile_write(folder, name, parts, 2);
	strbuf_release(&body);
	cachefile_bound(folder, MAX_FOLDER);
	return r;
}
