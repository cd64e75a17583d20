/*
 * A name that is both a variable and a tag of the enum on the other side is ambiguous.
 *
 * target: types
 * line: 12
 * message: RED is ambiguous: a variable and an enumerator of enum color
 */

int RED;
pid$target:a.out:find:entry
{
	trace(args[0]->color == RED);
}
