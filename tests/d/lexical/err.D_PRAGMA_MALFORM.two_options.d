/*
 * One option per line.
 *
 * message: superfluous arguments specified for #pragma option
 * line: 8
 */

#pragma D option quiet flowindent
BEGIN
{
	exit(0);
}
