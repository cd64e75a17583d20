/*
 * A definition may read built-in variables; it is evaluated where it is used.
 *
 * opts: -q
 */

struct o { int p; string name; };
translator struct o < int unused > { p = pid; name = probename; };

BEGIN
{
	printf("%d %s\n", xlate <struct o>(0).p == pid, xlate <struct o>(0).name);
}

END
{
	printf("%s\n", xlate <struct o>(0).name);
}

BEGIN
{
	exit(0);
}
