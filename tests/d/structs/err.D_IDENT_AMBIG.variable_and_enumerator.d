/*
 * A name that is both a variable and a tag of the enum on the other side is ambiguous.
 *
 * line: 12
 */

int RED;
enum color { RED, GREEN };
enum color v;
BEGIN
{
	trace(v == RED);
}
