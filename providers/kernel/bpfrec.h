/*
 * bpfrec.h: the treaty between the BPF programs (providers/bpf/) and the engine: what a record in
 * the ring begins with. Included by both; fixed widths only.
 */
#ifndef PROVIDERS_KERNEL_BPFREC_H
#define PROVIDERS_KERNEL_BPFREC_H

/* Which program wrote a record, and what follows its head: one number for each layout. */
enum bpf_kind {
	BPF_KIND_LOST,	       /* bpf_lost: records that found no room since the last one */
	BPF_KIND_SYSCALL,      /* bpf_syscall */
	BPF_KIND_SWITCH,       /* bpf_switch */
	BPF_KIND_THREAD,       /* bpf_thread */
	BPF_KIND_PROC,	       /* bpf_proc */
	BPF_KIND_IO,	       /* bpf_io */
	BPF_KIND_SYSCALL_LATE, /* bpf_syscall_data: what could not be read at an entry */
	BPF_KIND_KERNEL,       /* kprog_record (kprog.h) */
	BPF_KIND_PROC_LATE,    /* bpf_proc_late */
	BPF_KIND_STACK,	       /* bpf_stack */
	BPF_KIND_USER,	       /* bpf_user */
	BPF_KIND_PF,	       /* bpf_pf */
	BPF_KIND_FS,	       /* bpf_fs (fsrec.h) */
	BPF_KIND_FS_LATE,      /* bpf_fs: the texts of a start; result is its time */
	BPF_KIND_REG,	       /* bpf_reg (fsrec.h) */
	BPF_KIND_PIECES,       /* bpf_captured */
	BPF_KIND_NET = 20,     /* bpf_net (netrec.h) */
	BPF_KIND_DPC,	       /* bpf_numbers, as those behind */
	BPF_KIND_ISR,
	BPF_KIND_LOCK,
	BPF_KIND_VM,
	BPF_KIND_SYSINFO,
	BPF_KIND_PMC,
	BPF_NKINDS = 64
};

struct bpf_head {
	unsigned long long time_ns; /* CLOCK_MONOTONIC; taken after the room was */
	unsigned short kind;
	unsigned short cpu;
	unsigned int counted;  /* rows of the provider's table that were counted instead */
	unsigned int pid, tid; /* thread group and thread of the process the event is of */
};

/*
 * A system call: entry, or return. What its pointers lead to at that moment is copied as far as it
 * can be read: the process has gone on, or is gone, when the record is read.
 */
#define BPF_SYSCALL_MAX	     1024 /* numbers */
#define BPF_SYSCALL_CAPTURES 3
#define BPF_SYSCALL_BYTES    256 /* of each */

struct bpf_syscall {
	struct bpf_head head;
	unsigned int nr;
	unsigned short is_return, is_raised; /* raised: the signal has been sent */
	unsigned int uid, gid;
	long long ret;
	unsigned long long args[6];
	struct {
		unsigned long long addr;
		unsigned int len;     /* 0: it could not be read */
		unsigned int is_text; /* ends with a NUL, or was cut */
	} captures[BPF_SYSCALL_CAPTURES];
};
struct bpf_syscall_data { /* only where captures are wanted */
	struct bpf_syscall call;
	char bytes[BPF_SYSCALL_CAPTURES][BPF_SYSCALL_BYTES];
};

/* Where an argument leads to pointers (argv, iovec): what the first few of them lead to. */
#define BPF_SYSCALL_WORDS      4 /* of each capture */
#define BPF_SYSCALL_DEEP_BYTES 128
struct bpf_syscall_deep {
	struct bpf_syscall_data data;
	struct bpf_syscall_piece {
		unsigned long long addr;
		unsigned int len, is_text;
		char bytes[BPF_SYSCALL_DEEP_BYTES];
	} pieces[BPF_SYSCALL_CAPTURES][BPF_SYSCALL_WORDS];
};

/* The second of two: captures of an entry that found a page missing, read again when the call
 * returned or had executed a program. `args[0]` is the time of the entry; head.tid its thread. */

