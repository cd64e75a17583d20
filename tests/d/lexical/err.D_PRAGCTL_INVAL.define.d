/*
 * Without a preprocessor #define is an invalid control line.
 *
 * message: invalid control directive: #define
 * line: 8
 */

#define A 1
BEGIN
{
	exit(0);
}
