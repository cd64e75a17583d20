/*
 * What ended a token is still there for the next call.
 *
 * opts: -q
 */

BEGIN
{
	trace(strtok("aXb", "X"));
	trace(" ");
	trace(strtok(NULL, "b"));
	trace(" ");
	trace(strtok(0, "Xb") == NULL);
	trace("\n");
	trace(strtok("k=v;w", "="));
	trace(strtok(NULL, ";"));
	trace(strtok(NULL, ""));
	trace("\n");
	exit(0);
}
