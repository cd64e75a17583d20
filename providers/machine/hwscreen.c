/* hwscreen.c: graphics cards, and the screens that are connected to them. */
#include "providers/machine/hwconfig.h"

#include "base/procfile.h"

#define DRM "/sys/class/drm"

struct reading {
	hw_fn *fn;
	void *arg;
};

/* "card0"; its connectors are called "card0-DP-1". */
static bool is_card(const char *name)
{
	return strncmp(name, "card", 4) == 0 && !strchr(name, '-');
}

static void read_card(void *arg, const char *name)
{
	const struct reading *rd = arg;
	struct hw_video r = {.missing = ""};

	if (!is_card(name))
		return;
	snprintf(r.name, sizeof(r.name), "%.31s", name);
	r.vendor = (int)hw_number(r.missing, "vendor", 16, DRM "/%s/device/vendor", name);
	r.device = (int)hw_number(r.missing, "device", 16, DRM "/%s/device/device", name);
	r.is_first = (int)hw_number(r.missing, "is_first", 10, DRM "/%s/device/boot_vga", name);
	hw_link(r.missing, "driver", r.driver, sizeof(r.driver), DRM "/%s/device/driver", name);
	hw_link(r.missing, "bus", r.bus, sizeof(r.bus), DRM "/%s/device", name);
	rd->fn(rd->arg, &r, sizeof(r));
}

void hw_read_videos(hw_fn *fn, void *arg)
{
	struct reading rd = {fn, arg};

	hw_each(DRM, read_card, &rd);
}

/*
 * What a screen says of itself, VESA E-EDID 1.4: the maker at 8 (three letters of five bits), at
 * 54 four descriptors of 18 bytes; the first is that of its best mode, with the size of the picture
 * in pixels and mm; one that begins with 0 0 0 0xfc is its name.
 */
enum { EDID_SIZE = 128, EDID_MAKER = 8, EDID_FIRST = 54, EDID_ONE = 18, EDID_NAME = 0xfc };

static unsigned both(const unsigned char *d, unsigned low, unsigned high, unsigned shift)
{
	return d[low] | (d[high] >> shift & 15U) << 8;
}

static void read_maker(struct hw_screen *r, const unsigned char *edid)
{
	unsigned v = (unsigned)edid[EDID_MAKER] << 8 | edid[EDID_MAKER + 1];

	for (unsigned i = 0; i < 3; i++)
		r->vendor[i] = (char)('@' + (v >> (10 - 5 * i) & 31));
}

static void read_name(struct hw_screen *r, const char *text)
{
	const char *end = memchr(text, '\n', 13);

	snprintf(r->model, sizeof(r->model), "%.*s", end ? (int)(end - text) : 13, text);
}

static void read_descriptors(struct hw_screen *r, const unsigned char *edid)
{
	const unsigned char *d = edid + EDID_FIRST;

	if (d[0] || d[1]) {
		r->width = (int)both(d, 2, 4, 4);
		r->height = (int)both(d, 5, 7, 4);
		r->width_mm = (int)both(d, 12, 14, 4);
		r->height_mm = (int)both(d, 13, 14, 0);
	}
	for (; d + EDID_ONE < edid + EDID_SIZE; d += EDID_ONE)
		if (!d[0] && !d[1] && !d[2] && d[3] == EDID_NAME)
			read_name(r, (const char *)d + 5);
}

static bool read_edid(struct hw_screen *r, const char *name)
{
	static const unsigned char begins[8] = {0, 255, 255, 255, 255, 255, 255, 0};
	unsigned char edid[EDID_SIZE + 1] = {0};
	char path[512];

	snprintf(path, sizeof(path), DRM "/%s/edid", name);
	if (slurp_start(path, (char *)edid, sizeof(edid)) < EDID_SIZE ||
	    memcmp(edid, begins, sizeof(begins)) != 0)
		return false;
	read_maker(r, edid);
	read_descriptors(r, edid);
	return true;
}

static void read_screen(void *arg, const char *name)
{
	const struct reading *rd = arg;
	struct hw_screen r = {.missing = ""};
	char none[128] = "", text[32];

	if (is_card(name) ||
	    !hw_text(r.missing, "name", text, sizeof(text), DRM "/%s/status", name) ||
	    strcmp(text, "connected") != 0)
		return;
	snprintf(r.name, sizeof(r.name), "%.63s", name);
	if (!read_edid(&r, name))
		hw_missing(r.missing, "vendor");
	if (!r.model[0])
		hw_missing(r.missing, "model");
	if (!r.width && (!hw_text(none, "", text, sizeof(text), DRM "/%s/modes", name) ||
			 sscanf(text, "%dx%d", &r.width, &r.height) != 2)) {
		r.width = r.height = 0;
		hw_missing(r.missing, "width height");
	}
	if (r.width_mm > 0 && r.width > 0)
		r.dpi = (int)(r.width * 25.4 / r.width_mm + 0.5);
	else
		hw_missing(r.missing, "width_mm height_mm dpi");
	rd->fn(rd->arg, &r, sizeof(r));
}

void hw_read_screens(hw_fn *fn, void *arg)
{
	struct reading rd = {fn, arg};

	hw_each(DRM, read_screen, &rd);
}
