/*
 * A committed speculation is free at once: thousands of rounds through one.
 *
 * opts: -q
 */

BEGIN
{
	n = 0;
}

tick-1ms
/n < 300/
{
	self->s = speculation();
}

tick-1ms
/n < 300/
{
	speculate(self->s);
	trace(n);
}

tick-1ms
/n < 300 && n % 100 == 99/
{
	commit(self->s);
}

tick-1ms
/n < 300 && n % 100 != 99/
{
	discard(self->s);
}

tick-1ms
/++n > 300/
{
	exit(0);
}
