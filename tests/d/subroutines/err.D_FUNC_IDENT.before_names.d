/*
 * What is called is a name: seen while parsing, before any name is looked up.
 *
 * line: 10
 * message: function designator is not of function type
 */

BEGIN
{
	x = nosuch-1();
}
