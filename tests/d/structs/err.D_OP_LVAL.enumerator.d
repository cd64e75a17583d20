/*
 * An enumerator is a constant.
 *
 * line: 10
 */

enum e { A };
BEGIN
{
	A = 1;
}
