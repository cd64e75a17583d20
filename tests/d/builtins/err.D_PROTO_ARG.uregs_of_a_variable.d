/*
 * The index of uregs[] is an integer constant.
 *
 * line: 10
 */

BEGIN
{
	i = 3;
	trace(uregs[i]);
}
