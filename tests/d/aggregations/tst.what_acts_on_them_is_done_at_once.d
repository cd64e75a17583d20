/* §11.3: a snapshot is taken at the moment of printa() and trunc(): no round sees the next one's data. */
#pragma D option quiet

tick-200ms
{
	@ = count();
	printa("%@d\n", @);
	trunc(@);
}

tick-200ms
/++n == 3/
{
	exit(0);
}
