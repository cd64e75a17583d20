/*
 * A name that is both a variable and a tag of the enum on the other side is ambiguous.
 *
 * line: 13
 * message: RED is ambiguous: a variable and an enumerator of enum color
 */

int RED;
enum color { RED, GREEN };
enum color v;
BEGIN
{
	trace(v == RED);
}
