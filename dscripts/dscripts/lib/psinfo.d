/*
 * psinfo.d: the current process and thread, as proc(4) calls them. What a built-in variable knows is
 * taken from there; the rest from /proc, by the rows of procnum[] and proctext[] (dlang/osinfo/psinfo.h).
 */
#pragma D depends_on library procfs.d

typedef int poolid_t;

/* Members that the translator below does not give (pr_flag, pr_size ...) are D_XLATE_NOCONV. */
typedef struct psinfo {
	int pr_flag;		/* not given */
	int pr_nlwp;		/* threads */
	int pr_nzomb;		/* 0: a thread that has ended is not there any more */
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;		/* real */
	uid_t pr_euid;
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;	/* of the kernel's structure; 0: not known */
	size_t pr_size;		/* not given */
	size_t pr_rssize;	/* not given */
	dev_t pr_ttydev;	/* 0: no terminal */
	ushort_t pr_pctcpu;	/* not given */
	ushort_t pr_pctmem;	/* not given */
	timestruc_t pr_start;	/* since 1970 */
	timestruc_t pr_time;	/* not given */
	timestruc_t pr_ctime;	/* not given */
	string pr_fname;	/* of the executable */
	string pr_psargs;	/* the first 80 characters of the arguments */
	uint_t pr_argc;
	uintptr_t pr_argv;	/* address in the process */
	uintptr_t pr_envp;
	char pr_dmodel;		/* PR_MODEL_LP64 or PR_MODEL_ILP32 */
	taskid_t pr_taskid;
	projid_t pr_projid;
	poolid_t pr_poolid;
	zoneid_t pr_zoneid;
	id_t pr_contract;	/* 0: there are none */
	int pr_arch;		/* 1: 64 bits, 0: 32 bits */
	uint_t pr_arglen;	/* bytes of all arguments */
	int pr_wstat;		/* of a process that has ended, as wait(2) gives it */
} psinfo_t;

typedef struct lwpsinfo {
	int pr_flag;		/* PR_STOPPED ... */
	id_t pr_lwpid;
	uintptr_t pr_addr;	/* of the kernel's structure; 0: not known */
	uintptr_t pr_wchan;	/* what it waits for; 0: nothing */
	char pr_stype;
	char pr_state;		/* SONPROC ... */
	char pr_sname;		/* R, O, S, D, T, Z */
	short pr_syscall;	/* number, -1: in none */
	int pr_oldpri;		/* not given */
	int pr_pri;		/* 0-99 real time, 100-139 normal; lower is more urgent */
	string pr_clname;	/* scheduling class: TS, FF, RR, B, IDL, DLN */
	processorid_t pr_onpro;
	processorid_t pr_bindpro;
	psetid_t pr_bindpset;
	int pr_nice;
	uint_t pr_affinity;	/* the first 32 CPUs */
	int pr_cpu;
	int pr_waitr;		/* why it waits: see sched */
	int pr_waitm;
	int pr_wipr;
	uint64_t pr_waittm;	/* ms */
	uint64_t pr_waitns;
	int pr_iopri;
	int pr_pagepri;
	char pr_name[16];	/* name of the thread */
	string pr_tname;	/* the same */
} lwpsinfo_t;

inline int procnum_nlwp = 0;
inline int procnum_pgid = 1;
inline int procnum_sid = 2;
inline int procnum_euid = 3;
inline int procnum_egid = 4;
inline int procnum_ttydev = 5;
inline int procnum_start_sec = 6;
inline int procnum_start_nsec = 7;
inline int procnum_argc = 8;
inline int procnum_argv = 9;
inline int procnum_envp = 10;
inline int procnum_arglen = 11;
inline int procnum_is64 = 12;
inline int procnum_lwp_pri = 13;
inline int procnum_lwp_nice = 14;
inline int procnum_lwp_syscall = 15;
inline int procnum_lwp_affinity = 16;

inline int proctext_fname = 0;
inline int proctext_psargs = 1;
inline int proctext_cwd = 2;
inline int proctext_root = 3;
inline int proctext_clname = 4;
inline int proctext_tname = 5;

translator timestruc_t < kthread_t *t > {
	tv_sec = procnum[procnum_start_sec];
	tv_nsec = procnum[procnum_start_nsec];
};

translator psinfo_t < kthread_t *t > {
	pr_nlwp = procnum[procnum_nlwp];
	pr_nzomb = 0;
	pr_pid = pid;
	pr_ppid = ppid;
	pr_pgid = procnum[procnum_pgid];
	pr_sid = procnum[procnum_sid];
	pr_uid = uid;
	pr_euid = procnum[procnum_euid];
	pr_gid = gid;
	pr_egid = procnum[procnum_egid];
	pr_addr = (uintptr_t)t;
	pr_ttydev = procnum[procnum_ttydev];
	pr_start = xlate <timestruc_t>(t);
	pr_fname = proctext[proctext_fname];
	pr_psargs = proctext[proctext_psargs];
	pr_argc = procnum[procnum_argc];
	pr_argv = procnum[procnum_argv];
	pr_envp = procnum[procnum_envp];
	pr_dmodel = procnum[procnum_is64] ? PR_MODEL_LP64 : PR_MODEL_ILP32;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_arch = procnum[procnum_is64];
	pr_arglen = procnum[procnum_arglen];
	pr_wstat = 0;
};

/* the thread that fires a probe is on a CPU */
translator lwpsinfo_t < kthread_t *t > {
	pr_flag = 0;
	pr_lwpid = tid;
	pr_addr = (uintptr_t)t;
	pr_wchan = 0;
	pr_stype = 0;
	pr_state = SONPROC;
	pr_sname = 'O';
	pr_syscall = procnum[procnum_lwp_syscall];
	pr_pri = procnum[procnum_lwp_pri];
	pr_clname = proctext[proctext_clname];
	pr_onpro = cpu;
	pr_bindpro = PBIND_NONE;
	pr_bindpset = PS_NONE;
	pr_nice = procnum[procnum_lwp_nice];
	pr_affinity = procnum[procnum_lwp_affinity];
	pr_cpu = cpu;
	pr_waitr = 0;
	pr_waitm = 0;
	pr_wipr = cpu;
	pr_waittm = 0;
	pr_waitns = 0;
	pr_iopri = 4;
	pr_pagepri = 0;
	pr_name = proctext[proctext_tname];
	pr_tname = proctext[proctext_tname];
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *>(curthread);
#pragma D attributes Stable/Stable/Common curpsinfo

inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *>(curthread);
#pragma D attributes Stable/Stable/Common curlwpsinfo

inline string cwd = proctext[proctext_cwd];
#pragma D attributes Stable/Stable/Common cwd

inline string root = proctext[proctext_root];
#pragma D attributes Stable/Stable/Common root
