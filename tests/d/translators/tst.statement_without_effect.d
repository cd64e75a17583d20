/*
 * A translation as a statement has no effect.
 *
 * opts: -q
 */

struct o { int a; };
translator struct o < int p > { a = p; };

BEGIN
{
	xlate <struct o>(1);
	xlate <struct o *>(1);
	exit(0);
}
