/*
 * Without a preprocessor #include is an invalid control line.
 *
 * message: invalid control directive: #include
 * line: 8
 */

#include <x.h>
BEGIN
{
	exit(0);
}
