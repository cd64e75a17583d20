/*
 * An unknown option in a pragma is an error.
 *
 * message: failed to set option 'nosuch': Invalid option name
 * line: 8
 */

#pragma D option nosuch
BEGIN
{
	exit(0);
}
