// Makes writing nicer, which works without it: Ctrl+Enter, pictures by paste and drop, logins
// after @, and a question before a text is lost.
"use strict";

const field = document.getElementById("body");
const form = field.form;
const texts = [field, form.elements.title].filter(Boolean);
const SENT = "forum.sent";
let isSent = false;

let uploads = null;

form.addEventListener("submit", async event => {
  if (!uploads) {
    isSent = true;
    sessionStorage.setItem(SENT, JSON.stringify([form.elements.form_key?.value, form.action, field.value]));
    return;
  }
  event.preventDefault();
  await uploads;
  form.requestSubmit(event.submitter);
});
addEventListener("pageshow", () => {
  isSent = false;
  // After Back the browser fills in what was sent. The page says which form was saved.
  const [key, action, text] = JSON.parse(sessionStorage.getItem(SENT) ?? "[]");
  if (key && key === field.dataset.saved && action === form.action && text === field.value) {
    for (const one of texts) one.value = one.defaultValue;
  }
});
addEventListener("beforeunload", event => {
  if (!isSent && texts.some(one => one.value !== one.defaultValue)) event.preventDefault();
});

field.addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector(".actions button"));
  }
});

function insert(text) {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", {bubbles: true}));
}

// Pictures: each is uploaded by itself, and its Markdown stands where the cursor was.
const chooser = document.getElementById("picture");
const shown = document.getElementById("picture_text");

async function upload(file) {
  const words = (shown.value || file.name.replace(/\.[^.]*$/, "")).replace(/[[\]\\]/g, " ");
  shown.value = "";
  const waiting = `![${words} …]()`;
  insert(`${waiting}\n`);
  const data = new FormData();
  data.append("csrf_token", form.elements.csrf_token.value);
  data.append("picture", file);
  let markdown = "";
  try {
    const answer = await fetch(field.dataset.pictures, {method: "POST", body: data});
    const body = await answer.json();
    if (answer.ok) markdown = `![${words}](${body.address})`;
    else tell(body.error?.replace(/^[a-z]+: /, "") ?? answer.statusText);
  } catch (error) {
    tell(error.message);
  }
  const at = field.value.indexOf(waiting);
  if (at >= 0) field.setRangeText(markdown, at, at + waiting.length, "preserve");
}

function tell(text) {
  let place = document.getElementById("picture-problem");
  if (!place) {
    place = Object.assign(document.createElement("p"), {id: "picture-problem", className: "wrong"});
    place.setAttribute("role", "alert");
    field.before(place);
  }
  place.textContent = text;
}

async function take(event, files) {
  const pictures = [...files].filter(file => file.type.startsWith("image/"));
  if (!pictures.length || !chooser) return;
  event.preventDefault();
  const before = uploads;
  const mine = (async () => {
    await before;
    for (const file of pictures) await upload(file);
  })();
  uploads = mine;
  await mine;
  if (uploads === mine) uploads = null;
}

field.addEventListener("paste", event => take(event, event.clipboardData.files));
field.addEventListener("drop", event => take(event, event.dataTransfer.files));
if (chooser) {
  chooser.multiple = true;
  document.getElementById("picture-hint").hidden = true;
  chooser.addEventListener("change", async event => {
    const files = [...chooser.files];
    chooser.value = "";
    await take(event, files);
  });
}

// Logins after @: found by the search for people, whose page is read.
const list = document.createElement("ul");
list.id = "people-list";
list.className = "choices";
list.setAttribute("role", "listbox");
list.hidden = true;
field.after(list);
let asked = "";

function beginning() {
  return /(?:^|[\s(])@([A-Za-z0-9._-]{1,20})$/.exec(field.value.slice(0, field.selectionStart))?.[1];
}

function close() {
  list.hidden = true;
  field.removeAttribute("aria-activedescendant");
}

function mark(option) {
  list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
  option.setAttribute("aria-selected", "true");
  field.setAttribute("aria-activedescendant", option.id);
}

function choose(option) {
  const end = field.selectionStart;
  field.setSelectionRange(end - beginning().length, end);
  insert(`${option.textContent} `);
  close();
  field.focus();
}

// One after the other, since the service answers one search of a person at a time.
let search = Promise.resolve();
field.addEventListener("input", () => {
  asked = beginning();
  if (!asked || !field.dataset.people) return close();
  const begin = asked;
  search = search.then(() => begin === asked && find(begin)).catch(close);
});

async function find(begin) {
  const answer = await fetch(`${field.dataset.people}?kind=users&q=${encodeURIComponent(`@${begin}`)}`);
  if (!answer.ok || asked !== begin) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const logins = [...page.querySelectorAll(".people li > a")].slice(0, 5).map(one => one.textContent);
  list.replaceChildren(...logins.map((login, at) => {
    const option = Object.assign(document.createElement("li"), {id: `person-${at}`, textContent: login});
    option.setAttribute("role", "option");
    option.addEventListener("mousedown", event => { event.preventDefault(); choose(option); });
    return option;
  }));
  if (!logins.length) return close();
  list.hidden = false;
  mark(list.firstElementChild);
}

field.addEventListener("keydown", event => {
  if (list.hidden) return;
  const current = list.querySelector("[aria-selected=true]");
  const steps = {ArrowDown: current.nextElementSibling, ArrowUp: current.previousElementSibling};
  if (event.key in steps) {
    event.preventDefault();
    if (steps[event.key]) mark(steps[event.key]);
  } else if ((event.key === "Enter" || event.key === "Tab") && !event.ctrlKey) {
    event.preventDefault();
    choose(current);
  } else if (event.key === "Escape") {
    close();
  }
});
field.addEventListener("blur", close);
