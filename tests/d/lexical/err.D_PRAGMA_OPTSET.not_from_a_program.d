/*
 * Some options cannot be set by a program.
 *
 * message: failed to set option 'define' to 'X': Option cannot be used from within a D program
 * line: 8
 */

#pragma D option define=X
BEGIN
{
	exit(0);
}