/*
 * A thread and its process as they are at an event: what psinfo_t and lwpsinfo_t are made of.
 * dscripts/lib/task.d has the same structure. The texts at its end are the engine's to fill.
 */
struct bpf_task {
	unsigned long long addr;     /* of its task_struct */
	unsigned long long wchan;    /* the function of the kernel that waits; 0: none */
	unsigned long long affinity; /* the first 64 CPUs */
	unsigned long long off_ns;   /* since it left its CPU; 0: not known */
	unsigned long long start_ns; /* of the process, on CLOCK_BOOTTIME */
	unsigned long long arg_bytes;
	int pid, tid, ppid, pgid, sid;
	int uid, euid, gid, egid;
	int nlwp;
	int prio, static_prio, policy;
	int cpu, wake_cpu;
	int syscall; /* -1: in none */
	int ioprio;
	int exit_code;
	unsigned int state, exit_state, flags; /* as the kernel has them */
	unsigned char is_on_cpu, is_in_iowait, is_64, is_preempted;
	char comm[16], tname[16]; /* of the process; of the thread */
	char fname[64];
	char psargs[80];
};

/*
 * A filter (dlang/offload/pushdown.h) as programs walk it: from `root`, an index of nodes, STOP or
 * PASS. Of a node that holds `yes` is next, else `no`. Programs may leave out the rest.
 */
#define BPF_FILTER_NODES 8
#define BPF_FILTER_STOP	 254
#define BPF_FILTER_PASS	 255

/*
 * What a program knows of an event, in an order that it shares with its provider: numbers, and
 * texts of up to 15 characters with zeros behind them, in two words. Bits say which are known; of a
 * text `whole` that it is not longer: else it is like none that is.
 */
#define BPF_KNOWN_WORDS	 16
#define BPF_TEXT_ROOM	 16
#define BPF_CLAUSE_WORDS 32 /* numbers and texts, too, for programs of clauses */
struct bpf_known {
	unsigned long long words[BPF_KNOWN_WORDS];
	unsigned int known, whole;
};

/*
 * An event of rows whose clauses run in the kernel as a program of their own (kprog/clausecode.h):
 * what is known of it, for that program, which is called by bpf_tail_call().
 */
struct bpf_clause_event {
	unsigned int is_on; /* the program is there; the engine sets it, for all CPUs */
	unsigned int rows;  /* that the event is of, and whose clauses run */
	unsigned int pid, tid, is_taken, goes_on; /* of several in the map: bpf/clauses.h */
	unsigned long long name[2]; /* of the process; zeros: its number says it later */
	unsigned long long words[BPF_CLAUSE_WORDS];
};

enum bpf_filter_what {
	BPF_FILTER_PID,
	BPF_FILTER_TID,
	BPF_FILTER_UID,
	BPF_FILTER_NAME, /* of the process; text instead of value */
	BPF_FILTER_RESULT,
	BPF_FILTER_ERRNO, /* as D's */
	BPF_FILTER_ARG0,  /* and five more */
	BPF_FILTER_ARG5 = BPF_FILTER_ARG0 + 5,
	BPF_FILTER_WORD,
	BPF_FILTER_TEXT = BPF_FILTER_WORD + BPF_KNOWN_WORDS, /* that begins with this word */
};
enum bpf_filter_op { /* as enum filter_op */
		     BPF_FILTER_EQ,
		     BPF_FILTER_LT,
		     BPF_FILTER_LE,
		     BPF_FILTER_LTU,
		     BPF_FILTER_LEU,
		     BPF_FILTER_AND,
};

struct bpf_filter_node {
	unsigned int what, op, yes, no; /* op: enum bpf_filter_op */
	unsigned long long value;
	unsigned long long text[2]; /* with zeros behind it */
};
struct bpf_filter {
	unsigned long long root;
	struct bpf_filter_node nodes[BPF_FILTER_NODES];
};

/*
 * Aggregations that programs keep: `@[keys] = f(value)` of a clause, in a map whose keys are struct
 * bpf_count_key. Words are what a program knows of an event, in an order that it shares with its
 * provider: COUNT_WORDS of bpf/count.h.
 */
