#include "command/report/pftrace.h"

#include "base/protobuf.h"

/* ---- packets ---- */

enum { SEQUENCE = 1, STATE_CLEARED = 1 };
enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3, CLOCK_ID_BOOTTIME = 6 };
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_FLAGS = 13,
	PACKET_CLOCK = 58,
	PACKET_TRACK = 60,
};

/* A packet that is written, and a message in it. */
struct writing {
	struct strbuf packet, part, inner;
};

static void begin(struct writing *w)
{
	strbuf_init(&w->packet);
	strbuf_init(&w->part);
	strbuf_init(&w->inner);
}

static void end(struct writing *w, struct strbuf *out, unsigned field)
{
	protobuf_add_message(&w->packet, field, &w->part);
	protobuf_add_message(out, TRACE_PACKET, &w->packet);
	strbuf_release(&w->packet);
	strbuf_release(&w->part);
	strbuf_release(&w->inner);
}

static void begin_track(struct writing *w, uint64_t uuid, uint64_t parent, bool is_first)
{
	begin(w);
	protobuf_add_present(&w->packet, PACKET_SEQUENCE, SEQUENCE);
	if (is_first)
		protobuf_add_present(&w->packet, PACKET_FLAGS, STATE_CLEARED);
	protobuf_add_present(&w->part, 1, uuid);
	if (parent)
		protobuf_add_present(&w->part, 5, parent);
}

static void begin_event(struct writing *w, uint64_t time_ns, unsigned type, uint64_t uuid)
{
	begin(w);
	protobuf_add_present(&w->packet, PACKET_TIME, time_ns);
	protobuf_add_present(&w->packet, PACKET_SEQUENCE, SEQUENCE);
	protobuf_add_present(&w->packet, PACKET_CLOCK, CLOCK_ID_MONOTONIC);
	protobuf_add_present(&w->part, 9, type);
	protobuf_add_present(&w->part, 11, uuid);
}

/* ---- clocks ---- */

static void add_clock(struct writing *w, unsigned id, uint64_t ns)
{
	protobuf_add_present(&w->inner, 1, id);
	protobuf_add_present(&w->inner, 2, ns);
	protobuf_add_message(&w->part, 1, &w->inner);
}

void pft_clocks(struct strbuf *out, uint64_t realtime_ns, uint64_t monotonic_ns,
		uint64_t boottime_ns)
{
	struct writing w;

	begin(&w);
	protobuf_add_present(&w.packet, PACKET_SEQUENCE, SEQUENCE);
	add_clock(&w, CLOCK_ID_REALTIME, realtime_ns);
	add_clock(&w, CLOCK_ID_MONOTONIC, monotonic_ns);
	add_clock(&w, CLOCK_ID_BOOTTIME, boottime_ns);
	protobuf_add_present(&w.part, 2, CLOCK_ID_MONOTONIC);
	end(&w, out, PACKET_CLOCKS);
}

/* ---- tracks ---- */

void pft_process(struct strbuf *out, uint64_t uuid, uint32_t pid, const char *name, bool is_first)
{
	struct writing w;

	begin_track(&w, uuid, 0, is_first);
	protobuf_add_present(&w.inner, 1, pid);
	if (*name)
		protobuf_add_text(&w.inner, 6, name);
	protobuf_add_message(&w.part, 3, &w.inner);
	end(&w, out, PACKET_TRACK);
}

void pft_thread(struct strbuf *out, uint64_t uuid, uint64_t parent, uint32_t pid, uint32_t tid,
		const char *name)
{
	struct writing w;

	begin_track(&w, uuid, parent, false);
	protobuf_add_present(&w.inner, 1, pid);
	protobuf_add_present(&w.inner, 2, tid);
	if (*name)
		protobuf_add_text(&w.inner, 5, name);
	protobuf_add_message(&w.part, 4, &w.inner);
	end(&w, out, PACKET_TRACK);
}

void pft_track(struct strbuf *out, uint64_t uuid, uint64_t parent, const char *name, bool is_first)
{
	struct writing w;

	begin_track(&w, uuid, parent, is_first);
	protobuf_add_text(&w.part, 2, name);
	end(&w, out, PACKET_TRACK);
}

void pft_counter(struct strbuf *out, uint64_t uuid, uint64_t parent, const char *name, int unit,
		 const char *unit_name)
{
	struct writing w;

	begin_track(&w, uuid, parent, false);
	protobuf_add_text(&w.part, 2, name);
	if (unit)
		protobuf_add_present(&w.inner, 3, (uint64_t)unit);
	else if (unit_name)
		protobuf_add_text(&w.inner, 6, unit_name);
	protobuf_add_message(&w.part, 8, &w.inner);
	end(&w, out, PACKET_TRACK);
}

/* ---- events ---- */

static void add_arg(struct writing *w, const struct tl_arg *arg)
{
	protobuf_add_text(&w->inner, 10, arg->name);
	if (arg->text)
		protobuf_add_text(&w->inner, 6, arg->text);
	else
		protobuf_add_present(&w->inner, 4, (uint64_t)arg->number);
	protobuf_add_message(&w->part, 4, &w->inner);
}

void pft_event(struct strbuf *out, uint64_t uuid, const struct tl_event *e)
{
	struct writing w;

	begin_event(&w, e->time_ns, e->kind, uuid);
	if (e->category)
		protobuf_add_text(&w.part, 22, e->category);
	if (e->name)
		protobuf_add_text(&w.part, 23, e->name);
	for (unsigned i = 0; i < e->nargs; i++)
		add_arg(&w, &e->args[i]);
	end(&w, out, PACKET_EVENT);
}

void pft_value(struct strbuf *out, uint64_t uuid, uint64_t time_ns, int64_t value)
{
	struct writing w;

	begin_event(&w, time_ns, 4, uuid);
	protobuf_add_present(&w.part, 30, (uint64_t)value);
	end(&w, out, PACKET_EVENT);
}
