/*
 * Not quiet, the rows stand between the prefix and the newline of the record.
 */

BEGIN
{
	@["a"] = sum(3);
	printa(@);
	exit(0);
}