#define BPF_COUNT_ROWS	32
#define BPF_COUNT_STMTS 8
#define BPF_COUNT_MADE	48 /* of programs that were made for them */
#define BPF_COUNT_PLAIN 8  /* a bit beside numbers of statements */
#define BPF_COUNT_KEYS	8
enum bpf_count_what {
	BPF_COUNT_CONST,
	BPF_COUNT_PID,
	BPF_COUNT_TID,
	BPF_COUNT_CPU,
	BPF_COUNT_NAME, /* of the process: two words of the key before the others, and its number */
	BPF_COUNT_WORD, /* and those behind it */
};
enum bpf_count_func { /* what is kept: a number of values and their sum, ... */
		      BPF_COUNT_SUM,
		      BPF_COUNT_QUANTIZE, /* ... or a number for each bucket */
		      BPF_COUNT_LQUANTIZE,
		      BPF_COUNT_LLQUANTIZE,
		      BPF_COUNT_MIN, /* ... or the smallest value in place of the sum */
		      BPF_COUNT_MAX,
		      BPF_COUNT_STDDEV, /* ... and the sum of squares: bpf_count_squares */
};
struct bpf_count_operand {
	unsigned int what;
	unsigned char is_signed, unused_bits; /* of the word: the upper ones */
	unsigned short padding;
	unsigned long long value, mask; /* value: of CONST */
};
struct bpf_count {
	unsigned int func, nkeys, has_name;
	unsigned int levels; /* lquantize: base and step, too */
	/* of a bucket the sum is what counts: each value has its weight */
	unsigned int is_weighted, padding;
	long long base, step;
	struct bpf_count_operand keys[BPF_COUNT_KEYS], value;
};
struct bpf_count_value {
	unsigned long long n, sum;
};
/* Of maps whose programs were made for their statements, where one is of STDDEV. */
struct bpf_count_squares {
	struct bpf_count_value value;
	unsigned long long low, high; /* 128 bits */
};
struct bpf_counts {
	unsigned int n, asks_name;	     /* the filter does */
	unsigned int rows;		     /* that are counted */
	unsigned int asks_who;		     /* a key or value is of the process or thread */
	unsigned int words, padding;	     /* which they are by: bits */
	unsigned char stmts[BPF_COUNT_ROWS]; /* of each: bit n: v[n] */
	unsigned char plain[BPF_COUNT_ROWS]; /* v[n] is all, and has no key: n and 8; 0: no such */
	struct bpf_count v[BPF_COUNT_STMTS];
	struct bpf_count_value none; /* what a value begins with */
};
struct bpf_count_key {
	unsigned int row;
	unsigned short stmt, bucket;
	unsigned int pid, has_name;
	unsigned long long name[2]; /* zeros: a thread of the kernel, whose pid is its name */
	unsigned long long words[BPF_COUNT_KEYS]; /* the map has as many of them as are used */
};
/* Of a CPU: a key that has come to it early has a place in an array, found without a search of the
 * map, and keeps it: what is taken is never another's. What finds its place taken is in the map. */
#define BPF_COUNT_PLACES 64 /* a power of 2 */
enum { BPF_PLACE_FREE, BPF_PLACE_CLAIMED, BPF_PLACE_TAKEN /* its key is written */ };
struct bpf_count_place {
	unsigned int state, padding;
	struct bpf_count_value value;
	struct bpf_count_key key;
};

/* What is wanted of an object: a bit for each row of its provider's table, whether anybody
 * reads what the records hold of threads, and which stacks. */
enum {
	BPF_WANT_KSTACK = 1,
	BPF_WANT_USTACK = 2,
	BPF_WANT_NEXT_KSTACK = 4, /* of the thread that comes to a CPU */
	BPF_WANT_USER = 8,	  /* what the user stack is found by, instead of frames */
	BPF_WANT_PIECES = 16,	  /* of the kernel's memory; the set's number: */
	BPF_WANT_SET = 8,	  /* bits from here on */
};
struct bpf_wants {
	unsigned int rows, details, names, interned; /* names: clauses may read execname */
	unsigned int filter_asks; /* for which words: bits, of a text that of its first */
	unsigned int clauses;	  /* rows whose clauses may run as programs of their own */
	unsigned int can_cast;	  /* bpf/typed.h works here */
	unsigned int can_iterate; /* bpf_iter_task_vma_new() is there */
	unsigned long long stacks;
	struct bpf_filter filter; /* of all probes together */
	struct bpf_counts counts;
};

