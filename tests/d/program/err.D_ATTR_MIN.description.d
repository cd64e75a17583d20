/*
 * A description without a provider is Unstable; the line is that of the closing brace.
 *
 * line: 13
 * message: attributes for clause (Unstable/Unstable/Common) are less than predefined minimum
 */

#pragma D option amin=Stable/Stable/Common

BEGIN
{
	exit(0);
}
