"""Links of answers on Discord."""

import pytest

from adapters.discord.markup import adapted

EVIL = "https://evil.example/x"


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (f"[https://bank.com]({EVIL})", f"[evil.example]({EVIL})"),
        (f"see [**bank.com**/login]({EVIL}) now", f"see [evil.example]({EVIL}) now"),
        (f"[www.bank\u200b.com](<{EVIL}>)", f"[evil.example]({EVIL})"),
        (f"[bank．com]({EVIL} 'Bank')", f"[evil.example]({EVIL})"),
        (f"#### [bank.com]({EVIL})", f"**[evil.example]({EVIL})**"),
        (f"![bank.com]({EVIL})", f"[evil.example]({EVIL})"),
        ("[bank.com](https://bank.com@evil.example)", "[evil.example](https://bank.com@evil.example)"),
        ("[my bank](discord://-/settings)", "my bank"),
        ("[bank.com](javascript:alert(1))", "bank.com"),
        ("[chapter 1.2](/somewhere)", "chapter 1.2"),
    ],
)
def test_link_shows_where_it_leads(markdown: str, shown: str) -> None:
    assert adapted(markdown) == shown


@pytest.mark.parametrize(
    "markdown",
    [
        "[my notes](https://bank.com/a_(b))",
        "[bank.com](https://www.bank.com/login)",
        "[https://bank.com/a](https://bank.com/a)",
        f"[scene 1.2]({EVIL})",
        f"`[bank.com]({EVIL})`",
        f"```\n[bank.com]({EVIL})\n```",
        "nothing [in brackets] (beside)",
        "two `code` and [a](https://a.example) then `more`",
    ],
)
def test_honest_link_and_code_stay_as_they_are(markdown: str) -> None:
    assert adapted(markdown) == markdown