/*
 * Of programs that see page faults (bpf/faults.h). What a fault becomes is known when the kernel
 * has handled it; where all that are wanted can be told at one end, nothing runs at the other.
 */
enum bpf_faults_when {
	BPF_FAULTS_AT_BOTH,
	BPF_FAULTS_AT_BEGIN, /* new pages of no file, and copies of pages */
	BPF_FAULTS_AT_END,   /* all that does not depend on how the memory was accessed */
};
struct bpf_faults_wants {
	struct bpf_wants wants;
	unsigned long long when;       /* enum bpf_faults_when */
	unsigned long long direct_map; /* struct bpf_direct_map's; 0: not known */
};

/* Where the kernel's mapping of all memory begins (bpf/pages.h). */
struct bpf_direct_map {
	unsigned long long base;     /* a guess */
	unsigned long long tables;   /* out: where those of the current process are */
	unsigned long long is_right; /* out */
};

/* Stacks of the thread in the head, for the record of that thread, CPU and time which follows. */
#define BPF_STACK_KERNEL 64
#define BPF_STACK_USER	 127
struct bpf_stack {
	struct bpf_head head;
	unsigned int nkernel, nuser;
	unsigned long long kernel[BPF_STACK_KERNEL], user[BPF_STACK_USER];
};

/*
 * What the user stack of that thread is found by, for the same record: its registers on its way
 * into the kernel, and the stack from its stack pointer on, as much as `bytes` holds of it.
 */
#define BPF_USER_REGS 21 /* struct pt_regs, which is the beginning of struct user_regs_struct */
#define BPF_USER_MAX  16384
struct bpf_user {
	struct bpf_head head;
	unsigned long long len;
	unsigned long long regs[BPF_USER_REGS];
	char bytes[BPF_USER_MAX]; /* or fewer: 1, 2, 4 or 8 KB */
};

/*
 * What clauses follow curthread to (dlang/offload/capture.h), each piece from the thread or from
 * what an earlier piece holds; and what was there, of the thread in the head, for the same record
 * as stacks.
 */
#define BPF_PIECES     24
#define BPF_PIECE_SETS 32
/* of three lengths of records: all pieces begin before this, and none is longer */
#define BPF_PIECE_FEW	   64
#define BPF_PIECE_SOME	   1024
#define BPF_PIECE_MANY	   16384
#define BPF_PIECE_THREAD   32 /* a base; less: the number of a piece */
#define BPF_PIECE_ABSOLUTE 33
struct bpf_piece {
	unsigned long long off;
	unsigned int len, at; /* at: in the record's bytes */
	unsigned int base, base_at;
	unsigned int is_string, padding;
};
struct bpf_pieces {
	unsigned int n, room; /* room: BPF_PIECE_FEW ... */
	struct bpf_piece v[BPF_PIECES];
};
struct bpf_captured {
	struct bpf_head head;
	unsigned int set, got; /* got: bit n: piece n could be read */
	unsigned long long thread;
	char bytes[2 * BPF_PIECE_MANY]; /* or fewer */
};

/* The same of a thread that has ended; begins as struct bpf_captured. */
#define BPF_EXITS 4096
struct bpf_exits_want {
	unsigned int set;
};
struct bpf_exited {
	struct bpf_head head;
	unsigned int set, got;
	unsigned long long thread;
	char bytes[2 * BPF_PIECE_SOME];
	unsigned long long start_ns;
};

/* The rows of the sched provider's table. */
enum bpf_sched_row {
	SCHED_OFF_CPU,
	SCHED_ON_CPU,
	SCHED_SLEEP,
	SCHED_PREEMPT,
	SCHED_ENQUEUE,
	SCHED_DEQUEUE,
	SCHED_WAKEUP,
	SCHED_TICK,
	SCHED_CHANGE_PRI,
	SCHED_SURRENDER,
	SCHED_REMAIN_CPU,
	SCHED_NROWS
};

