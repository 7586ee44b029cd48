// Adds to the field of a text, after writing.js: buttons that write Markdown, and a preview beside it.
"use strict";

{
  const RULES = {
    bold: () => wrap("**"),
    emphasis: () => wrap("*"),
    link,
    quote: () => begin("> "),
    list: () => begin("- "),
    code,
  };
  const KEYS = {b: "bold", i: "emphasis", k: "link"};

  // As typed, so that the browser can undo it.
  function put(text, start, end, chosen = [start, start + text.length]) {
    field.focus();
    field.setSelectionRange(start, end);
    const isTyped = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (!isTyped) {
      field.setRangeText(text, start, end);
      field.dispatchEvent(new Event("input", {bubbles: true}));
    }
    field.setSelectionRange(...chosen);
  }

  // What is chosen, without the space around it, which would stop the marks from being any.
  function selection() {
    let {selectionStart: start, selectionEnd: end, value} = field;
    while (start < end && /\s/.test(value[start])) start += 1;
    while (end > start && /\s/.test(value[end - 1])) end -= 1;
    return [start, end, value.slice(start, end)];
  }

  function wrap(mark) {
    const [start, end, chosen] = selection(), {length} = mark;
    const stars = Math.min(/\**$/.exec(field.value.slice(0, start))[0].length, /^\**/.exec(field.value.slice(end))[0].length);
    // Three of them are both: bold and emphasis.
    if (stars === length || stars === 3) put(chosen, start - length, end + length);
    else put(mark + chosen + mark, start, end, [start + length, end + length]);
  }

  function link() {
    const [start, end, chosen] = selection();
    if (/^https?:\/\/\S+$/.test(chosen)) put(`[](${chosen})`, start, end, [start + 1, start + 1]);
    else put(`[${chosen}](https://)`, start, end, [start + chosen.length + 3, start + chosen.length + 11]);
  }

  // Begins each of the chosen lines with a mark, or takes it away where all have it.
  function begin(mark) {
    const {value} = field, start = value.lastIndexOf("\n", field.selectionStart - 1) + 1;
    const next = value.indexOf("\n", Math.max(start, field.selectionEnd)), end = next < 0 ? value.length : next;
    const lines = value.slice(start, end).split("\n");
    const hasAll = lines.every(line => line.startsWith(mark));
    const text = lines.map(line => hasAll ? line.slice(mark.length) : mark + line).join("\n");
    const isOne = lines.length === 1;
    put(text, start, end, isOne ? [start + text.length, start + text.length] : undefined);
  }

  function code() {
    const [start, end, chosen] = selection();
    const runs = (chosen.match(/`+/g) ?? []).map(one => one.length);
    const isBlock = chosen.includes("\n");
    let fence = isBlock ? "```" : "`";
    while (isBlock ? Math.max(0, ...runs) >= fence.length : runs.includes(fence.length)) fence += "`";
    const before = isBlock ? `${fence}\n` : fence, after = isBlock ? `\n${fence}` : fence;
    put(before + chosen + after, start, end, [start + before.length, end + before.length]);
  }

  const bar = document.getElementById("formatting");
  bar.hidden = false;
  bar.addEventListener("click", event => RULES[event.target.closest("button")?.value]?.());
  field.addEventListener("keydown", event => {
    const name = KEYS[event.key.toLowerCase()];
    if (!name || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.isComposing) return;
    event.preventDefault();
    RULES[name]();
  });

  // The preview follows the text, until its button is pressed again.
  const EVERY = 1500;  // milliseconds
  const button = form.elements.preview;
  let place = null, shown = null, running = false, timer;

  async function refresh() {
    timer = null;
    await uploads;
    if (!place || running || field.value === shown) return;
    const body = new FormData(form), text = field.value;
    body.delete("picture");
    body.set("preview", "1");
    running = true;
    const headers = {"X-Requested-With": "fetch"};
    const answer = await fetch(form.action, {method: "POST", body, headers}).catch(() => null);
    const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
    running = false;
    // Another page is the log-in, where the session has ended, or an error of the service.
    if (!page?.getElementById(field.id)) return;
    shown = text;
    const content = page.querySelector(".preview .forum-content, [role=alert]") ?? "";
    place?.lastElementChild.replaceChildren(content && document.adoptNode(content));
    if (field.value !== shown) later();
  }

  function later() {
    if (place) timer ??= setTimeout(refresh, EVERY);
  }

  function toggle() {
    shown = null;
    if (place) {
      place.remove();
      place = null;
    } else {
      place = document.createElement("section");
      place.className = "preview";
      place.setAttribute("aria-label", button.textContent);
      place.append(Object.assign(document.createElement("h2"), {textContent: button.textContent}), document.createElement("div"));
      field.closest(".field").after(place);
      refresh();
    }
    button.setAttribute("aria-pressed", String(Boolean(place)));
  }

  if (button) {
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", event => {
      event.preventDefault();
      toggle();
    });
    form.addEventListener("input", later);
  }
}

// Below what is selected in a post stands the button that quotes it.
{
  const quoting = Object.assign(document.createElement("button"), {type: "button", className: "quoting", hidden: true});
  let quote;

  function quoteOf({anchorNode, focusNode, isCollapsed}) {
    const content = (anchorNode?.parentElement ?? null)?.closest("article .forum-content");
    return isCollapsed || !content?.contains(focusNode) ? null : content.closest("article").querySelector("button[name=quote]");
  }

  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    quote = quoteOf(selection);
    quoting.hidden = !quote;
    if (!quote) return;
    const {left, bottom} = selection.getRangeAt(0).getBoundingClientRect();
    quoting.textContent = quote.firstChild.textContent;
    quoting.style.top = `${scrollY + bottom + 8}px`;
    quoting.style.left = `${Math.max(8, left)}px`;
  });
  // What is selected stays so while the button is pressed.
  quoting.addEventListener("pointerdown", event => event.preventDefault());
  quoting.addEventListener("mousedown", event => event.preventDefault());
  quoting.addEventListener("click", () => {
    quote.click();
    getSelection().removeAllRanges();
  });
  if (document.querySelector("button[name=quote]")) document.body.append(quoting);
}
