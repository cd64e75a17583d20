/*
 * json(text, selector): string values with their escapes left, everything else as its text; NULL
 * if it is missing or malformed.
 *
 * opts: -q -x strsize=1k
 */

string text;
BEGIN
{
	text = "{ \"a\" : [1, {\"b\":\"x\"}], \"n\":-1.5e+3, \"t\":true, \"nil\":null, \"s\":\"q\\\"uo\\\\te\", \"o\":{\"x\":[ ],\"y\":{}}, \"a\":2 }";
	printf("%s\n", json("{\"a\":[1,{\"b\":\"x\"}]}", "a[1].b"));
	printf("%s\n", json(text, "a[1].b"));
	printf("%s\n", json(text, "a[0]"));
	printf("%s\n", json(text, "a"));
	printf("%s\n", json(text, "n"));
	printf("%s\n", json(text, "t"));
	printf("%s\n", json(text, "nil"));
	printf("%s\n", json(text, "s"));
	printf("%s\n", json(text, "o"));
	printf("%s\n", json(text, "o.x"));
	printf("%s\n", json("[[1,2],[3,4]]", "[1][0]"));
	printf("%d\n", strtoll(json("{\"v\":42}", "v")) + 1);
}

BEGIN
{
	printf("%d", json(text, "b") == NULL);
	printf("%d", json(text, "a[2]") == NULL);
	printf("%d", json(text, "o.x[0]") == NULL);
	printf("%d", json(text, "n.x") == NULL);
	printf("%d", json(text, "a[x]") == NULL);
	printf("%d", json(text, "") == NULL);
	printf("%d", json(text, "o..x") == NULL);
	printf("%d", json("", "a") == NULL);
	printf("%d", json("{", "a") == NULL);
	printf("%d", json("{\"a\":1x,\"b\":2}", "b") == NULL);
	printf("%d", json("{\"a\":[1,},\"b\":2}", "b") == NULL);
	printf("%d", json("{\"a\":\"b", "a") == NULL);
	printf("%d", json("7", "a") == NULL);
	printf("\n");
	exit(0);
}
