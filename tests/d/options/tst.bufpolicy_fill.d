/*
 * With bufpolicy=fill a full buffer ends tracing; END has room; nothing is a drop.
 *
 * opts: -q -x bufpolicy=fill -b 12
 */

BEGIN
{
	printf("a\n");
}

BEGIN
{
	printf("b\n");
}

BEGIN
{
	printf("c: no room\n");
}

END
{
	printf("end\n");
}
