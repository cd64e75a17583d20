/*
 * A provider declaration makes no probes.
 */

provider app { probe start(int, char *); probe done(int a) : (uintptr_t a); };

BEGIN
{
	exit(0);
}
