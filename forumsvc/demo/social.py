"""Templates for posts that are not technical: jobs, meetups, show-and-tell, chat."""

from dataclasses import dataclass

from .prose import ASIDES, TECH_BLOCKS, TECH_ENDINGS, TECH_OPENINGS, TECH_REPLIES


@dataclass(frozen=True)
class Talk:
    """The templates of one kind of talk: a topic is an opening, some blocks and an ending."""

    openings: tuple[str, ...]
    blocks: tuple[str, ...]
    endings: tuple[str, ...]
    replies: tuple[str, ...]
    asides: tuple[str, ...] = ASIDES


_SHOW = Talk(
    openings=(
        "It took me «duration» to build something small for «subject». It is ready to be seen.",
        "I needed something for «subject» that does not send my data anywhere, so I wrote it.",
        "This started as a way to learn «tool» and turned into a thing that I use every day.",
    ),
    blocks=(
        "The heart of it is this:\n\n«code»",
        "What it can do:\n\n- import «subject» from a file\n- work without a network\n"
        "- export everything as CSV\n\nWhat it cannot do: make coffee.",
        "The [source](https://«host»/«slug») is open, the licence is MIT.",
        "Some numbers:\n\n| | |\n|---|---|\n| lines of code | «number» |\n| dependencies |"
        " «small» |\n| users | «team_size», my family included |\n\nIt starts in «small» ms.",
        "Still to come:\n\n1. an undo button\n2. tests, more of them\n3. a better name\n\n"
        "In that order.",
    ),
    endings=(
        "Feedback of any kind is welcome, also about the code.",
        "What would you add?",
        "Break it, please!",
    ),
    replies=(
        "Very nice! I like the **simple** look.",
        "How long did it take you to get to this point?",
        "Works on my machine, which is an old laptop. Good job.",
        "Found a small bug: `--«verb»` without an argument prints a stack trace.",
        "I would pay for that if it had a mobile version.",
        "Why «tool», by the way? I would have taken something else, but it clearly works.",
        "> import from a file\n\nDoes it take JSON as well? That would save me a script.",
        "I sent you a patch, it is mostly this:\n\n«code»",
        "Congratulations on shipping! Most of us never get that far.",
        "Two wishes:\n\n- a dark theme\n- keyboard shortcuts\n\nThe rest is perfect.",
    ),
)

_JOBS = Talk(
    openings=(
        "We are a team of «team_size» and look for a «subject» who likes «tool».",
        "Our company makes software for «clients». We need help with «tool», from next month on.",
        "After «years» years our «subject» retires, and we look for a worthy successor.",
    ),
    blocks=(
        "In short:\n\n- **place**: two days in the office, the rest at home\n"
        "- **pay**: «pay»\n- **tools**: «tool», «tool» and common sense\n\nNo on-call at night.",
        "The usual day: a short call, some reviews, long quiet hours. We deploy when it is ready.",
        "How it goes:\n\n1. a call of half an hour\n2. a small task, paid\n3. lunch with the team"
        "\n\nYou hear from us within a week, in any case.",
        "What matters to us is that you can explain your decisions. A degree does not.",
        "More on [our page](https://«host»/«slug»).",
    ),
    endings=(
        "Write to me here or by mail.",
        "Questions? Ask them in the open, others have them too.",
        "Agencies: please do not call.",
    ),
    replies=(
        "Is it possible to work remotely from another country?",
        "What is the salary range? It says nothing above.",
        "I worked there for «years» years. Good people, old coffee machine.",
        "Sent you a message.",
        "Would you take somebody who knows «tool» but has never used it at work?",
        "> a small task, paid\n\nThank you for that. More companies should do it.",
        "Is the position still open?",
        "How large is the team, and who does the operations?",
    ),
)

