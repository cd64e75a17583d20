#!/usr/bin/env -S dtrace -s
/* test.d: what the language has, each thing once: variables of all kinds, structures, arithmetic, aggregations. */
#pragma D option quiet

typedef struct point {
	int x, y;
} point_t;

enum colours { RED, GREEN = 5, BLUE };
inline int LIMIT = 4;

point_t corner;
int squares[int];
self int depth;
this string word;

BEGIN
{
	corner.x = 3;
	corner.y = -4;
	printf("a structure      %d %d, %d bytes\n", corner.x, corner.y, sizeof (point_t));
	printf("enumerators      %d %d %d\n", RED, GREEN, BLUE);
	printf("arithmetic       %d %d %d %#x %d\n", 7 / 2, 7 % 3, -7 >> 1, ~0xf0 & 0xff, (char)200);
	squares[2] = 4;
	squares[3] = 9;
	pairs["a", 1] = squares[2] + squares[3];
	printf("arrays           %d %d %d\n", squares[3], squares[4], pairs["a", 1]);
	self->depth = 1;
	self->depth++;
	this->word = self->depth > 1 ? "deep" : "flat";
	printf("self and this    %d %s\n", self->depth, this->word);
	printf("formats          %5d|%-5d|%05d|%x|%c|%s|\n", 42, 42, 42, 42, 'z', "text");
	n = 0;
}

BEGIN
{
	n++;
	@counts["n", n & 1 ? "odd" : "even"] = count();
	@sums = sum(n);
	@means = avg(n);
	@least = min(n);
	@most = max(n);
}

tick-1ms
{
	n++;
	@counts["n", n & 1 ? "odd" : "even"] = count();
	@sums = sum(n);
	@means = avg(n);
	@least = min(n);
	@most = max(n);
	@powers = quantize(1 << n);
	@lines = lquantize(n, 0, 6, 2);
}

tick-1ms
/n == LIMIT/
{
	exit(0);
}

END
{
	printa("aggregations     %s %-5s %@d\n", @counts);
	printa("sum avg min max  %@d %@d %@d %@d\n", @sums, @means, @least, @most);
	printa(@powers);
	printa(@lines);
}
