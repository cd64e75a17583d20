/*
 * A type of a library that nothing is translated to here.
 *
 * line: 10
 * message: cannot translate from "int" to "devinfo_t *"
 */

BEGIN
{
	trace(xlate <devinfo_t *>(1)->dev_major);
}
