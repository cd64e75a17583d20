/* pf.d: the arguments of the pf provider. */
#pragma D depends_on library unistd.d

/* arg3 of valloc and vfree: PROT_READ ... (sys/mman.h) in the upper bits, MAP_PRIVATE ... in the lower 16. */
inline int PF_PROT_SHIFT = 16;
inline int PF_DONTNEED = 0x8000; /* vfree: by madvise(), the addresses stay */

provider pf {
	probe hardflt(char *file, uintptr_t va, uint64_t us, uint64_t offset, int tid) :
		(string file, uintptr_t va, uint64_t us, uint64_t offset, int tid);
	probe imgload(char *file, int flags, int major, int minor) :
		(string file, int flags, int major, int minor);
	probe valloc(uintptr_t va, pid_t pid, size_t size, int prot);
	probe vfree(uintptr_t va, pid_t pid, size_t size, int prot);
	probe trans_flt(uintptr_t va, uintptr_t pc, int in_kernel);
	probe dzero_flt(uintptr_t va, uintptr_t pc, int in_kernel);
	probe cow_flt(uintptr_t va, uintptr_t pc, int in_kernel);
	probe gp_flt(uintptr_t va, uintptr_t pc, int in_kernel);
	probe hp_flt(uintptr_t va, uintptr_t pc, int in_kernel);
	probe av_flt(uintptr_t va, uintptr_t pc, int in_kernel);
};
