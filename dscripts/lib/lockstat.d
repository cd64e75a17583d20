/* lockstat.d: the arguments of the lockstat provider. */
#pragma D depends_on library unistd.d

provider lockstat {
	probe adaptive__block(uintptr_t lock, uint64_t ns);
	probe adaptive__spin(uintptr_t lock, uint64_t ns);
	probe spin__spin(uintptr_t lock, uint64_t ns);
	probe rw__block(uintptr_t lock, uint64_t ns, int is_reader);
	probe rw__spin(uintptr_t lock, uint64_t ns, int is_reader);
};
