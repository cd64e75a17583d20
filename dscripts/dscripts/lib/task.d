/*
 * task.d: a thread and its process as the kernel's events tell of them (providers/kernel/bpfrec.h, struct
 * bpf_task), as psinfo_t and lwpsinfo_t.
 */
#pragma D depends_on library psinfo.d

typedef struct task_record {
	uint64_t addr;
	uint64_t wchan;
	uint64_t affinity;
	uint64_t off_ns;
	uint64_t start_ns;
	uint64_t arg_bytes;
	int pid, tid, ppid, pgid, sid;
	int uid, euid, gid, egid;
	int nlwp;
	int prio, static_prio, policy;
	int cpu, wake_cpu;
	int syscall;
	int ioprio;
	int exit_code;
	uint_t state, exit_state, flags;
	uchar_t is_on_cpu, is_in_iowait, is_64, is_preempted;
	char comm[16];
	char tname[16];
	char fname[64];
	char psargs[80];
} task_record_t;

translator psinfo_t < task_record_t *t > {
	pr_nlwp = t->nlwp;
	pr_pid = t->pid;
	pr_ppid = t->ppid;
	pr_pgid = t->pgid;
	pr_sid = t->sid;
	pr_uid = t->uid;
	pr_euid = t->euid;
	pr_gid = t->gid;
	pr_egid = t->egid;
	pr_addr = t->addr;
	pr_fname = stringof(t->fname);
	pr_psargs = stringof(t->psargs);
	pr_dmodel = t->is_64 ? PR_MODEL_LP64 : PR_MODEL_ILP32;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_arch = t->is_64;
	pr_arglen = t->arg_bytes;
	pr_wstat = t->exit_code;
};

/* The kernel's own bits, include/linux/sched.h: 1 interruptible, 2 uninterruptible, 4 stopped, 8 traced,
 * 0x20 zombie, 0x10 dead, 0x40 parked, 0x402 idle thread of the kernel. */
inline char task_letter[task_record_t *t] =
	t->exit_state & 0x20 ? 'Z' : t->exit_state & 0x10 ? 'X' : t->is_preempted ? 'R' :
	(t->state & 0x402) == 0x402 ? 'I' : t->state & 2 ? 'D' : t->state & 1 ? 'S' :
	t->state & 4 ? 'T' : t->state & 8 ? 't' : t->state & 0x40 ? 'P' :
	t->is_on_cpu ? 'O' : 'R';

inline char task_state[char letter, int is_in_iowait] =
	letter == 'O' ? SONPROC : letter == 'R' ? SRUN :
	letter == 'Z' || letter == 'X' ? SZOMB : letter == 'T' || letter == 't' ? SSTOP :
	is_in_iowait ? SWAIT : SSLEEP;

/* Why it waits: 0 runs, 1 a block device, 3 a lock, 4 a pipe, socket or poll, 5 a timer, 6 a child,
 * 7 a signal, 8 something else of a program, 9 nothing (a thread of the kernel), 10 it was preempted. */
inline int task_reason[task_record_t *t] =
	t->is_preempted ? 10 : t->is_on_cpu || t->state == 0 ? 0 : t->is_in_iowait ? 1 :
	t->flags & 0x200000 ? 9 : t->syscall == 202 ? 3 :
	t->syscall == 0 || t->syscall == 1 || t->syscall == 7 || t->syscall == 23 ||
	t->syscall == 42 || t->syscall == 43 || t->syscall == 44 || t->syscall == 45 ||
	t->syscall == 46 || t->syscall == 47 || t->syscall == 232 || t->syscall == 270 ||
	t->syscall == 271 || t->syscall == 281 || t->syscall == 288 ? 4 :
	t->syscall == 35 || t->syscall == 230 ? 5 : t->syscall == 61 || t->syscall == 247 ? 6 :
	t->syscall == 34 || t->syscall == 128 || t->syscall == 130 ? 7 : 8;

translator lwpsinfo_t < task_record_t *t > {
	pr_flag = (t->state & 0xc ? PR_STOPPED : 0) | (t->tid == 0 ? PR_IDLE : 0) |
		(t->flags & 0x200000 ? PR_KTHREAD : 0);
	pr_lwpid = t->tid;
	pr_addr = t->addr;
	pr_wchan = t->wchan;
	pr_stype = 0;
	pr_state = task_state[task_letter[t], t->is_in_iowait];
	pr_sname = task_letter[t];
	pr_syscall = t->syscall;
	pr_pri = t->prio;
	pr_clname = t->policy == 0 ? "TS" : t->policy == 1 ? "FF" : t->policy == 2 ? "RR" :
		t->policy == 3 ? "B" : t->policy == 5 ? "IDL" : t->policy == 6 ? "DLN" : "?";
	pr_onpro = t->cpu;
	pr_bindpro = PBIND_NONE;
	pr_bindpset = PS_NONE;
	pr_nice = t->static_prio - 120;
	pr_affinity = t->affinity & 0xffffffff;
	pr_cpu = t->cpu;
	pr_waitr = task_reason[t];
	pr_waitm = (t->state & 1) && t->syscall >= 0 ? 1 : 0;
	pr_wipr = t->wake_cpu;
	pr_waittm = t->off_ns / 1000000;
	pr_waitns = t->off_ns;
	pr_iopri = t->ioprio ? t->ioprio : (2 << 13) | (t->static_prio - 100) / 5;
	pr_pagepri = 0;
	pr_tname = stringof(t->tname);
};
