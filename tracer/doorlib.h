/* doorlib.h: the library of door_proto.h as it was built, an ELF file. */
#ifndef TRACER_DOORLIB_H
#define TRACER_DOORLIB_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t doorlib_bytes[], doorlib_end[];

#define DOORLIB_SIZE ((size_t)(doorlib_end - doorlib_bytes))

#endif
