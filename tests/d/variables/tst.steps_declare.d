/*
 * ++ and -- make an int64_t of a variable that was not declared: a global one, an element, self-> and this->.
 *
 * opts: -q
 */

BEGIN
{
	plain++;
	++self->thread;
	this->clause--;
	cpus[3, "x"]++;
	cpus[3, "x"]++;
	self->mine["a"]--;
	printf("%d %d %d %d %d\n", plain, self->thread, this->clause, cpus[3, "x"], self->mine["a"]);
	printf("%d %d %d %d\n", sizeof(plain), sizeof(self->thread), sizeof(this->clause), sizeof(cpus[3, "x"]));
	this->len = queue[7]++;
	@[this->len] = count();
}

BEGIN
/queue[7]/
{
	queue[7]--;
	exit(queue[7]);
}
