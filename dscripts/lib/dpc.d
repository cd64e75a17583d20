/* dpc.d: the arguments of the dpc provider. */
#pragma D depends_on library unistd.d

/* vec: HI 0, TIMER 1, NET_TX 2, NET_RX 3, BLOCK 4, IRQ_POLL 5, TASKLET 6, SCHED 7, HRTIMER 8, RCU 9;
 * -1: of a work queue */
provider dpc {
	probe dpc(uint64_t begun, uintptr_t routine, int vec);
	probe timer(uint64_t begun, uintptr_t routine, int vec);
	probe thread(uint64_t begun, uintptr_t routine, int vec);
};
