/*
 * An event of the program's own fires the clauses that name it when those of the event at hand have
 * run, with its fields as arguments and a new set of this-> variables; what was emitted before
 * exit() still fires.
 *
 * status: 3
 */
#pragma D option quiet

struct pair {
	int a;
	char b[4];
};

BEGIN
{
	this->n = 7;
	p = (struct pair *)alloca(sizeof(struct pair));
	p->a = 9;
	p->b[0] = 'q';
	emit("made", pid, (short)-3, "text", *p);
	emit("made", pid + 1, 70000, "other", *p);
	printf("BEGIN has run\n");
	exit(3);
}

BEGIN
{
	printf("not here\n");
}

emit:::made
{
	printf("%d %d %s %d %c this %d\n", args[0] - pid, args[1], args[2], args[3].a, args[3].b[0],
	    this->n);
	printf("%s:%s:%s:%s arg1 %d self %d\n", probeprov, probemod, probefunc, probename,
	    (int)arg1, tid == pid);
	this->n = 8;
}

emit:::made
/args[2] == "other"/
{
	emit("deep", strjoin(args[2], "!"));
}

emit:::deep
{
	printf("deep %s\n", args[0]);
	exit(4);
}

emit:::deep
{
	printf("not here\n");
}

END
{
	emit("last");
}

emit:::last
{
	printf("last\n");
}
