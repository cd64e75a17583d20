/*
 * protobuf.h: the wire format of protocol buffers (protobuf.dev, Encoding), as far as it is written
 * here. Fields are appended to a text; the numbers of fields are the caller's.
 */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include "base/strbuf.h"

void protobuf_add_varint(struct strbuf *, uint64_t); /* no field: a part of a packed one */
/* A field; 0 is left out, as proto3 has it. */
void protobuf_add_number(struct strbuf *, unsigned field, uint64_t);
/* The same, and 0 is there, too: to proto2 what is left out is not 0. */
void protobuf_add_present(struct strbuf *, unsigned field, uint64_t);
void protobuf_add_bytes(struct strbuf *, unsigned field, const void *, size_t n);
void protobuf_add_text(struct strbuf *, unsigned field, const char *);
/* Eight bytes: fixed64, sfixed64, and the bits of a double. 0 is there, too. */
void protobuf_add_fixed(struct strbuf *, unsigned field, uint64_t);
void protobuf_add_double(struct strbuf *, unsigned field, double);
/* A message whose fields are in `part`, which is empty then. */
void protobuf_add_message(struct strbuf *, unsigned field, struct strbuf *part);
/* The same of what has been appended since it was as long as that. */
void protobuf_wrap(struct strbuf *, unsigned field, size_t from);

#endif
