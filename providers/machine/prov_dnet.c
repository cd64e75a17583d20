/*
 * prov_dnet.c: what runtimes of languages tell by static probes, or by functions where they have
 * none, in the words of one provider: dnet:java:gc:gc-start (docs/spec/providers.md §4.16). Sites
 * are those of usdt (prov_usdt.c); here is which note or function means what; which processes of
 * the machine are meant is in dnetmachine.c.
 */
#include <errno.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/strbuf.h"
#include "providers/machine/dnet.h"
#include "providers/pid/pid_priv.h"
#include "providers/providers.h"
#include "symbols/sdt.h"

/* Those that have nothing, and why. */
static const struct {
	const char *name, *none;
} without[] = {
	{"dotnet",
	 ".NET has no static probes; DOTNET_PerfMapEnabled=1 names its code for pid and ustack()"},
};

/* Not providers of notes: functions of runtimes that have none, whose arguments are theirs. */
static const char v8[] = "a function of V8", go[] = "a function of Go";

static const struct row {
	const char *runtime, *group, *name;
	const char *prov, *note; /* NULL: nothing tells of it */
	const char *needs;	 /* what it fires only with */
	const char *args;	 /* what arg0 and the next are; NULL: there are none */
} rows[] = {
	/* clang-format off */
	{"java", "event", "runtime", "hotspot", "vm__init__end", NULL, NULL},
	{"java", "event", "runtime-stop", "hotspot", "vm__shutdown", NULL, NULL},
	{"java", "lock", "lck-wait", "hotspot", "monitor__contended__enter", "-XX:+ExtendedDTraceProbes or -XX:+DTraceMonitorProbes", "number of the thread in Java, of the monitor, class of the object, its length"},
	{"java", "lock", "lck-done", "hotspot", "monitor__contended__entered", "-XX:+ExtendedDTraceProbes or -XX:+DTraceMonitorProbes", "number of the thread in Java, of the monitor, class of the object, its length"},
	{"java", "thread", "thr-start", "hotspot", "thread__start", NULL, "name of the thread, its length, number in Java, in the kernel, is a daemon"},
	{"java", "thread", "thr-stop", "hotspot", "thread__stop", NULL, "name of the thread, its length, number in Java, in the kernel, is a daemon"},
	{"java", "jit", "method-jit-begin", "hotspot", "method__compile__begin", NULL, "compiler, its length, class, its length, method, its length, signature, its length"},
	{"java", "jit", "method-jit-end", "hotspot", "method__compile__end", NULL, "compiler, its length, class, its length, method, its length, signature, its length, has succeeded"},
	{"java", "jit", "method-load", "hotspot", "compiled__method__load", NULL, "class, its length, method, its length, signature, its length, address of the code, its size"},
	{"java", "jit", "method-unload", "hotspot", "compiled__method__unload", NULL, "class, its length, method, its length, signature, its length"},
	{"java", "gc", "gc-start", "hotspot", "gc__begin", NULL, "is of the whole heap"},
	{"java", "gc", "gc-end", "hotspot", "gc__end", NULL, NULL},
	{"java", "gc", "heapstat", "hotspot", "mem__pool__gc__end", NULL, "manager, its length, pool, its length, bytes at first, used, committed, at most"},
	{"java", "gc", "suspend-start", "hs_private", "safepoint__begin", NULL, NULL},
	{"java", "gc", "resume-end", "hs_private", "safepoint__end", NULL, NULL},
	{"java", "gc", "allocate-tick", "hotspot", "object__alloc", "-XX:+ExtendedDTraceProbes or -XX:+DTraceAllocProbes", "number of the thread in Java, class, its length, bytes"},
	{"java", "loader", "module-load", "hotspot", "class__loaded", NULL, "class, its length, number of the loader, is shared"},
	{"java", "loader", "module-unload", "hotspot", "class__unloaded", NULL, "class, its length, number of the loader, is shared"},
	{"python", "event", "audit", "python", "audit", NULL, "name of the event, tuple of its arguments"},
	{"python", "gc", "gc-start", "python", "gc__start", NULL, "generation"},
	{"python", "gc", "gc-end", "python", "gc__done", NULL, "objects that were freed"},
	{"python", "loader", "module-load-start", "python", "import__find__load__start", NULL, "name of the module"},
	{"python", "loader", "module-load", "python", "import__find__load__done", NULL, "name of the module, was found"},
	{"cpp", "event", "excp", "libstdcxx", "throw", NULL, "the exception, its type_info"},
	{"cpp", "event", "excp-catch", "libstdcxx", "catch", NULL, "the exception, its type_info"},
	{"cpp", "event", "excp-rethrow", "libstdcxx", "rethrow", NULL, "the exception, its type_info"},
	{"node", "event", "excp", v8, "_ZN2v88internal7Isolate13ThrowInternalENS0_6ObjectEPNS0_15MessageLocationE", NULL, "isolate, the exception, where"},
	{"node", "event", "excp", v8, "_ZN2v88internal7Isolate13ThrowInternalENS0_6TaggedINS0_6ObjectEEEPNS0_15MessageLocationE", NULL, "isolate, the exception, where"},
	{"node", "gc", "gc-start", v8, "_ZN2v88internal4Heap25GarbageCollectionPrologueENS0_23GarbageCollectionReasonENS_15GCCallbackFlagsE", NULL, "heap, reason, flags"},
	{"node", "gc", "gc-start", v8, "_ZN2v88internal4Heap25GarbageCollectionPrologueEv", NULL, "heap"},
	{"node", "gc", "gc-end", v8, "_ZN2v88internal4Heap25GarbageCollectionEpilogueENS0_16GarbageCollectorE", NULL, "heap, 0: scavenge, 1: whole heap"},
	{"node", "jit", "method-deopt", v8, "_ZN2v88internal11Deoptimizer3NewEmNS0_14DeoptimizeKindEmiPNS0_7IsolateE", NULL, "function, 0: at once, address"},
	{"go", "event", "excp", go, "runtime.gopanic", NULL, "type of the value, the value"},
	{"go", "thread", "thr-start", go, "runtime.mstart1", NULL, NULL},
	{"go", "thread", "thr-stop", go, "runtime.mexit", NULL, NULL},
	{"go", "gc", "gc-start", go, "runtime.gcBgMarkStartWorkers", NULL, NULL},
	{"go", "gc", "gc-end", go, "runtime.gcSweep", NULL, NULL},
	{"java", "security", "auth", NULL, NULL, NULL, NULL},
	{"java", "arm", "thr", NULL, NULL, NULL, NULL},
	{"java", "interop", "stub-gen", NULL, NULL, NULL, NULL},
	/* clang-format on */
};

