/*
 * llquantize cuts every order of magnitude in equal parts.
 *
 * opts: -q
 */

BEGIN
{
	@ = llquantize(4, 10, 1, 2, 10);
	@ = llquantize(9, 10, 1, 2, 10);
	@ = llquantize(10, 10, 1, 2, 10);
	@ = llquantize(12, 10, 1, 2, 10);
	@ = llquantize(35, 10, 1, 2, 10);
	@ = llquantize(80, 10, 1, 2, 10);
	@ = llquantize(99, 10, 1, 2, 10);
	@ = llquantize(100, 10, 1, 2, 10);
	@ = llquantize(450, 10, 1, 2, 10);
	@ = llquantize(2000, 10, 1, 2, 10);
	exit(0);
}
