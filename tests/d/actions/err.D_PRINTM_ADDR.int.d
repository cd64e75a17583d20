/*
 * printm() prints what memref() names.
 *
 * message: printm( ) argument #2 must be the result of memref( )
 * line: 10
 */

BEGIN
{
	printm(4, 3);
}
