/*
 * Structures of the kernel are known by their tags where one is declared by value, too.
 *
 * opts: -q
 */

struct iphdr v;
struct pair { struct list_head l; union sigval u; } p;
self struct list_head l;
this sigval_t x;

BEGIN
{
	v.ttl = 64;
	v.saddr = 0x0100007f;
	p.u.sival_int = 4;
	self->l.next = NULL;
	this->x.sival_int = 5;
	printf("%d %d %d %d %d %d\n", v.ttl, v.saddr, sizeof(v), p.u.sival_int, this->x.sival_int, sizeof(struct pair));
	exit(0);
}
