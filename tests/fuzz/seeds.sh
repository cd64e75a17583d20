#!/bin/sh
# seeds.sh DIR: builds the inputs of fuzz_dwarf that compilers make: DWARF 4 and 5, packed sections,
# split units with their packages, what dwz makes. Small, so that many changes of them can be tried.
# Two files that belong together are one input: "TWO", a NUL, the first one's length, both.
set -eu
out=$(cd "$1" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

cat >p.c <<'EOF'
enum e { ONE, TWO = 2 };
union u { int i; char c[8]; };
typedef struct s { int a : 3, b; struct s *next; union u in[2]; enum e kind; int (*call)(long, struct s *); } t;
t var, *list[2];
__thread int per_thread;
int used(t *p, double d, union u by_value)
{
	static int count;
	struct { short x; } local = {(short)p->b};

	count += by_value.i + (int)d;
	return local.x + count;
}
void _start(void) { per_thread = used(&var, 1.5, var.in[0]); }
EOF
cat >q.c <<'EOF'
struct s;
extern struct s var;
struct only { long far; char text[3]; } cls;
long second(struct s *p, struct only *o) { return o->far + (p == &var); }
EOF

two() { # two NAME FIRST SECOND
	python3 - "$out/$1" "$2" "$3" <<'EOF'
import struct, sys
a, b = (open(p, 'rb').read() for p in sys.argv[2:])
open(sys.argv[1], 'wb').write(b'TWO\0' + struct.pack('<I', len(a)) + a + b)
EOF
}
build() { # build COMPILER FLAGS...: p and its split units in a place called /f
	rm -f p ./*.dwo
	mkdir -p f
	cc=$1
	shift
	for source in p q; do
		"$cc" -O1 -fno-asynchronous-unwind-tables -ffreestanding -fno-stack-protector -fdebug-prefix-map="$tmp=/f" -w "$@" -c $source.c -o $source.o
	done
	"$cc" -nostdlib -static -Wl,--build-id=none -Wl,-z,noseparate-code -o p p.o q.o
}
for cc in gcc clang; do
	build $cc -gdwarf-4 -gz
	cp p "$out/$cc-4-z"
	build $cc -gdwarf-5 -gz
	cp p "$out/$cc-5-z"
	for version in 4 5; do
		build $cc -gdwarf-$version -gsplit-dwarf
		two $cc-$version-split p p.dwo
		tool=dwp
		[ $cc = gcc ] || tool=llvm-dwp
		if $tool -e p -o p.dwp 2>/dev/null; then two $cc-$version-package p p.dwp; fi
	done
	build $cc -gdwarf-5 -gsplit-dwarf -gz
	two $cc-5-split-z p p.dwo
done
build gcc -gdwarf-4 -gsplit-dwarf -fdebug-types-section
two gcc-4-split-types p p.dwo
build gcc -gdwarf-5 -gz=zlib-gnu
cp p "$out/gcc-5-zdebug"
build gcc -gdwarf-5
objcopy --compress-debug-sections=zstd p "$out/gcc-5-zstd" || true
for version in 4 5; do
	build gcc -gdwarf-$version
	cp p p2
	dwz -m common -M /f/common p p2
	two gcc-$version-dwz p common
done