static bool on_demand(const char *prov)
{
	return !prov[0] || glob_match(prov, "dnet");
}

static bool matches(const struct probe *p, const struct probe_desc *d)
{
	return glob_field(d->mod, p->mod) && glob_field(d->func, p->func);
}

static bool means(const struct probe_desc *d, const struct row *r)
{
	return glob_field(d->mod, r->runtime) && glob_field(d->func, r->group) &&
	       glob_field(d->name, r->name);
}

static struct probe *probe_of(struct session *s, const struct row *r)
{
	struct probe *p = probe_create(s, &prov_dnet, "dnet", r->runtime, r->group, r->name, NULL);

	pid_probe_of(p, &pid_site_ops, PID_USDT);
	return p;
}

/* ---- sites ---- */

static int provide_module(struct session *s, struct pid_proc *pp, struct module *m,
			  const struct probe_desc *d, int *tag, struct err *err)
{
	struct objfile *o = module_headers(m);
	const struct sdt_note *notes;
	unsigned n = o ? objfile_sdt(o, &notes) : 0;
	int r = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < ARRAY_SIZE(rows) && !r; k++)
			if (rows[k].prov && means(d, &rows[k]) &&
			    strcmp(notes[i].provider, rows[k].prov) == 0 &&
			    strcmp(notes[i].name, rows[k].note) == 0)
				r = usdt_provide_note(pp, m, &notes[i], probe_of(s, &rows[k]), tag,
						      err);
	return r;
}

static bool is_function(const struct row *r)
{
	return r->prov == v8 || r->prov == go;
}

/* Programs, and libraries that are one: where others have such a name it means something else. */
static bool may_have_functions(const struct objfile *o, const struct row *r)
{
	return r->prov == go ? !o->soname
			     : glob_match("node", o->name) || glob_match("nodejs", o->name) ||
				       glob_match("libnode.so*", o->name);
}

static bool has_site(const struct pid_probe *pr, const struct pid_proc *pp, const struct module *m)
{
	for (const struct pid_site *site = pr->sites; site; site = site->next)
		if (site->proc == pp && site->mod == m)
			return true;
	return false;
}

/* As if there were a note where the function begins. */
static int provide_function(struct session *s, struct pid_proc *pp, struct module *m,
			    const struct row *r, int *tag, struct err *err)
{
	const struct objfile *o = module_objfile(m, NULL);
	struct probe *p = probe_of(s, r);
	const struct func *f;
	struct sdt_note *note;

	if (!o || has_site(p->arg, pp, m) || objfile_find(o, r->note, &f, 1) != 1)
		return 0;
	note = arena_alloc(s->arena, sizeof(*note));
	*note = (struct sdt_note){
		.pc = f->addr,
		.provider = r->prov,
		.name = r->note,
		.args = r->prov == go ? "8@%rax 8@%rbx 8@%rcx" : "8@%rdi 8@%rsi 8@%rdx 8@%rcx",
	};
	return usdt_provide_note(pp, m, note, p, tag, err);
}

