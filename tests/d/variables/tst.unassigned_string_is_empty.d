/*
 * A never-assigned global or this-> string reads as the empty one.
 *
 * opts: -q
 */

string g;
BEGIN
{
	printf("[%s]\n", g);
	printf("%d\n", g == NULL);
	printf("%d\n", g == "");
	printf("%d\n", strlen(g));
	exit(0);
}
