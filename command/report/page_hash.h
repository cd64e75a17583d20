/* page_hash.h: by which a page allows its own script and no other (Content Security Policy Level 3,
 * hash-source): the SHA-256 of page.js, checked by tests/cli/report_page.sh. */
#ifndef COMMAND_REPORT_PAGE_HASH_H
#define COMMAND_REPORT_PAGE_HASH_H

#define PAGE_JS_SHA256 "VUk+JYznvBNbQ8EFzLYYRNT86/SVl0HaLRWZKEaYr1Q="

#endif
