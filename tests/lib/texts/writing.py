"""Random texts of the kind people and models write, for the property tests."""

from hypothesis import strategies as st

SNIPPETS = [
    "the", "fox", "well-known", "don’t", "naïve", "foo_bar", "__init__", "GPT-4o", "x", "我", "们", "苹果",
    "ひらがな", "안녕", "Привет", "नमस्ते", "สวัสดี", "1,000.5", "-3.2e-4", "12%", "0x1F", "3", "1.2.3", "\\frac",
    "\\{", "\\\\", "{", "}", "(", ".", "。", "，", "-", "$", " ", "  ", "\n", "\r\n", "\t", "\u3000", "👨‍👩‍👧",
    "🇩🇪🇫🇷", "3️⃣", "e\u0301", "\u0301", "\u200d", "\ufe0f", "\u0600", "\ud800", "\x00", "\u2028",
]  # fmt: skip

mixed_texts = st.lists(st.sampled_from(SNIPPETS), max_size=40).map("".join)
any_texts = mixed_texts | st.text(max_size=60)