/* A CPU goes from one thread to another; head.pid and .tid are of the one that leaves. */
struct bpf_switch {
	struct bpf_head head;
	int next_pid, next_tid;
	unsigned int is_runnable, is_dead; /* the one that leaves */
	/* with details only */
	struct bpf_task prev, next;
};
#define BPF_SWITCH_SHORT 40 /* without details */

/* Something happens to a thread, in the context of the head. */
struct bpf_thread {
	struct bpf_head head;
	unsigned int row;
	int cpu;	      /* where it goes, or is */
	int pid, tid;	      /* the thread; pid 0: the engine is to find out, the details too; */
	struct bpf_task task; /* with details only */
};
#define BPF_THREAD_SHORT 40
enum { /* pid: all threads of a process group, or of a user (real id), whose number is in tid */
       BPF_THREAD_GROUP = -1,
       BPF_THREAD_USER = -2,
};

/* The rows of the proc provider's table. */
enum bpf_proc_row {
	PROC_CREATE,
	PROC_START,
	PROC_EXIT,
	PROC_LWP_CREATE,
	PROC_LWP_START,
	PROC_LWP_EXIT,
	PROC_EXEC,
	PROC_EXEC_SUCCESS,
	PROC_EXEC_FAILURE,
	PROC_SIGNAL_SEND,
	PROC_SIGNAL_DISCARD,
	PROC_SIGNAL_HANDLE,
	PROC_SIGNAL_CLEAR,
	PROC_FAULT,
	PROC_MODULE_LOAD,
	PROC_MODULE_UNLOAD,
	PROC_NROWS
};

#define BPF_PROC_PATH 256

/* What a signal says; dscripts/lib/proc.d has the same structure. */
struct bpf_siginfo {
	int signo, code, error, pid, uid, status;
	unsigned long long addr;
};

struct bpf_proc {
	struct bpf_head head;
	unsigned int row;
	int number;		    /* exit code as the kernel has it, signal, errno */
	unsigned long long handler; /* of a signal; of exec: where the path is */
	struct bpf_siginfo info;
	struct bpf_task task;	  /* whom it is about; only with details */
	char path[BPF_PROC_PATH]; /* of exec; only with details */
};
#define BPF_PROC_SHORT 72

/* The path of an exec that could not be read when the call was made; head.tid made it. */
struct bpf_proc_late {
	struct bpf_head head;
	unsigned long long entry_ns; /* the time of that record */
	char path[BPF_PROC_PATH];
};

/* The rows of the pf provider's table. */
enum bpf_pf_row {
	PF_HARDFLT,
	PF_IMGLOAD,
	PF_VALLOC,
	PF_VFREE,
	PF_TRANS_FLT,
	PF_DZERO_FLT,
	PF_COW_FLT,
	PF_GP_FLT,
	PF_HP_FLT,
	PF_AV_FLT,
	PF_NROWS
};

/* A page fault, or memory that comes and goes: args[] from 0 on. */
#define BPF_PF_PARTS 16
#define BPF_PF_NAME  64
struct bpf_pf {
	struct bpf_head head;
	unsigned int row, nparts;
	unsigned long long args[5];
	char parts[BPF_PF_PARTS][BPF_PF_NAME]; /* hardflt: the file's path, the last part first */
};
#define BPF_PF_SHORT	72     /* without parts */
#define BPF_PF_DONTNEED 0x8000 /* vfree: by madvise(), the addresses stay */

/* An event that a few numbers tell all of: args[] from 0 on. */
struct bpf_numbers {
	struct bpf_head head;
	unsigned int row, reserved;
	unsigned long long args[5];
};

/* The rows of the dpc provider's table. */
enum bpf_dpc_row { DPC_DPC, DPC_TIMER, DPC_THREAD, DPC_NROWS };
#define BPF_SOFTIRQS 10 /* include/linux/interrupt.h */

