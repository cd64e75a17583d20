/*
 * #pragma D option needs an option.
 *
 * message: malformed #pragma option <option>=<val>
 * line: 8
 */

#pragma D option
BEGIN
{
	exit(0);
}
