/*
 * A recording whose events clauses see, change, and write to a copy (-E IN -o OUT.data): what its
 * formats, hits and records say of fields, texts, memory and stacks is followed as far as it is
 * there. One half of the command does all of it: nobody reads what is printed.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/engine_priv.h"
#include "dlang/dlang.h"
#include "providers/kernel/perf.h"
#include "providers/perfdata/perfdata.h"
#include "providers/providers.h"

/* The fields are those of tests/tools/perfdata.py: where a recording has others, that program does
 * not compile. */
static const char *const programs[] = {
	"syscall:::entry, syscall:::return { this->n = arg0 + arg5; @[probefunc, execname] = "
	"sum(pid); }"
	"profile-97 { @s[stack(), ustack()] = count(); @u[usym(arg1), arg0] = count(); }",
	"linux-demo:::message { @[stringof(args[0]->text)] = sum(args[0]->number); args[0]->number "
	"= 7;"
	" args[0]->text = execname; emit(\"seen\", args[0]->number, probename, tid); }"
	"linux-demo:::message /args[0]->number == 7/ { args[0]->text = strjoin(args[0]->text, "
	"\"0123456789012345678901234567890123456789\"); execname = \"other\"; pid = 4; tid = 5; "
	"cpu = 1; }",
	"linux-sched:::sched_switch { args[0]->prev_comm = \"longer than there is room for\"; "
	"args[0]->prev_state++; reparent(\"mine:switched\"); }"
	"sched:::off-cpu { @[args[0]->pr_lwpid, args[1]->pr_fname] = count(); }",
	"int n; linux-raw_syscalls:::sys_enter { args[0]->args[5] = 1; args[0]->id = -1; }"
	"linux-raw_syscalls:::sys_enter /pid & 1/ { drop(); }"
	"proc:::, io:::, tcp:::, udp:::, pf:::, dpc:::, isr:::, sched:::on-cpu { n++; }",
	"pid*:::entry, pid*:::return { @[copyinstr(arg0), copyinstr(arg1), arg2] = count(); "
	"@s[ustack()] = count(); this->p = *(uint64_t *)copyin(arg0, 8); }",
	"emit:::off { @[arg0, stringof(args[1])] = count(); drop(); }",
	"int n; emit:::, script::: { @[probename] = count(); n += arg0 + arg1; }"
	"syscall::openat:entry, syscall::write:entry { @t[copyinstr(arg1)] = count(); }"
	"END { n++; emit(\"end\", n); } pmc:::, cpc:::, hwconfig:::cpu { n += arg0; }",
	"fsinfo:::read, fsinfo:::done { @[probename, args[0]->fi_name] = count(); }"
	"syscall:::return { @r[probefunc, arg0, errno, copyinstr(arg1)] = count(); }"
	"syscall::connect:entry, syscall::write:entry { this->p = (uint16_t *)copyin(arg1, 16);"
	" @p[this->p[1], this->p[7]] = count(); }"
	"tcp:::send { @t[args[2]->ip_daddr] = count(); }"
	"reg:::queryvalue { @v[args[0]->r_rname, args[0]->r_value, args[0]->r_status] = count(); }"
	"fsinfo:::create, fsinfo:::delete { @d[args[0]->fi_pathname, args[0]->fi_mount] = count(); "
	"}"
	"pf:::dzero_flt { @f[usym(args[1]), args[2]] = count(); @g[stack(), ustack()] = count(); }"
	"sysinfo:::sysread, vminfo:::zfod, lockstat::: { @n[probename] = sum(arg0 + arg1); }"
	"hwconfig:::boot { @b[args[0]->command, args[0]->release] = count(); }"
	"hwconfig:::cpu { @c[args[0]->model, args[0]->ncpus] = count(); }",
};

static void compile(struct session *s, unsigned which)
{
	struct program *program;
	struct source src = {.kind = SOURCE_SCRIPT,
			     .name = "fuzz.d",
			     .text = programs[which],
			     .arg0 = "fuzz.d",
			     .length = strlen(programs[which])};
	struct err err;

	if (dlang_compile(s, &src, &program, &err) == 0)
		session_enable(s, program);
}

static void replay(struct engine *e, struct err *err)
{
	struct session *s = e->s;
	struct perf *perf;

	if (world_perf(&e->world, &perf, err) < 0 || engine_begin_rewriting(e, err) < 0 ||
	    session_start(s, err) < 0 || session_start_sources(s, err) < 0)
		return;
	while (session_replay(s, session_run_timers(s), 4096))
		session_swap_aggs(s);
	session_stop_sources(s);
	session_finish(s);
	if (e->s->engine->at_end)
		e->s->engine->at_end(s);
	engine_report_recording(e);
}

static void run(struct cmdline *cmd, unsigned which)
{
	const struct run r = {.cmd = cmd};
	struct engine e = {.run = &r};
	struct session *s;
	struct arena a;
	struct err err;

	if (arena_init_shared(&a, (size_t)256 << 20, &err) < 0)
		abort();
	e.s = s = session_new(&a, "dtrace");
	s->options.num[OPT_BUFSIZE] = s->options.num[OPT_AGGSIZE] = 65536;
	s->options.num[OPT_DYNVARSIZE] = 65536;
	s->options.num[OPT_ZDEFS] = 1;
	s->options.num[OPT_DESTRUCTIVE] = 1;
	s->options.text[OPT_SYSLIBDIR] = "dscripts/lib";
	s->options.text[OPT_KALLSYMS] =
		"/dev/null"; /* the names of this kernel take long to read */
	s->providers = providers;
	s->nproviders = nproviders;
	session_init_engine(s);
	e.world.session = s;
	e.world.engine = &e;
	s->engine->world = &e.world;
	s->engine->typesource = &kernel_typesource;
	if (engine_open_recording(&e, &err) == 0 && probes_provide(s, &err) == 0) {
		engine_open_rewriting(&e);
		compile(s, which);
		replay(&e, &err);
	}
	engine_free_rewriting(&e);
	providers_free(&e.world);
	perfdata_free(e.world.recording);
	session_free_engine(s);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const int fd = memfd_create("fuzz_replay", 0);
	char in[64], out[64];
	struct cmdline cmd = {.recording = in, .rewritten = out};

	snprintf(in, sizeof(in), "/proc/self/fd/%d", fd);
	snprintf(out, sizeof(out), "/tmp/fuzz_replay.%d", getpid());
	if (write(fd, data, n) != (ssize_t)n)
		abort();
	unlink(out);
	run(&cmd, (unsigned)(n % ARRAY_SIZE(programs)));
	unlink(out);
	close(fd);
	return 0;
}
