/* preloadlib.h: the library of preload_proto.h as it was built, an ELF file. */
#ifndef TRACER_PRELOAD_PRELOADLIB_H
#define TRACER_PRELOAD_PRELOADLIB_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t preloadlib_bytes[], preloadlib_end[];

#define PRELOADLIB_SIZE ((size_t)(preloadlib_end - preloadlib_bytes))

#endif
