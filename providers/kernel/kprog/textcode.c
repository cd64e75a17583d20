#include "providers/kernel/kprog/textcode.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/base.h"

#define MIN_ROOM  16
#define MIN_TEXTS 64
#define MAX_TEXTS 65536

/* Odd, and as many ones as zeros: from the golden ratio and from the square root of 3. */
#define SEED_A UINT64_C(0x9e3779b97f4a7c15)
#define SEED_B UINT64_C(0xbb67ae8584caa73b)

unsigned textcode_room(uint64_t size)
{
	unsigned room = MIN_ROOM;

	while (room < size && room < TEXTCODE_MAX)
		room *= 2;
	return size <= TEXTCODE_MAX ? room : 0;
}

int text_maps_make(struct text_maps *m, unsigned nprograms, size_t size)
{
	uint32_t n;

	if (!m->room)
		return 0;
	n = (uint32_t)MAX(MIN(size / m->room, (size_t)MAX_TEXTS), (size_t)MIN_TEXTS);
	m->texts_fd =
		bpf_map_create(BPF_MAP_TYPE_HASH, "texts", TEXTCODE_WORDS * 8, m->room, n, NULL);
	if (m->texts_fd < 0)
		return -errno;
	m->rooms_fd =
		bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "rooms", 4, m->room, nprograms, NULL);
	return m->rooms_fd < 0 ? -errno : 0;
}

void text_maps_close(const struct text_maps *m)
{
	if (m->texts_fd >= 0)
		close(m->texts_fd);
	if (m->rooms_fd >= 0)
		close(m->rooms_fd);
}

/* Of the r0 bytes that were read to the room, the end among them: what is behind that in its word
 * becomes zeros. Where this word is, to r2, and the room to r1. */
static void clear_rest(struct emitter *e, unsigned room, const struct textcode *tc)
{
	emit_load64(e, BPF_REG_1, BPF_REG_10, tc->spare);
	emit_mov(e, BPF_REG_2, BPF_REG_0);
	emit_add_imm(e, BPF_REG_2, -1);
	emit_mov(e, BPF_REG_3, BPF_REG_2);
	emit_alu_imm(e, BPF_AND, BPF_REG_3, 7);
	emit_alu_imm(e, BPF_LSH, BPF_REG_3, 3);
	emit_mov_imm(e, BPF_REG_4, 1);
	emit_alu(e, BPF_LSH, BPF_REG_4, BPF_REG_3);
	emit_add_imm(e, BPF_REG_4, -1);
	emit_alu_imm(e, BPF_AND, BPF_REG_2, (int32_t)room - 8);
	emit_mov(e, BPF_REG_5, BPF_REG_1);
	emit_alu(e, BPF_ADD, BPF_REG_5, BPF_REG_2);
	emit_load64(e, BPF_REG_3, BPF_REG_5, 0);
	emit_alu(e, BPF_AND, BPF_REG_3, BPF_REG_4);
	emit_store64(e, BPF_REG_5, 0, BPF_REG_3);
}

/* A product passes on what differs to higher bits alone: they become the lower ones. By r3. */
static void turn(struct emitter *e, unsigned reg, int32_t by)
{
	emit_mov(e, BPF_REG_3, reg);
	emit_alu_imm(e, BPF_LSH, reg, by);
	emit_alu_imm(e, BPF_RSH, BPF_REG_3, 64 - by);
	emit_alu(e, BPF_OR, reg, BPF_REG_3);
}

/* The words to r0 and r4; of each in the room at r1 up to the one at r2. */
static void write_words(struct emitter *e, unsigned room, const struct textcode *tc)
{
	unsigned ends[TEXTCODE_MAX / 8], n = room / 8;

	emit_const(e, BPF_REG_0, 0, SEED_A);
	emit_const(e, BPF_REG_4, 0, SEED_B);
	emit_const(e, BPF_REG_5, 0, SEED_A);
	for (unsigned i = 0; i < n; i++) {
		ends[i] = emit_jump(e, BPF_JLT, BPF_REG_2, (int32_t)i * 8);
		emit_load64(e, BPF_REG_3, BPF_REG_1, (int)i * 8);
		emit_alu(e, BPF_XOR, BPF_REG_0, BPF_REG_3);
		emit_alu(e, BPF_MUL, BPF_REG_0, BPF_REG_5);
		emit_alu(e, BPF_ADD, BPF_REG_4, BPF_REG_3);
		emit_alu(e, BPF_MUL, BPF_REG_4, BPF_REG_5);
		turn(e, BPF_REG_0, 29);
		turn(e, BPF_REG_4, 41);
	}
	for (unsigned i = 0; i < n; i++)
		emit_land(e, ends[i]);
	emit_store64(e, BPF_REG_10, tc->at, BPF_REG_0);
	emit_store64(e, BPF_REG_10, tc->at + 8, BPF_REG_4);
}

struct text_exits textcode_write(struct emitter *e, const struct text_maps *m,
				 const struct textcode *tc)
{
	struct text_exits x;
	unsigned has_end, is_known;

	emit_store_imm(e, BPF_REG_10, tc->spare, (int32_t)tc->program);
	emit_map_key(e, m->rooms_fd, tc->spare);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	x.lost[0] = emit_jump(e, BPF_JEQ, BPF_REG_0, 0);
	emit_store64(e, BPF_REG_10, tc->spare, BPF_REG_0);
	emit_mov(e, BPF_REG_1, BPF_REG_0);
	emit_mov_imm(e, BPF_REG_2, (int32_t)tc->size);
	emit_load64(e, BPF_REG_3, BPF_REG_10, tc->at);
	emit_call(e, BPF_FUNC_probe_read_user_str);
	x.absent = emit_jump(e, BPF_JSLT, BPF_REG_0, 0);
	has_end = emit_jump(e, BPF_JNE, BPF_REG_0, 0);
	emit_mov_imm(e, BPF_REG_0, 1); /* Linux 6.1 does not count the end of an empty text */
	emit_land(e, has_end);
	clear_rest(e, m->room, tc);
	write_words(e, m->room, tc);
	emit_map_key(e, m->texts_fd, tc->at);
	emit_call(e, BPF_FUNC_map_lookup_elem);
	is_known = emit_jump(e, BPF_JNE, BPF_REG_0, 0);
	x.lost[1] = emit_keep(e, m->texts_fd, tc->at, tc->spare);
	emit_land(e, is_known);
	return x;
}
