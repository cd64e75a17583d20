/*
 * What is called is a name.
 *
 * message: function designator is not of function type
 * line: 10
 */

BEGIN
{
	(1)(2);
}
