#include "command/recording/recwrite.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "command/recording/recread.h"

static int add_maps(struct perfcopy *c, const char *list, struct err *err)
{
	int rc = 0;

	while (rc == 0 && list && *list) {
		const size_t n = strcspn(list, "\n");
		char *spec = strndup(list, n);

		rc = perfcopy_map(c, spec, err);
		free(spec);
		list += n + (list[n] == '\n');
	}
	return rc;
}

int recwrite_open(const struct cmdline *cmd, const struct options *o, struct perfdata *from,
		  bool tags, struct perfcopy **out, struct err *err)
{
	struct perfcopy *c = perfcopy_new(cmd->rewritten, from);
	int rc = add_maps(c, o->text[OPT_ADDMAP], err);

	if (rc == 0)
		rc = perfcopy_make(c, tags, err);
	if (rc < 0)
		perfcopy_free(c);
	else
		*out = c;
	return rc;
}

int recwrite_end(struct perfcopy *c, char **summary, struct err *err)
{
	struct strbuf text;
	int rc = perfcopy_end(c, err);

	if (rc < 0)
		return rc;
	if (perfcopy_ntoo_long(c))
		return err_set(err, -EMSGSIZE,
			       "%s: %llu records are left out: with what was to be added to them "
			       "they are longer than 64 KiB",
			       perfcopy_path(c), (unsigned long long)perfcopy_ntoo_long(c));
	strbuf_init(&text);
	strbuf_addf(&text, "%llu events are in %s, %llu bytes",
		    (unsigned long long)perfcopy_nsamples(c), perfcopy_path(c),
		    (unsigned long long)perfcopy_size(c));
	*summary = strbuf_detach(&text);
	strbuf_release(&text);
	return 0;
}

bool recwrite_is_meant(const struct cmdline *cmd)
{
	return cmd->rewritten && !cmd->nsources;
}

static int copy(void *arg, const struct perfdata_record *r)
{
	perfcopy_record(arg, r, 0);
	return 0;
}

static bool copy_all(struct recread *rd, struct perfcopy *c)
{
	struct err err;
	char *summary;

	recread_all(rd, copy, c);
	if (recwrite_end(c, &summary, &err) < 0) {
		recread_say(rd, err.text);
		return false;
	}
	if (!opt_on(&rd->session->options, OPT_QUIET))
		recread_say(rd, summary);
	free(summary);
	return true;
}

int recwrite(const struct cmdline *cmd, struct session *s)
{
	struct perfcopy *c = NULL;
	struct recread rd;
	struct err err;
	int status = 1;

	recread_init(&rd, s);
	if (recread_open(&rd, cmd, &err) < 0 ||
	    recwrite_open(cmd, &s->options, rd.file, false, &c, &err) < 0)
		recread_say(&rd, err.text);
	else if (copy_all(&rd, c))
		status = recread_status(&rd);
	perfcopy_free(c);
	recread_release(&rd);
	return status;
}
