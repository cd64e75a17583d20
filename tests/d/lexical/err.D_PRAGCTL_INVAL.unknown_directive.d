/*
 * An unknown control line is an error that names the word only.
 *
 * message: invalid control directive: #foo
 * line: 8
 */

#foo bar
BEGIN
{
	exit(0);
}