_MEETUP = Talk(
    openings=(
        "We meet again, this time for «subject». Beginners are welcome.",
        "The room holds forty, there is a projector, and somebody brings cake.",
        "Last time «team_size» people came. For «subject» we hope for some more.",
    ),
    blocks=(
        "| time | what |\n|---|---|\n| 18:30 | doors |\n| 19:00 | «subject» |\n| 20:30 | pizza |",
        "Bring:\n\n- a laptop\n- something you are stuck with\n- a friend\n\nThe rest is there.",
        "The way: tram to the main station, then five minutes on foot. There is a bell.",
        "Slides of last time are [here](https://«host»/«slug»).",
        "> It was the first meetup where I dared to ask something.\n\nThat is what we want it to"
        " be.",
    ),
    endings=(
        "Tell us here whether you come, so that there is enough pizza.",
        "See you there!",
        "Who has a topic for next time?",
    ),
    replies=(
        "I will be there, and I bring a colleague.",
        "Will it be recorded? I cannot make it that evening.",
        "Is the room accessible with a wheelchair?",
        "I could give a short talk about «tool», ten minutes or so.",
        "That was a great evening, thanks to everybody who helped.",
        "What a pity, I am away that week. Next time!",
        "Is English fine? My «tool» is better than my accent.",
        "Train delayed, I will be late. **Keep some pizza.**",
    ),
)

_CHAT = Talk(
    openings=(
        "I have been thinking about «subject» a lot since I changed jobs.",
        "A friend asked me about «subject» yesterday, and I had no good answer.",
        "After «duration» of «tool» I do not want to go back. What about you?",
        "This is not about code for once: «subject».",
    ),
    blocks=(
        "What helped me so far:\n\n- talking about it\n- shorter days, sometimes\n- a long walk"
        "\n\nWhat did not: reading about it until two in the morning.",
        "My father used to say:\n\n> First make the coffee, then make the plan.\n\nHe had a point.",
        "I tried it for «duration», then I stopped, then I missed it. Make of that what you will.",
        "There is a nice essay about it [over here](https://«host»/«slug»), a little long.",
        "At work nobody talks about such things. Perhaps that is *why* I ask here.",
    ),
    endings=(
        "How is it for you?",
        "I am curious what you think.",
        "No solution needed, I only wanted to say it.",
    ),
    replies=(
        "I know that feeling well.",
        "It took me «duration» to get used to it. Now I would not miss it.",
        "Honestly? Sleep more, read fewer posts.",
        "> a long walk\n\nThis. Every time.",
        "My partner says the same about me. :)",
        "That depends a lot on where you work, I think.",
        "Same here, since about «duration».",
        "Things that work for me:\n\n1. no phone before breakfast\n2. one thing at a time\n"
        "3. friends who do something else\n\nNothing of it is new.",
        "Thank you for writing this down.",
        "I tried, gave up, tried again. Third time was fine.",
    ),
)

_FEEDBACK = Talk(
    openings=(
        "First of all thank you for running this place. One remark about «subject», though.",
        "I use the forum mostly on the train, and there I miss some care for «subject».",
        "While I wrote a client against the API I noticed something about «subject».",
    ),
    blocks=(
        "Steps:\n\n1. log in\n2. open any long topic\n3. look at «subject»\n\nIt happens every"
        " time, in two browsers.",
        "The request was this one:\n\n```http\nGET /api/v3/topics?type=popular&limit=«small»\n```",
        "It would be enough to have a setting for it, off by default.",
        "I like how `«verb»` works on the other page. Could it be the same here?",
    ),
    endings=(
        "No hurry, of course.",
        "I can help, if you tell me where to look.",
        "What do others think?",
    ),
    replies=(
        "Thanks for the report. We will have a look.",
        "I can see it too, on a phone only.",
        "This is fixed since this morning, please try again.",
        "+1 from me.",
        "Not a bug, but I agree that it is confusing. Let me think about it.",
        "> a setting for it\n\nEvery setting has to be tested, too. I would rather make it right.",
        "Which browser is that?",
    ),
)

TALK: dict[str, Talk] = {
    "tech": Talk(TECH_OPENINGS, TECH_BLOCKS, TECH_ENDINGS, TECH_REPLIES),
    "show": _SHOW,
    "jobs": _JOBS,
    "meetup": _MEETUP,
    "chat": _CHAT,
    "feedback": _FEEDBACK,
}
"""Kind of talk → its templates."""
