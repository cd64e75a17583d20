#!/bin/sh
# references.sh: what comments and documents refer to is there: chapters of docs/spec, headings of the map, files.
# A chapter is one of a file of docs/spec right before it, or of a standard named before it in the same comment.
cd "$(dirname "$0")/.." || exit 1
list=${TMPDIR:-/tmp}/references.$$
trap 'rm -f "$list" "$list.read"' EXIT

find base symbols tracer inject hook dlang providers command tests bench dscripts docs -type f ! -path '*/corpus/*' >"$list"
ls -- *.md dtrace.c Makefile >>"$list"
grep -E '\.(c|h|S|def|d|sh|py|md|[1-8])$|^tests/(run|setup)$|^Makefile$' "$list" >"$list.read"
{
	sed 's/^/file /' "$list"
	grep -HE '^#+ ' docs/spec/*.md | sed -nE 's/^([^:]*):#+ ([0-9.]+) .*/chapter \1 \2/p'
	sed -nE 's/^## +(.*)/heading \1/p' ARCHITECTURE.md
	sed 's/^/read /' "$list.read"
} | LC_ALL=C awk '
BEGIN {
	section = "\302\247"
	standards = "DWARF [0-9]|System V ABI|psABI|Itanium C\\+\\+ ABI|ELF Handling For Thread-Local Storage|" \
		"LSB Core|C11|SDM [0-9]|Intel SDM"
	room = "(base|symbols|tracer|inject|hook|dlang|providers|command|tests|bench|dscripts|docs)/"
}

function complain(what) {
	print name ":" at ": " what
	failed = 1
}

# Chapters: what stands before the sign, and the number behind it.
function check_sections(text,   i, before, number, owner) {
	owner = before = ""
	while ((i = index(text, section))) {
		before = before substr(text, 1, i - 1)
		text = substr(text, i + 2)
		number = match(text, /^[0-9]+(\.[0-9]+)*/) ? substr(text, 1, RLENGTH) : ""
		if (match(before, /docs\/spec\/[a-z-]+\.md $/))
			owner = substr(before, RSTART, RLENGTH - 1)
		else if (before !~ /^(,| and| or) $/ || !owner)
			owner = ""
		if (owner && !((owner " " number) in chapter))
			complain(owner " has no chapter " number)
		if (!owner && (all before) !~ standards)
			complain(section number " of what?")
		all = all before section
		before = ""
		text = substr(text, length(number) + 1)
	}
}

# Names of files, and of the map its headings.
function check_names(text,   t, h, found, word) {
	if (text ~ /(^|[^A-Za-z_])DESIGN([^A-Za-z_]|$)/)
		complain("DESIGN is no file of the tree")
	for (t = text; match(t, /ARCHITECTURE\.md, /);) {
		t = substr(t, RSTART + RLENGTH)
		found = 0
		for (h in heading)
			found = found || index(t, h) == 1
		if (!found)
			complain("ARCHITECTURE.md has no heading " substr(t, 1, 30))
	}
	for (t = text; match(t, /[A-Za-z0-9_.\/-]*[A-Za-z0-9_]\.md/); t = substr(t, RSTART + RLENGTH)) {
		word = substr(t, RSTART, RLENGTH)
		if (!(word in file) && !(is_document && ("docs/" word) in file))
			complain("there is no " word)
	}
	for (t = text; match(t, /[A-Za-z0-9_.\/-]+/); t = substr(t, RSTART + RLENGTH)) {
		word = substr(t, RSTART, RLENGTH)
		sub(/\.$/, "", word)
		if (word ~ /(^|[\/_])[A-Z]+[._]/) # NAME.c, X_test.c
			continue
		if (word ~ ("^" room) && word ~ /\.([chSd17]|def|sh|py)$/ && !(word in file))
			complain("there is no " word)
	}
}

function finish() {
	all = ""
	if (block != "") {
		gsub(/[ \t]+/, " ", block)
		check_sections(block)
		check_names(block)
	}
	block = ""
}

function add(text) {
	if (block == "")
		at = nr
	sub(/^[ \t]*\*+[ \t]/, "", text)
	block = block " " text
}

# C, assembler, D: /* ... */ and //
function read_c(line,   i) {
	while (line != "") {
		if (in_comment) {
			i = index(line, "*/")
			add(i ? substr(line, 1, i - 1) : line)
			if (!i)
				return
			in_comment = 0
			line = substr(line, i + 2)
			finish()
		} else if ((i = index(line, "/*"))) {
			line = substr(line, i + 2)
			in_comment = 1
		} else {
			if (match(line, /(^|[ \t])\/\/ .*/)) {
				add(substr(line, RSTART, RLENGTH))
				finish()
			}
			return
		}
	}
}

function read_file(   line) {
	nr = in_comment = 0
	block = ""
	is_document = name ~ /\.md$|^docs\//
	while ((getline line < name) > 0) {
		nr++
		if (is_document) {
			add(line)
			finish()
		} else if (name ~ /\.([chSd]|def)$/)
			read_c(line)
		else if (line ~ /^[ \t]*#/) {
			sub(/^[ \t]*#+[ \t]*/, "", line)
			add(line)
		} else {
			finish()
			if (match(line, /[ \t]# .*/)) {
				add(substr(line, RSTART + 3, RLENGTH))
				finish()
			}
		}
	}
	finish()
	close(name)
}

$1 == "file" { file[$2] = 1 }
$1 == "chapter" { chapter[$2 " " $3] = 1 }
$1 == "heading" { heading[substr($0, 9)] = 1 }
$1 == "read" { name = $2; read_file() }
END { exit failed }
'
