/*
 * A provider may be declared again if all is as it was.
 */

provider app { probe start(int, char *); probe done(int a); };
provider app { probe start(int, char *); };

BEGIN
{
	exit(0);
}
