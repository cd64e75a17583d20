/*
 * keyboard.h: bytes of a terminal as keys (ECMA-48, and what xterm sends for keys without a
 * character). A pure function.
 */
#ifndef COMMAND_LIVE_KEYBOARD_H
#define COMMAND_LIVE_KEYBOARD_H

#include "base/base.h"

/* Keys with a character are that character; these are beyond Unicode. */
enum {
	KEY_NONE = 0x200000, /* bytes that are no key of ours */
	KEY_UP,
	KEY_DOWN,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_ENTER,
	KEY_ESCAPE,
	KEY_TAB,
	KEY_BACKSPACE,
};

/* The first key of n bytes: how many it takes; 0: more have to come. is_all: nothing more is there
 * now, an ESC alone is the key. */
size_t keyboard_take(const char *bytes, size_t n, bool is_all, uint32_t *key);

#endif
