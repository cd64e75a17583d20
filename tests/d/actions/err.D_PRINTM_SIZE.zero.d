/*
 * printm() records a constant number of bytes.
 *
 * message: printm( ) argument #1 must be a non-zero positive integral constant expression
 * line: 10
 */

BEGIN
{
	printm(0, memref("abc", 3));
}
