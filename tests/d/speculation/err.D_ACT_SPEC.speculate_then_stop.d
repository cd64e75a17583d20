/*
 * A destructive action may not follow speculate.
 *
 * message: destructive actions may not follow speculate( )
 * line: 11
 */

BEGIN
{
	speculate(1);
	stop();
}
