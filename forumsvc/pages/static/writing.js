// Makes writing nicer, which works without it: Ctrl+Enter, quotations, pictures by paste and drop, logins
// after @, a draft that is saved while one writes, and a question before a text is lost.
"use strict";

const field = document.getElementById("body");
const form = field.form;
const texts = [field, form.elements.title].filter(Boolean);
const SENT = "forum.sent";
const SEEN = `forum.seen ${form.action}`;
let isSent = false;

let uploads = null;

// What one writes is saved as a draft while one writes, and when one leaves.
const SAVE_AFTER = 5000;  // milliseconds
const SENT_BEHIND = 20000;  // characters that a browser sends behind a page, whatever their bytes
const saver = form.elements.save_draft;
let saved = JSON.stringify(texts.map(one => one.defaultValue)), saving = null, isRefused = false, timer;

function written() {
  return JSON.stringify(texts.map(one => one.value));
}

async function save() {
  timer = clearTimeout(timer);
  const now = written();
  if (isSent || saving || uploads || now === saved || !texts.some(one => one.value.trim())) return;
  const body = new FormData(form);
  body.delete("picture");
  body.set(saver.name, saver.value);
  const headers = {"X-Requested-With": "fetch"};
  const keepalive = now.length < SENT_BEHIND;
  saving = fetch(form.action, {method: "POST", body, headers, keepalive}).catch(() => null);
  const answer = await saving;
  saving = null;
  isRefused = answer?.status !== 204;
  if (!isRefused) saved = now;
  let said = saver.parentElement.querySelector("[role=status]");
  if (!said) {
    said = Object.assign(document.createElement("span"), {className: "hint"});
    said.setAttribute("role", "status");
    saver.after(said);
  }
  said.textContent = isRefused ? saver.dataset.refused : saver.dataset.saved;
}

if (saver) {
  form.addEventListener("input", () => { timer ??= setTimeout(save, SAVE_AFTER); });
  document.addEventListener("visibilitychange", () => document.hidden && save());
}

// What is there already, such as a quotation, is gone on with.
field.setSelectionRange(field.value.length, field.value.length);

form.addEventListener("submit", async event => {
  if (!uploads && !saving) {
    isSent = true;
    sessionStorage.setItem(SENT, JSON.stringify([form.elements.form_key?.value, form.action, field.value]));
    return;
  }
  event.preventDefault();
  await Promise.all([uploads, saving]);
  form.requestSubmit(event.submitter);
});
addEventListener("pageshow", () => {
  isSent = false;
  // After Back the browser fills in what was sent. The page says which form was saved.
  const [key, action, text] = JSON.parse(sessionStorage.getItem(SENT) ?? "[]");
  if (key && key === field.dataset.saved && action === form.action && text === field.value) {
    for (const one of texts) one.value = one.defaultValue;
  }
  // What it fills in hides the text with which the page comes now: the form has not shown that one.
  const seen = sessionStorage.getItem(SEEN);
  if (seen !== null && isChanged() && form.elements.seen) form.elements.seen.value = seen;
});
addEventListener("pagehide", () => sessionStorage.setItem(SEEN, form.elements.seen?.value ?? ""));
addEventListener("beforeunload", event => {
  if (isSent || !isChanged() || written() === saved) return;
  if (saver && !saving && !isRefused && navigator.onLine && written().length < SENT_BEHIND) save();
  else event.preventDefault();
});

function isChanged() {
  return texts.some(one => one.value !== one.defaultValue);
}

field.addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector(".actions button"));
  }
});

// Quotations come into the field of the page: what is selected in a post, or all of it.
async function quotation(button) {
  const post = button.closest("article"), selection = getSelection();
  const isOfPost = post.contains(selection.anchorNode) && post.contains(selection.focusNode);
  const chosen = isOfPost ? selection.toString().trim() : "";
  if (chosen) {
    const source = [`@${post.querySelector(".author").textContent}`, post.querySelector(".floor")?.textContent];
    return `${source.filter(Boolean).join(" ")}:\n\n${chosen.replace(/^/gm, "> ")}\n\n`;
  }
  const body = new URLSearchParams({csrf_token: form.elements.csrf_token.value, quote: button.value});
  const answer = await fetch(form.action, {method: "POST", body, headers: {"X-Requested-With": "fetch"}});
  if (!answer.ok) throw new Error(answer.statusText);
  return new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("body").value;
}

document.addEventListener("click", event => {
  const button = event.target.closest("button[name=quote]");
  if (button?.form !== form) return;
  event.preventDefault();
  quotation(button).then(text => {
    const begun = field.value.trimEnd();
    field.value = begun ? `${begun}\n\n${text}` : text;
    field.dispatchEvent(new Event("input", {bubbles: true}));
    dock();
    // A place in the history, so that *Back* leads to the post again.
    location.hash = "body";
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }).catch(() => form.requestSubmit(button));
});

// The form comes to the text that one answers, until *Close*, Escape or *Back*.
const closer = form.querySelector(".close");
const gap = document.createElement("div");  // where it was, or the page would jump

function dock() {
  if (!closer || form.matches(".docked")) return;
  gap.style.height = `${form.offsetHeight}px`;
  form.before(gap);
  form.classList.add("docked");
}

function undock() {
  form.classList.remove("docked");
  gap.remove();
}
closer?.addEventListener("click", undock);
addEventListener("hashchange", () => location.hash === "#body" || undock());
form.addEventListener("keydown", event => event.key === "Escape" && list.hidden && undock());
document.querySelector(".side a[href='#body']")?.addEventListener("click", dock);

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
    else tell(body.problem ?? body.error ?? answer.statusText);
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
  }
  (chooser.closest("details").open ? chooser : field).before(place);
  place.textContent = text;
}

function takePictures(event, files) {
  const pictures = [...files].filter(file => file.type.startsWith("image/"));
  if (!pictures.length || !chooser) return;
  event.preventDefault();
  take(pictures);
}

async function take(pictures) {
  document.getElementById("picture-problem")?.remove();
  const before = uploads;
  const mine = (async () => {
    await before;
    for (const file of pictures) await upload(file);
  })();
  uploads = mine;
  await mine;
  if (uploads === mine) uploads = null;
}

field.addEventListener("paste", event => takePictures(event, event.clipboardData.files));
field.addEventListener("drop", event => takePictures(event, event.dataTransfer.files));
if (chooser) {
  chooser.multiple = true;
  document.getElementById("picture-hint").hidden = true;
  chooser.addEventListener("change", () => {
    const files = [...chooser.files];
    chooser.value = "";
    take(files);
  });
}

// Logins after @: found by the search for people, whose page is read.
const list = document.createElement("ul");
list.id = "people-list";
list.className = "choices";
list.setAttribute("role", "listbox");
list.hidden = true;
field.after(list);
field.setAttribute("aria-autocomplete", "list");
field.setAttribute("aria-controls", list.id);
let asked = "";

function beginning() {
  return /(?:^|[\s(])@([A-Za-z0-9._-]{1,20})$/.exec(field.value.slice(0, field.selectionStart))?.[1];
}

// The field is a combobox while there is something to choose.
function open() {
  list.hidden = false;
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-expanded", "true");
}

function close() {
  list.hidden = true;
  field.removeAttribute("role");
  field.removeAttribute("aria-expanded");
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
  open();
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
