/* vminfo.d: the arguments of the vminfo provider: by how much something has grown. */
#pragma D depends_on library unistd.d

provider vminfo {
	probe as_fault(uint64_t n);
	probe maj_fault(uint64_t n);
	probe min_fault(uint64_t n);
	probe zfod(uint64_t n);
	probe cow_fault(uint64_t n);
	probe prot_fault(uint64_t n);
	probe pgrec(uint64_t n);
	probe anonpgin(uint64_t n);
	probe execpgin(uint64_t n);
	probe fspgin(uint64_t n);
	probe pgin(uint64_t n);
	probe pgout(uint64_t n);
	probe pgpgin(uint64_t n);
	probe pgpgout(uint64_t n);
	probe scan(uint64_t n);
	probe rev(uint64_t n);
	probe pgrrun(uint64_t n);
	probe dfree(uint64_t n);
	probe swapin(uint64_t n);
	probe swapout(uint64_t n);
	probe pgswapin(uint64_t n);
	probe pgswapout(uint64_t n);
};
