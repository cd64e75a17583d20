#include "command/report/pftrace.h"

#include "tests/unit/test.h"

static const char *hex(const struct strbuf *bytes)
{
	static char text[1024];

	for (size_t i = 0; i < bytes->len; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned char)bytes->s[i]);
	return text;
}

/* A process with a thread that was in work(42) for a microsecond and printed, and a count of 200.
 */
TEST(packets_are_those_of_the_protocol)
{
	static struct tl_arg arg = {.name = "arg0", .number = 42};
	const struct tl_event entry = {.time_ns = 5000001000,
				       .kind = TL_BEGIN,
				       .name = "work",
				       .category = "pid",
				       .args = &arg,
				       .nargs = 1},
			      text = {.time_ns = 5000001500,
				      .kind = TL_INSTANT,
				      .name = "4138 t",
				      .category = "printf"},
			      end = {.time_ns = 5000002000, .kind = TL_END};
	struct strbuf out;

	strbuf_init(&out);
	pft_clocks(&out, 1700000000000000000, 5000000000, 5000000000);
	CHECK_STR(hex(&out),
		  "0a28500132240a0c0801108080a8b1e39fe7cb170a0808031080e497d0120a08080610"
		  "80e497d0121003");
	strbuf_clear(&out);
	pft_process(&out, 100, 4135, "t", true);
	CHECK_STR(hex(&out), "0a1150016801e2030a08641a0608a7203201"
			     "74");
	strbuf_clear(&out);
	pft_thread(&out, 101, 100, 4135, 4138, "t");
	CHECK_STR(hex(&out), "0a145001e2030f08652864220908a72010aa202a0174");
	strbuf_clear(&out);
	pft_counter(&out, 102, 100, "@calls", PFT_COUNT, "count");
	CHECK_STR(hex(&out), "0a155001e203100866286412064063616c6c7342021802");
	strbuf_clear(&out);
	pft_event(&out, 101, &entry);
	CHECK_STR(hex(&out),
		  "0a2840e8eb97d0125001d003035a1b48015865b20103706964ba0104776f726b220852"
		  "0461726730202a");
	strbuf_clear(&out);
	pft_event(&out, 101, &text);
	CHECK_STR(hex(&out), "0a2340dcef97d0125001d003035a1648035865b201067072696e7466ba01063431333"
			     "82074");
	strbuf_clear(&out);
	pft_event(&out, 101, &end);
	CHECK_STR(hex(&out), "0a1140d0f397d0125001d003035a0448025865");
	strbuf_clear(&out);
	pft_value(&out, 102, 5000002000, 200);
	CHECK_STR(hex(&out), "0a1540d0f397d0125001d003035a0848045866f001c801");
	strbuf_release(&out);
}

TEST_MAIN();
