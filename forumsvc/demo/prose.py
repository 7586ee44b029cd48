"""What people write about their work: sentences and blocks of Markdown, as templates.

A block begins with a paragraph or a quotation and never ends in a list or a quotation: so blocks
set one after the other, with a blank line between, render to the same HTML as each by itself.
"""

TECH_OPENINGS: tuple[str, ...] = (
    "I have been fighting with «subject» for «duration» and could use a second pair of eyes.",
    "We run a service for «clients», and our main headache lately is «subject».",
    "This might be a beginner's question, but how do you get «subject» right «situation»?",
    "Yesterday «symptom» showed up «moment». I suspect «subject», but I cannot prove it.",
    "After «duration» of reading about «subject» I have more questions than before.",
    "Our team is split over «subject». Half of us want «tool», the other half want nothing new.",
    "I finally understood «subject», and I would like to write it down before I forget it.",
    "Short version: I blame «subject», not «tool». Long version below.",
    "I am porting an old project to «tool», and the part that worries me is «subject».",
    "There are many posts about «subject», but few of them say what to do «situation».",
    "We measured «subject» before and after switching to «tool». The numbers surprised us.",
)
"""How a topic begins."""

TECH_BLOCKS: tuple[str, ...] = (
    "This is the smallest piece of code that shows it:\n\n«code»",
    "What I have tried so far:\n\n- «attempt»\n- «attempt»\n- «attempt»\n\n«shrug»",
    "My set-up, in case it matters:\n\n* **system**: «system»\n* **tool**: `«tool»` «version»\n"
    "* **data**: about «count» rows\n\nNothing in there is exotic, I hope.",
    "The plan I have in mind:\n\n1. «step»\n2. «step»\n3. «step»\n\nDoes that order make sense?",
    "Here are the numbers, median of five runs:\n\n| variant | time | memory |\n"
    "|---|---:|---:|\n| before | «number» ms | «number» MB |\n| with `«tool»` | «small» ms |"
    " «number» MB |\n\nI did not expect the difference to be that large.",
    "The documentation says:\n\n> «quotation»\n\nI read that as *do it yourself*. Am I wrong?",
    "The log shows nothing but this, again and again:\n\n«code»",
    "«opinion» «opinion»",
    "There is an old [write-up](https://«host»/«slug») about it, but it stops where it gets"
    " interesting.",
    "### What I expect\n\n«expectation»\n\n### What happens\n\nI get «symptom» «moment».",
    "I know about `«verb»_«noun»()` and about ~~turning it off and on again~~ restarting. «shrug»",
)
"""The middle of a topic."""

TECH_ENDINGS: tuple[str, ...] = (
    "Any hint is welcome. Thanks in advance!",
    "How do you do it?",
    "What am I missing?",
    "I would love to hear how others solved this, especially «situation».",
    "If somebody has a link to a good explanation, please share it.",
    "Corrections are welcome; I am sure I got something wrong.",
    "Is there a simpler way?",
    "I will report back here when I know more.",
    "Comments, please. **Honest** ones.",
    "Happy to answer questions.",
)
"""How a topic ends."""

TECH_REPLIES: tuple[str, ...] = (
    "«thanks»",
    "«agree» «opinion»",
    "«advice»",
    "«advice» «opinion»",
    "«agree» «advice»",
    "«doubt» «question»",
    "«question»",
    "«advice» «hedge»",
    "«story»",
    "«story» «advice»",
    "«opinion» «hedge»",
    "We do something like this, and it has held for «duration»:\n\n«code»",
    "Try it without the wrapper first:\n\n«code»\n\n«hedge»",
    "> «quotation»\n\n«doubt» «opinion»",
    "> «attempt»\n\n«question»",
    "Three things to check:\n\n1. «step»\n2. «step»\n3. «step»\n\n«hedge»",
    "In my experience it comes down to this:\n\n- «opinion»\n- «opinion»\n\n«agree»",
    "See [this page](https://«host»/«slug»), the second half of it. «thanks_later»",
    "We compared both last year:\n\n| | small | large |\n|---|---:|---:|\n| `«tool»` | «small» ms |"
    " «number» ms |\n| by hand | «small» ms | «number» ms |\n\n«opinion»",
    "**Edit:** solved. It was «cause». «thanks»",
)
"""A reply, or a block of one."""

ASIDES: tuple[str, ...] = (
    "Let us know how it goes.", "Greetings from «city»!", "Sorry for the late answer.",
    "I am on «system», if that matters.", "We have run it like that for «duration».",
    "Just my two cents.", "And please post the solution when you have it.",
    "Somebody should write that down.", "I learned it the hard way.",
    "It took us «duration» to find out.", "But that was in «version».", "Hope that helps!",
    "I have said the same in another thread.", "Ask again if it is not clear.",
    "Anyway, good luck.", "That is all I know about it.", "I can look it up if you like.",
    "Writing this on a train, so please excuse mistakes.", "At least it was so in «month».",
    "My colleague in «city» would know more.", "Try it on «system» as well.",
)  # fmt: skip
"""Sentences that some replies end with, whatever they are about."""

