/*
 * An array that tracemem gets is the address it begins at.
 */

struct record {
	int n;
	char text[12];
};
struct record r;
char line[4];

BEGIN
{
	r.text[0] = 'a';
	r.text[1] = 'b';
	line[3] = 'z';
	tracemem(r.text, 12);
	tracemem(line, 4);
	exit(0);
}
