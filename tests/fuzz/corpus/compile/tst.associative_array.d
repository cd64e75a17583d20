/*
 * An associative array is keyed by a tuple; a missing element is 0.
 *
 * opts: -q
 */

BEGIN
{
	a[1, "x"] = 10;
	a[1, "y"] = 20;
	a[2, "x"] = 30;
	printf("%d\n", a[1, "x"] + a[1, "y"] + a[2, "x"]);
	printf("%d\n", a[2, "y"]);
	a[1, "x"]++;
	a[2, "y"] += 5;
	printf("%d\n", a[1, "x"]);
	printf("%d\n", a[2, "y"]);
	a[1, "x"] = 0;
	printf("%d\n", a[1, "x"]);
	exit(0);
}
