/*
 * A value in quotes may have blanks; the quotes are not part of it.
 *
 * opts: -q
 */
#pragma D option report="prom:/dev/stdout"
#pragma D option aggtitle="calls:Calls of a program, by name"
BEGIN
{
	@calls = count();
	exit(0);
}
