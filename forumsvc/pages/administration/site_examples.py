"""Texts to begin with: what a community writes about itself first."""

from ...text.messages import Message

EXAMPLES = {
    "about": Message(
        "## What this is\n\n"
        "A forum for everybody who … Here we help each other, show what we make, and talk about "
        "what is new.\n\n"
        "## Who runs it\n\n"
        "A few of us, in our free time. Write to us at … if something does not work."
    ),
    "rules": Message(
        "1. **Be kind.** Talk about the matter, not about the person.\n"
        "2. **Search first.** Perhaps your question is answered already.\n"
        "3. **Write a title that says what it is about,** and one topic for one question.\n"
        "4. **Show code as text,** between two lines of ```.\n"
        "5. **No advertising** and nothing that is against the law.\n"
        "6. **Report what breaks the rules,** and do not answer it. The moderators decide."
    ),
}
"""By the name of the text, in Markdown."""
