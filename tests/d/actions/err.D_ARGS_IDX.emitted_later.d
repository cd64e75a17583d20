/*
 * The fields are known behind the first call.
 */

emit:::e
{
	trace(args[0]);
}

BEGIN
{
	emit("e", 1);
}
