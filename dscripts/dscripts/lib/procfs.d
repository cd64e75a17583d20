/* procfs.d: what the members of psinfo_t and lwpsinfo_t hold (psinfo.d). */

/* pr_dmodel */
inline char PR_MODEL_UNKNOWN = 0;
inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;

/* pr_state: SSLEEP to SWAIT go with pr_sname S, R, Z, T, O, D */
inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;
inline char SONPROC = 6;
inline char SWAIT = 7;

/* pr_flag */
inline int PR_STOPPED = 0x00000001;
inline int PR_KTHREAD = 0x00001000;
inline int PR_IDLE = 0x10000000;

/* pr_bindpro, pr_bindpset: not bound */
inline int PBIND_NONE = -1;
inline int PS_NONE = -1;
