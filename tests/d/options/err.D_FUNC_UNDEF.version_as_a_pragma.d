/*
 * The version may be set in the program.
 *
 * message: undefined function name: json
 */

#pragma D option version=1.8

BEGIN
{
	trace(json("{}", "a"));
	exit(0);
}
