/*
 * A predicate that asks whether an element is there, before any clause has assigned it.
 *
 * opts: -q
 */

BEGIN
/!seen["a", 1]/
{
	trace(1);
}

BEGIN
{
	seen["a", 1] = timestamp;
}

BEGIN
/!seen["a", 1]/
{
	trace(2);
}

BEGIN
{
	exit(0);
}