/* The rows of the isr provider's table, and the interrupts that have no handler of a driver. */
enum bpf_isr_row { ISR_ISR, ISR_NROWS };
enum bpf_isr_vector {
	ISR_LOCAL_TIMER,
	ISR_RESCHEDULE,
	ISR_CALL_FUNCTION,
	ISR_CALL_FUNCTION_SINGLE,
	ISR_IRQ_WORK,
	ISR_PLATFORM_IPI,
	ISR_ERROR,
	ISR_SPURIOUS,
	ISR_THERMAL,
	ISR_THRESHOLD,
	ISR_DEFERRED_ERROR,
	ISR_NVECTORS
};

/* The rows of the lockstat provider's table. */
enum bpf_lock_row {
	LOCK_ADAPTIVE_BLOCK,
	LOCK_ADAPTIVE_SPIN,
	LOCK_SPIN_SPIN,
	LOCK_RW_BLOCK,
	LOCK_RW_SPIN,
	LOCK_NROWS
};

/* The rows of the vminfo provider's table. */
enum bpf_vm_row {
	VM_AS_FAULT,
	VM_MAJ_FAULT,
	VM_MIN_FAULT,
	VM_ZFOD,
	VM_COW_FAULT,
	VM_PROT_FAULT,
	VM_PGREC,
	VM_ANONPGIN,
	VM_EXECPGIN,
	VM_FSPGIN,
	VM_PGIN,
	VM_PGOUT,
	VM_PGPGIN,
	VM_PGPGOUT,
	VM_SCAN,
	VM_REV,
	VM_PGRRUN,
	VM_DFREE,
	VM_SWAPIN,
	VM_SWAPOUT,
	VM_PGSWAPIN,
	VM_PGSWAPOUT,
	VM_NROWS
};

/* The rows of the sysinfo provider's table. */
enum bpf_sysinfo_row {
	SYSINFO_PSWITCH,
	SYSINFO_INV_SWTCH,
	SYSINFO_IDLETHREAD,
	SYSINFO_CPUMIGRATE,
	SYSINFO_SYSREAD,
	SYSINFO_SYSWRITE,
	SYSINFO_READCH,
	SYSINFO_WRITECH,
	SYSINFO_SYSEXEC,
	SYSINFO_SYSFORK,
	SYSINFO_SYSVFORK,
	SYSINFO_NTHREADS,
	SYSINFO_PROCOVF,
	SYSINFO_TRAP,
	SYSINFO_INTR,
	SYSINFO_XCALLS,
	SYSINFO_MUTEX_ADENTERS,
	SYSINFO_RW_RDFAILS,
	SYSINFO_RW_WRFAILS,
	SYSINFO_BREAD,
	SYSINFO_BWRITE,
	SYSINFO_MODLOAD,
	SYSINFO_MODUNLOAD,
	SYSINFO_NROWS
};

/* The rows of the io provider's table. */
enum bpf_io_row {
	IO_START,
	IO_DONE,
	IO_WAIT_START,
	IO_WAIT_DONE,
	IO_MERGE,
	IO_REQUEUE,
	IO_ERROR,
	IO_NROWS
};

enum bpf_file_kind {
	BPF_FILE_NONE,	 /* a flush has no data */
	BPF_FILE_META,	 /* the file system's own */
	BPF_FILE_DIRECT, /* past the page cache, and not known whose */
	BPF_FILE_NAMED,
	BPF_FILE_UNKNOWN, /* nobody has asked */
};

/* A file: the parts of its path from the last to the first, up to where it is mounted. */
#define BPF_FILE_PARTS 10
#define BPF_FILE_NAME  64
struct bpf_file {
	unsigned int kind, nparts;
	unsigned int device; /* of its file system: major << 20 | minor */
	unsigned int flags, mode;
	unsigned int is_direct;
	unsigned long long offset;
	char fs[16];
	char parts[BPF_FILE_PARTS][BPF_FILE_NAME];
};

