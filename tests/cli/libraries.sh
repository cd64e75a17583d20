# D libraries (docs/spec/d-language.md §16.1): directories, order of dependence, what is left out, and
# how errors are said.
. tests/lib/lib.sh

lib() { # lib DIR/FILE: its text on standard input
	mkdir -p "$TMP/$(dirname "$1")"
	cat >"$TMP/$1"
}
here=$(pwd)
case $DTRACE in /*) ;; *) DTRACE=$here/$DTRACE ;; esac
cd "$TMP" || exit 1

# An inline of a library is a name of every program.
lib one/val.d <<'END'
inline int libval = 11;
#pragma D attributes Evolving/Evolving/Common libval
END
d -qL one -n 'BEGIN { trace(libval); exit(0); }'
ends 0 "a library"
is "its inline" "$out" 11
# `-x libdir` is the same, and a pragma comes too late.
d -q -x libdir=one -n 'BEGIN { trace(libval); exit(0); }'
is "-x libdir" "$out" 11
printf '#pragma D option libdir=one\nBEGIN { trace(libval); exit(0); }\n' >late.d
d -qs late.d
is "too late" "$err" "dtrace: failed to compile script late.d: line 2: failed to resolve libval: Unknown variable name"
# `-x nolibs` skips all.
d -q -x nolibs -L one -n 'BEGIN { trace(libval); exit(0); }'
is "nolibs" "$err" "dtrace: invalid probe specifier BEGIN { trace(libval); exit(0); }: in action list: failed to resolve libval: Unknown variable name"
# A directory that does not exist is ignored, and only *.d counts.
echo 'this is no D' >one/README
d -qL nosuch -L one -n 'BEGIN { trace(libval); exit(0); }'
is "no such directory" "$out" 11
# `-x syslibdir` replaces the system's directory.
d -q -x syslibdir=one -n 'BEGIN { trace(libval); exit(0); }'
is "syslibdir" "$out" 11

# A name of a library cannot be redefined; a declaration with the same type changes nothing.
d -q -L one -x errtags -n 'inline int libval = 3; BEGIN { exit(0); }'
is "redefined" "$err" 'dtrace: invalid probe specifier inline int libval = 3; BEGIN { exit(0); }: [D_DECL_IDRED] identifier redefined: libval
	 current: inline definition
	previous: scalar inline'
echo 'int libval; BEGIN { trace(libval); exit(0); }' >same.d
d -qL one -s same.d
is "declared again" "$out" 11
echo 'string libval; BEGIN { exit(0); }' >other.d
d -qL one -x errtags -s other.d
like "declared otherwise" "$err" '*D_DECL_IDRED*identifier redeclared: libval*'
# Its attributes are not the program's to say.
printf '#pragma D attributes Stable/Stable/Common libval\nBEGIN { exit(0); }\n' >attr.d
d -qL one -x errtags -s attr.d
is "attributes" "$err" 'dtrace: failed to compile script attr.d: [D_PRAGMA_SCOPE] line 1: #pragma attributes cannot modify entity defined outside program scope'
# A program has its own.
d -qvL one -n 'dtrace:::BEGIN { trace(libval); exit(0); }'
like "report" "$out" '*Minimum Statement Attributes
		Identifier Names: Evolving
		Data Semantics:   Evolving
		Dependency Class: Common*'

# Files are compiled after those they depend on.
lib order/a.d <<'END'
#pragma D depends_on library z.d
inline int a = z + 1;
END
lib order/z.d <<'END'
inline int z = 41;
END
d -qL order -n 'BEGIN { trace(a); exit(0); }'
is "order" "$out" 42
# One of another directory will do.
lib order2/b.d <<'END'
#pragma D depends_on library a.d
inline int b = a * 2;
END
d -qL order2 -L order -n 'BEGIN { trace(b); exit(0); }'
is "another directory" "$out" 84
# A cycle; a missing one.
lib cycle/c.d <<'END'
#pragma D depends_on library d.d
END
lib cycle/d.d <<'END'
#pragma D depends_on library c.d
END
d -qL cycle -n 'BEGIN { exit(0); }'
ends 1 "a cycle"
is "a cycle" "$err" "dtrace: invalid probe specifier BEGIN { exit(0); }: Cyclic dependency detected: cycle/c.d => cycle/d.d"
lib self/s.d <<'END'
#pragma D depends_on library s.d
END
d -qL self -n 'BEGIN { exit(0); }'
is "of itself" "$err" "dtrace: invalid probe specifier BEGIN { exit(0); }: Cyclic dependency detected: self/s.d => self/s.d"
lib missing/d.d <<'END'
#pragma D depends_on library nosuch.d
END
d -qL missing -n 'BEGIN { exit(0); }'
is "a missing one" "$err" "dtrace: invalid probe specifier BEGIN { exit(0); }: Invalid library dependency in missing/d.d: missing/nosuch.d"

# What depends on a provider or module that is not there is skipped, whatever errors follow.
lib skip/s.d <<'END'
inline int before = 1;
#pragma D depends_on provider nosuchprovider
this is no D at all
END
lib skip/m.d <<'END'
#pragma D depends_on module nosuchmodule
neither is this
END
lib skip/p.d <<'END'
#pragma D depends_on provider profile
#pragma D depends_on provider pid
inline int there = 2;
END
d -qL skip -n 'BEGIN { trace(there); exit(0); }'
is "skipped" "$out$err" 2

# Any other error is that of the first program, with the library's path and line.
lib lib2/b.d <<'END'
inline int x = 1;;
END
d -L lib2 -x errtags -n 'BEGIN{exit(0)}'
ends 1 "an error"
is "an error" "$err" 'dtrace: invalid probe specifier BEGIN{exit(0)}: [D_SYNTAX] "lib2/b.d", line 1: syntax error near ";"'
lib lib3/b.d <<'END'
inline int ok = 1;

inline string wrong = 1 + 1;
END
echo 'BEGIN { exit(0); }' >p.d
d -L lib3 -x errtags -s p.d
is "an error of a script" "$err" 'dtrace: failed to compile script p.d: [D_OP_INCOMPAT] "lib3/b.d", line 3: inline wrong definition uses incompatible types: "string" = "int"'
# The same name in two directories; the second fails.
lib twice1/a.d <<'END'
inline int twice = 1;
END
cp -r twice1 twice2
d -L twice1 -L twice2 -x errtags -n 'BEGIN{exit(0)}'
like "defined in both" "$err" '*D_DECL_IDRED\] "twice2/a.d", line 1: identifier redefined: twice*'

# Clauses are compiled but never enabled, and need not match.
lib clauses/c.d <<'END'
BEGIN { printf("never\n"); }
nosuch:::probe { trace(1); }
END
d -qL clauses -n 'BEGIN { exit(0); }'
ends 0 "clauses of a library"
is "clauses of a library" "$out$err" ""
lib wrong/c.d <<'END'
BEGIN { trace(nosuch); }
END
d -L wrong -n 'BEGIN{exit(0)}'
is "a wrong clause" "$err" 'dtrace: invalid probe specifier BEGIN{exit(0)}: "wrong/c.d", line 1: failed to resolve nosuch: Unknown variable name'

# Libraries are exempt from the program's version and minimum stability; their bindings hold.
lib new/n.d <<'END'
inline string text = tolower("ABC");
inline kthread_t *t = curthread;
inline int later = 5;
#pragma D binding "1.6" later
END
d -q -x version=1.2 -x amin=Stable/Stable/Common -L new -n 'dtrace:::BEGIN { trace(text); exit(0); }'
is "exempt" "$out$err" abc
d -q -x version=1.5 -L new -n 'BEGIN { trace(later); exit(0); }'
like "bound to a newer version" "$err" '*failed to resolve later: Unknown variable name'
d -q -x version=1.6 -L new -n 'BEGIN { trace(later); exit(0); }'
is "bound to this version" "$out" 5
d -q -L new -x amin=Stable/Stable/Common -n 'dtrace:::BEGIN { trace(t); exit(0); }'
like "an inline is as stable as what it reads" "$err" '*attributes for *t (Stable/Private/Common) are less than predefined minimum'

# An empty library, one of comments only, and types and translators.
: >new/empty.d
echo '/* nothing */' >new/comment.d
lib new/t.d <<'END'
typedef struct pt { int x, y; } pt_t;
translator pt_t < int v > { x = v / 10; y = v % 10; };
provider app { probe p(int v) : (pt_t *v); };
END
d -qL new -n 'BEGIN { printf("%d,%d\n", xlate <pt_t>(42).x, xlate <pt_t *>(42)->y); exit(0); }'
is "types and translators" "$out" "4,2"

# What cannot be read is left out with a word.
mkdir -p odd/dir.d
d -L odd -n 'BEGIN { exit(0); }'
ends 0 "no regular file"
like "no regular file" "$err" "dtrace: library odd/dir.d is left out: it is not a regular file*"
finish
