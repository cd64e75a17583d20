/*
 * With zdefs the clause of a probe that nobody has is checked by the types that its provider was declared with.
 *
 * opts: -q -x zdefs
 */

provider nosuch {
	probe foo(int a, string b);
};

nosuch:::foo
/args[0] > 1 && args[1] == "x"/
{
	printf("%d %s\n", args[0], args[1]);
}

BEGIN
{
	printf("declared");
	exit(0);
}
