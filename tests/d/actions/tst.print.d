/*
 * print() shows a value with its type and members.
 *
 * opts: -q
 */
struct pt { int x; char tag; char name[4]; struct pt *next; };
struct pt p;

BEGIN
{
	p.x = 5;
	p.tag = 'a';
	p.name[0] = 'a';
	p.name[1] = 'b';
	print(p);
	printf("|\n");
	print(42);
	print("abc");
	print((char)10);
	print((char)0);
	print(0);
	exit(0);
}
