/*
 * A clause whose only action is exit prints the prefix line.
 */

BEGIN
{
	exit(0);
}