PROSE_WORDS: dict[str, tuple[str, ...]] = {
    "thanks": (
        "Thank you, that was it!", "Thanks, this helped a lot.", "Perfect, works now.",
        "Great explanation, thank you.", "Thanks for the detailed answer.", "Bookmarked. :)",
        "That fixed it, I owe you a coffee.", "Oh! I would never have found that.",
    ),
    "thanks_later": ("It helped me.", "It is short, too.", "Worth the ten minutes.",
                     "Ignore the title."),
    "agree": (
        "I agree.", "Same here.", "Exactly this.", "Yes, and it gets worse.", "+1.",
        "Good point.", "That matches what we see.", "Well put.", "True in my case as well.",
    ),
    "doubt": (
        "I am not so sure.", "Hmm, that did not work for me.", "I would be careful with that.",
        "It depends.", "Not quite.", "That used to be true.", "With respect, I disagree.",
    ),
    "hedge": (
        "At least that is how it works for us.", "Your mileage may vary.",
        "But measure it, do not believe me.", "I may be wrong, though.",
        "No idea whether that scales.", "It is not pretty, but it works.",
    ),
    "question": (
        "Which version is that?", "Can you post the whole trace?", "Do you see «symptom» as well?",
        "What does `«tool»` say about it?", "Is that «situation» or everywhere?",
        "Have you tried it with `--«verb»=«small»`?", "How many workers do you run?",
        "Does it happen with an empty `«noun»` too?", "Why not simply use «tool»?",
    ),
    "advice": (
        "I would start with `«tool»` and only then touch «subject».",
        "Set `«noun»_limit` to «small» and look again.",
        "Look at the release notes of «version», there is a line about «subject».",
        "Write a failing test first; it is easy to fix the wrong thing here.",
        "Put it behind a flag, let it run for «duration», then delete the old way.",
        "Have a look at what `«verb»_«noun»` does before you blame «tool».",
        "Keep it boring: one process, one queue, one place that knows about «subject».",
        "Turn off everything you do not need, then add it back piece by piece.",
        "The trick is to `«verb»` *before* you commit, not after.",
        "Log the `«noun»` id at both ends, and the rest will be obvious.",
        "Use «tool» for that, it was made for exactly this case.",
        "Raise the timeout to «number» ms for a test, just to see whether «symptom» goes away.",
    ),
    "opinion": (
        "Most of the trouble with «subject» comes from too little planning.",
        "I like «tool», but not for this.",
        "Simple code that everybody understands beats the clever kind.",
        "«tool» has become a lot better since «version».",
        "The hard part of «subject» is not technical.",
        "You cannot fix that without measuring.",
        "For a team of «team_size» that would be overkill.",
        "The defaults are fine until you reach «count» rows.",
        "Nobody reads the manual, and this is what it costs.",
        "In the end it is a trade-off, and you have to pick a side.",
        "It pays to know what «tool» does underneath.",
        "Caching hides the problem, it does not solve it.",
    ),
    "story": (
        "We had the same thing «moment». It turned out to be «cause».",
        "This bit us as well: «symptom» for «duration», and then it was «cause».",
        "A colleague of mine spent «duration» on «subject» before somebody looked at «cause».",
        "We went from «tool» to «tool» because of that and never looked back.",
        "Funny, I gave a talk about «subject» once. Nobody came.",
    ),
    "cause": (
        "a proxy with its own idea of time-outs", "an old driver", "the clock of one machine",
        "a full disk", "a missing index", "`«noun»` being cached twice", "a typo in the ini file",
        "DNS, of course", "a retry loop without a pause", "a lock held while sending mail",
    ),
    "attempt": (
        "upgraded «tool» to «version»", "raised the limit to «number»", "read the source of «tool»",
        "turned the cache off", "rebuilt everything from scratch", "asked a colleague",
        "replaced `«verb»` by a loop", "ran it on another machine", "added more logging",
        "went back to the version of last month",
    ),
    "step": (
        "write down what you expect of «subject»", "move `«noun»` into a module of its own",
        "add a test that fails", "measure with `«tool»`", "drop what nobody uses",
        "switch one customer over", "check the limits of the system", "look at the slow log",
        "make `«verb»` idempotent", "tell the others",
    ),
    "shrug": (
        "No change at all.", "It got a little better, not more.", "I am out of ideas.",
        "Each of them moved the problem somewhere else.", "The last one helped for a day.",
    ),
    "expectation": (
        "That `«verb»` returns every «noun» once, in order.",
        "That the second call is a no-op.",
        "That a failed `«verb»` leaves no trace.",
        "An error that tells me which «noun» is wrong.",
    ),
    "quotation": (
        "The caller is responsible for closing the «noun».",
        "This option is kept for compatibility and may go away.",
        "Results are returned in no particular order.",
        "Values above «number» are accepted but have no effect.",
        "«tool» does not retry by itself.",
        "It is safe to call `«verb»` more than once.",
    ),
    "system": ("Debian 12", "Ubuntu 24.04", "Fedora 42", "macOS", "Alpine, in a container",
               "Arch, by the way", "FreeBSD 14", "Windows 11 with WSL"),
    "duration": ("two days", "a week", "three weeks", "a month", "half a year", "a whole weekend",
                 "two years", "an afternoon", "ten days", "a full sprint"),
    "clients": ("schools", "libraries", "bakeries", "hospitals", "bus companies", "museums",
                "sports clubs", "farmers", "theatres", "small shops"),
    "host": ("blog.example.org", "docs.example.com", "notes.example.net", "wiki.example.org",
             "dev.example.com"),
    "slug": ("«noun»s-explained", "how-to-«verb»", "«noun»-pitfalls", "2025/«verb»-«noun»s",
             "faq#«noun»", "a-tale-of-two-«noun»s"),
}  # fmt: skip
