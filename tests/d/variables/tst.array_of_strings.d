/*
 * The elements of an array may be strings.
 *
 * opts: -q
 */

BEGIN
{
	a["k"] = "v";
	a["l"] = "w";
	printf("%s%s\n", a["k"], a["l"]);
	a["k"] = NULL;
	printf("%d\n", a["k"] == NULL);
	exit(0);
}
