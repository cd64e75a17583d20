/*
 * exit may not follow speculate.
 *
 * message: exit( ) may not follow speculate( )
 * line: 11
 */

BEGIN
{
	speculate(1);
	exit(0);
}
