/*
 * curcpu is a pointer to a structure: a value, that can be cast and kept for the clause.
 *
 * opts: -q
 */

BEGIN
{
	this->c = curcpu;
	printf("%d %d %d\n", curcpu != NULL, (int64_t)curcpu != 0, this->c->cpu_id == cpu);
	printf("%s %d %d\n", stringof(this->c->cpu_info.pi_processor_type), sizeof(*curcpu), curcpu->cpu_chip == chip);
	printf("%d\n", (*curcpu).cpu_pset);
	exit(0);
}
