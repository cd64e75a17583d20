/* proc.d: the arguments of the proc provider. */
#pragma D depends_on library task.d

/* What a signal says; providers/kernel/bpfrec.h has the same structure. si_pid, si_uid are of who sent it,
 * or of the child that ended; si_addr is where a fault was. */
typedef struct siginfo {
	int si_signo;
	int si_code;
	int si_errno;
	pid_t si_pid;
	uid_t si_uid;
	int si_status;
	uintptr_t si_addr;
} siginfo_t;

provider proc {
	probe create(task_record_t *t) : (psinfo_t *t);
	probe start(task_record_t *t) : (psinfo_t *t);
	probe exit(int code);
	probe lwp__create(task_record_t *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe lwp__start(task_record_t *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe lwp__exit();
	probe exec(char *path) : (string path);
	probe exec__success();
	probe exec__failure(int error);
	probe signal__send(task_record_t *t, task_record_t *p, int signo) :
		(lwpsinfo_t *t, psinfo_t *p, int signo);
	probe signal__discard(task_record_t *t, task_record_t *p, int signo) :
		(lwpsinfo_t *t, psinfo_t *p, int signo);
	probe signal__handle(int signo, siginfo_t *info, uintptr_t handler);
	probe signal__clear(int signo);
	probe module__load(char *path) : (string path);
	probe module__unload(char *path) : (string path);
	probe fault(int code, siginfo_t *info);
};
