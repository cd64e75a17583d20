/*
 * curcpu describes the CPU; pset, chip and lgrp are members of it.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %d %d %d\n", curcpu->cpu_id == cpu, pset == curcpu->cpu_pset,
	    chip == curcpu->cpu_chip, lgrp == curcpu->cpu_lgrp);
	printf("%s %d\n", curcpu->cpu_info.pi_processor_type, curcpu->cpu_info.pi_state == P_ONLINE);
	exit(0);
}
