/* pmc.d: the arguments of the pmc provider. */

/* providers/machine/pmc.h has the same structures. */
typedef struct pmc_name {
	char name[48];
} pmc_name_t;

typedef struct pmc_counts {
	uint32_t count, pad;
	uint64_t counters[16];
	pmc_name_t names[16];
} pmc_counts_t;

provider pmc {
	probe sample__src(uint64_t id, char *name, uint64_t interval) :
		(uint64_t id, string name, uint64_t interval);
	probe counter__src(uint64_t count, pmc_name_t *names);
};
