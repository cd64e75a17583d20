/* Lines of JSON of runs: they are read, and added up, or refused with a sentence. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "base/err.h"
#include "command/merge/mergebuild.h"
#include "dlang/print/printagg.h"

static void print_all(struct merged *m)
{
	static struct options options;
	struct strbuf text;
	struct printer pr = {.out = &text, .options = &options, .names = &m->names};

	strbuf_init(&text);
	for (uint32_t i = 0; i < m->aggs.ncopies; i++)
		if (m->aggs.copies[i])
			printer_rows(&pr, &m->aggs.copies[i], 1, NULL);
	strbuf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	FILE *f = n ? fmemopen((void *)(uintptr_t)data, n, "r") : NULL;
	struct err err = {.text = ""};
	struct merge_input in;
	struct merged m;
	int rc;

	if (!f)
		return 0;
	merge_input_init(&in);
	rc = merge_read(&in, f, "fuzz", &err);
	fclose(f);
	if (!rc) {
		rc = merge_build(&m, &in, n % 2, &err);
		if (!rc)
			print_all(&m);
		merged_release(&m);
	}
	if (rc && !*err.text)
		abort();
	merge_input_release(&in);
	return 0;
}
