/*
 * A typedef names a type.
 *
 * opts: -q
 */

typedef unsigned char byte;
typedef struct point {
	int x;
	int y;
} point_t;
typedef int *intp;
byte b;
point_t p;
BEGIN
{
	b = 257;
	p.x = 3;
	p.y = 4;
	printf("%d %d %d\n", b, p.x, p.y);
	printf("%d %d %d\n", sizeof(byte), sizeof(point_t), sizeof(intp));
	exit(0);
}
