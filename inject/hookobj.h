/* hookobj.h: the hook object (hook_proto.h) as it was built, to be copied into targets. */
#ifndef INJECT_HOOKOBJ_H
#define INJECT_HOOKOBJ_H

#include <stddef.h>
#include <stdint.h>

#include "hook/hook_proto.h"

/* Begins with struct hook_object; `where` is for each copy to be filled in. */
extern const uint8_t hookobj_bytes[], hookobj_end[];

#define HOOKOBJ_SIZE ((size_t)(hookobj_end - hookobj_bytes))

#endif
