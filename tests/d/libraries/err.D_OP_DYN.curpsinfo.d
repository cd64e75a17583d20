/*
 * Translations may not be chosen between.
 *
 * line: 10
 * message: operator ?: operands cannot be of dynamic type
 */

BEGIN
{
	pid ? curpsinfo : curpsinfo;
}