/* A request of a block device; head.pid and .tid are of the thread that made it. */
struct bpf_io {
	struct bpf_head head;
	unsigned int row;
	int error; /* errno */
	unsigned long long addr, op_flags, sector, part_start, bytes, left, end_io, took_ns;
	unsigned long long start_ns; /* of the thread in whose name it is; 0: the current one */
	unsigned int major, minor, part_minor, first_minor;
	char disk[32];
	struct bpf_file file;
};

/*
 * What the engine asks of the programs that read the kernel's memory, and their answer: their
 * context, which they write to. What was read is in a map.
 */
#define BPF_KERNMEM_BYTES   16384 /* at a time */
#define BPF_KERNMEM_THREADS 2
enum { /* as in dlang/kernelmem.h */
       BPF_KERNTHREAD_GONE,
       BPF_KERNTHREAD_LIVES,
       BPF_KERNTHREAD_EXITS,
};
struct bpf_kernthread {
	unsigned long long addr; /* 0: none */
	unsigned long long start_ns, mm;
	unsigned int tid, state;
	unsigned long long is_strict; /* mm and state, too, must be what they were */
};
struct bpf_kernmem {
	unsigned long long addr;
	unsigned int len;
	int result; /* 0 or a negative errno */
	struct bpf_kernthread threads[BPF_KERNMEM_THREADS];
};
/* What the programs find: in a map that the engine looks into. */
struct bpf_kernmem_found {
	char bytes[BPF_KERNMEM_BYTES];
	struct bpf_kernmem idle;
};

/*
 * A tracepoint whose records of idle CPUs are copied: where its record has words that say how far a
 * text or array reaches ({u16 offset, u16 length}; 0: no more), and what offsets count from.
 */
#define BPF_IDLE_EVENTS 4096
#define BPF_IDLE_WORDS	8
#define BPF_IDLE_RAW                                                                               \
	8188 /* the kernel's records are no longer; with the head a multiple of 8, and 4 */
struct bpf_idle_event {
	unsigned int id, size; /* size: of the fixed part */
	unsigned short words[BPF_IDLE_WORDS], bases[BPF_IDLE_WORDS];
};
/* Where timer:hrtimer_expire_entry has the timer and its function. */
struct bpf_idle_timers {
	unsigned int timer_at, function_at;
};
/* Its copy, in the ring of the CPU. */
struct bpf_idle_record {
	unsigned int index, size;
	char raw[BPF_IDLE_RAW];
};
/* The same of a sample: its index; raw begins with the 64-bit id of the event. */
#define BPF_IDLE_SAMPLE 0xffffffffU

/* What is wanted of a number; set before the programs are attached. */
enum {
	BPF_WANT_ENTRY = 1,
	BPF_WANT_RETURN = 2,
	BPF_WANT_ENTRY_COUNT = 4,
	BPF_WANT_RETURN_COUNT = 8,
	BPF_WANT_DATA = 16,
	BPF_WANT_ENTRY_KEYED = 32, /* counted by keys; a record where there is no room */
	BPF_WANT_RETURN_KEYED = 64,
};
struct bpf_syscall_want {
	unsigned char flags;
	unsigned char pointers, texts; /* arguments that are; bit n: args[n] */
	unsigned char deep;	  /* pointers to pointers, to texts where `texts` has it, too */
	unsigned char stmts[2];	  /* entry, return: of the constants' counts */
	unsigned char filters[2]; /* entry, return: of the map; 0: none */
	unsigned short stacks[2]; /* entry, return: BPF_WANT_KSTACK ... */
	unsigned char signals[2]; /* entry, return: what the thread is sent; 0: nothing */
};
#define BPF_SYSCALL_FILTERS 64

/* Its constants: whose calls are meant, and what is counted by keys. */
struct bpf_syscall_who {
	unsigned int first_target; /* asked for first; 0: every process is meant, but */
	unsigned int own[2];	   /* engine and watchdog: their calls would feed on themselves */
	struct bpf_counts counts;
};

/* Of the pmc provider's samples that are counted (bpf/pmc.bpf.c): of whom, and the rows that have
 * the program counter of user code as arg1. */
struct bpf_pmc {
	unsigned int first_target, own[2], front;
	unsigned int cpc_rows;
	struct bpf_wants wants;
};

#endif
