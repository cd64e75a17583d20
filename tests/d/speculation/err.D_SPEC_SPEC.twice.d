/*
 * speculate may not follow speculate.
 *
 * message: speculate( ) may not follow speculate( )
 * line: 11
 */

BEGIN
{
	speculate(1);
	speculate(2);
}
