/* isr.d: the arguments of the isr provider. */
#pragma D depends_on library unistd.d

/* handled: 0 it was not its device's, 1 it was, 2 a thread does the rest. */
provider isr {
	probe isr(uint64_t begun, uintptr_t routine, int handled, int irq, uint64_t pmc);
};
