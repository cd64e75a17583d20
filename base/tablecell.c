#include "base/tablecell.h"

#include <string.h>

void tablecell_tsv(struct strbuf *out, const char *text, size_t n)
{
	static const char special[] = "\t\n\r\\", letters[] = "tnr\\";

	for (size_t i = 0; i < n; i++) {
		const char *at = text[i] ? strchr(special, text[i]) : NULL;

		if (at)
			strbuf_addc(out, '\\');
		strbuf_addc(out, (char)(at ? letters[at - special] : text[i]));
	}
}

void tablecell_csv(struct strbuf *out, const char *text, size_t n)
{
	bool is_plain = true;

	for (size_t i = 0; i < n; i++)
		is_plain &= !strchr(",\"\r\n", text[i]) || !text[i];
	if (is_plain) {
		strbuf_add(out, text, n);
		return;
	}
	strbuf_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"')
			strbuf_addc(out, '"');
		strbuf_addc(out, text[i]);
	}
	strbuf_addc(out, '"');
}
