/*
 * A text key stands in 50 columns of bytes; a longer one is not cut, an empty one is blank.
 *
 * opts: -q
 */

BEGIN
{
	@[""] = sum(1);
	@["\303\251t\303\251"] = sum(2);
	@["\346\227\245\346\234\254"] = sum(3);
	@["a\tb"] = sum(4);
	@["0123456789012345678901234567890123456789012345678901234567890"] = sum(5);
	exit(0);
}
