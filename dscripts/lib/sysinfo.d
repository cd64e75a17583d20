/* sysinfo.d: the arguments of the sysinfo provider: by how much something has grown. */
#pragma D depends_on library unistd.d

provider sysinfo {
	probe pswitch(uint64_t n);
	probe inv_swtch(uint64_t n);
	probe idlethread(uint64_t n);
	probe cpumigrate(uint64_t n);
	probe sysread(uint64_t n);
	probe syswrite(uint64_t n);
	probe readch(uint64_t n);
	probe writech(uint64_t n);
	probe sysexec(uint64_t n);
	probe sysfork(uint64_t n);
	probe sysvfork(uint64_t n);
	probe nthreads(uint64_t n);
	probe procovf(uint64_t n);
	probe trap(uint64_t n);
	probe intr(uint64_t n);
	probe xcalls(uint64_t n);
	probe mutex_adenters(uint64_t n);
	probe rw_rdfails(uint64_t n);
	probe rw_wrfails(uint64_t n);
	probe bread(uint64_t n);
	probe bwrite(uint64_t n);
	probe modload(uint64_t n);
	probe modunload(uint64_t n);
};
