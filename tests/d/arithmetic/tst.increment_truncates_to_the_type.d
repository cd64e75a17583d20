/*
 * ++, -- and op= truncate to the variable's type.
 *
 * opts: -q
 */

char c;
uint8_t b;
uint16_t h;
int i;
BEGIN
{
	c = 127;
	c++;
	printf("%d\n", c);
	b = 255;
	b++;
	printf("%d\n", b);
	b--;
	printf("%d\n", b);
	h = 0;
	h -= 1;
	printf("%d\n", h);
	i = 2147483647;
	i += 1;
	printf("%d\n", i);
	b = 200;
	b *= 2;
	printf("%d\n", b);
	exit(0);
}
