/*
 * Only a constant 0 goes on with the text before; another NULL faults.
 *
 * opts: -q
 */

self string s;
self char *p;

BEGIN
{
	trace(strtok("a b", " "));
	trace(strtok(self->s, " "));
}

BEGIN
{
	trace(strtok(self->p, " "));
}

BEGIN
{
	trace(strtok((char *)NULL, " "));
}

BEGIN
{
	exit(0);
}