static int provide_functions(struct session *s, struct pid_proc *pp, struct module *m,
			     const struct probe_desc *d, int *tag, struct err *err)
{
	const struct objfile *o = module_headers(m);
	int rc = 0;

	for (unsigned k = 0; o && k < ARRAY_SIZE(rows) && !rc; k++)
		if (is_function(&rows[k]) && means(d, &rows[k]) && may_have_functions(o, &rows[k]))
			rc = provide_function(s, pp, m, &rows[k], tag, err);
	return rc;
}

static bool is_exact(const char *text)
{
	return *text && !glob_is_pattern(text);
}

static int provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	const struct pid_world *pw = pid_world_of(world_of(s));
	int r = 0;

	if (!d)
		return 0;
	for (unsigned k = 0; k < ARRAY_SIZE(rows); k++)
		if (means(d, &rows[k]))
			probe_of(s, &rows[k]);
	if (!world_of(s)->nawaited && !pw->rematching && geteuid() == 0 && is_exact(d->prov) &&
	    is_exact(d->mod))
		dnet_watch_machine(s, d->mod);
	for (struct pid_proc *pp = pw->procs; pp && !r; pp = pp->next)
		for (struct module *m = pp->proc ? pp->modules->list : NULL; m && !r; m = m->next)
			if ((!pw->rematching || (pw->rematching == pp && m->fresh))) {
				r = provide_module(s, pp, m, d, tag, err);
				if (!r)
					r = provide_functions(s, pp, m, d, tag, err);
			}
	return r;
}

static const char *why_none(struct session *s UNUSED, const struct probe_desc *d)
{
	if (!is_exact(d->prov)) /* it need not mean this provider */
		return NULL;
	for (unsigned i = 0; i < ARRAY_SIZE(without); i++)
		if (strcmp(d->mod, without[i].name) == 0)
			return without[i].none;
	if (!is_exact(d->mod))
		return NULL;
	for (unsigned k = 0; k < ARRAY_SIZE(rows); k++)
		if (strcmp(d->mod, rows[k].runtime) == 0)
			return "nothing of that runtime tells of it; dtrace -ln 'dnet:::' shows "
			       "what there is";
	return "runtimes are java, python, node, go and cpp; others: usdt, or pid with their "
	       "functions";
}

static const struct row *row_of(const struct probe *p)
{
	for (unsigned k = 0; k < ARRAY_SIZE(rows); k++)
		if (strcmp(rows[k].runtime, p->mod) == 0 && strcmp(rows[k].name, p->name) == 0)
			return &rows[k];
	return NULL;
}

static void detail(struct probe *p, struct strbuf *out)
{
	const struct row *r = row_of(p);

	if (r && r->args)
		strbuf_addf(out, "\tMeaning of the arguments: %s\n", r->args);
	if (r && r->needs)
		strbuf_addf(out, "\tFires only with %s\n", r->needs);
	else if (r && !r->prov)
		strbuf_adds(out, "\tNever fires: nothing of the runtime tells of it\n");
}

/* Neither those of -c and -p nor those of the machine. */
static bool means_no_process(struct world *w)
{
	return !w->nawaited && !w->dnet && !pid_world_of(w)->procs;
}

static int enable(struct probe *p, struct err *err)
{
	const struct row *r = row_of(p);

	if (r && r->prov && means_no_process(world_of(p->session)))
		return err_set(err, -ESRCH,
			       "dnet:%s:%s:%s: no process is meant: name one by -c or -p (root: "
			       "all of the machine, where the runtime is no pattern)",
			       p->mod, p->func, p->name);
	if (r && !r->prov)
		session_message(p->session, MSG_ERR, false,
				"probe description dnet:%s:%s:%s: nothing of the runtime tells of "
				"it; it never fires",
				p->mod, p->func, p->name);
	return pid_enable(p, err);
}

const struct provider prov_dnet = {
	.name = "dnet",
	.on_demand = on_demand,
	.provide = provide,
	.matches = matches,
	.why_none = why_none,
	.enable = enable,
	.disable = pid_disable,
	.argtypes = usdt_argtypes,
	.detail = detail,
	.ustack = pid_ustack,
	.stop_process = pid_stop_process,
	.raise_signal = pid_raise_signal,
	.free = dnet_free,
};
