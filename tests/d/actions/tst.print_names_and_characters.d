/*
 * print() of a pointer: nameless types, characters only of type char, texts up to their NUL.
 *
 * opts: -q
 */

struct s {
	struct { int q; } in;
	union { int x; char y; } un;
	struct { int z; } arr[2];
	char name[8], empty[4];
	uint8_t bytes[4];
	signed char sc;
	int8_t i8;
	unsigned char uc;
	char one;
} v;

BEGIN
{
	this->p = (struct s *)alloca(sizeof(struct s));
	v.in.q = 1;
	v.un.x = 2;
	v.arr[1].z = 3;
	v.name[0] = 'a';
	v.name[1] = 'b';
	v.name[3] = 'z';
	v.empty[2] = 'z';
	v.bytes[1] = 65;
	v.sc = 66;
	v.i8 = -67;
	v.uc = 200;
	v.one = '\n';
	*this->p = v;
	print(this->p);
	print(&this->p->one);
	print(&this->p->bytes);
	exit(0);
}
