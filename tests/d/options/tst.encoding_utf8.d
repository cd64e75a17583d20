/*
 * Bars and cells of block characters, in eighths.
 *
 * opts: -q -x encoding=utf8
 */

BEGIN
{
	@ = quantize(1);
	@ = quantize(2, 2);
	printa(@);
	setopt("aggpack");
	printa(@);
	exit(0);
}
