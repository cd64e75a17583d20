/* pagefiles.S: the style and the script of report pages (html.c). */
	.section .rodata
	.globl page_css, page_css_end, page_js, page_js_end
page_css:
	.incbin "command/report/page.css"
page_css_end:
page_js:
	.incbin "command/report/page.js"
page_js_end:
	.section .note.GNU-stack, "", @progbits
