/*
 * strtok skips delimiters and continues with NULL; at the end it is NULL, again and again.
 *
 * opts: -q
 */

BEGIN
{
	printf("%s\n", strtok("a,,b", ","));
	printf("%s\n", strtok(NULL, ","));
	printf("%d\n", strtok(NULL, ",") == NULL);
	printf("%d\n", strtok(NULL, ",") == NULL);
	printf("%s\n", strtok("/usr/lib:x", "/:"));
	printf("%s\n", strtok(NULL, "/:"));
	printf("%s\n", strtok(NULL, "/"));
	printf("%d\n", strtok(",,,", ",") == NULL);
	printf("%d\n", strtok("", ",") == NULL);
	exit(0);
}
