#include "base/gzip.h"

#include <zlib.h>

bool gzip_add(struct strbuf *out, const struct strbuf *in)
{
	z_stream z = {.next_in = (Bytef *)in->s, .avail_in = (uInt)in->len};
	char buf[4096];
	int r;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	do {
		z.next_out = (Bytef *)buf;
		z.avail_out = sizeof(buf);
		r = deflate(&z, Z_FINISH);
		strbuf_add(out, buf, sizeof(buf) - z.avail_out);
	} while (r == Z_OK);
	deflateEnd(&z);
	return true;
}
