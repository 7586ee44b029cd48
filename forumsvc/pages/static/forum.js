// Makes pages nicer, which work without it: times in words, and buttons that need no reload.
"use strict";

const UNITS = [["minute", 60], ["hour", 3600], ["day", 86400]];
const LONGEST = 30 * 86400;
// The calendar and the digits of the page, which those of a region may not be.
const WRITTEN = {calendar: "gregory", numberingSystem: "latn"};
const THIS_YEAR = {month: "short", day: "numeric", hour: "numeric", minute: "2-digit", ...WRITTEN};
const ANOTHER = {year: "numeric", ...THIS_YEAR};

const language = document.documentElement.lang;
// With the reader's own order of day and month, if that is of the page's language.
const region = navigator.languages.find(one => one.split("-")[0] === language.split("-")[0]) ?? language;

function showAges(root) {
  const words = new Intl.RelativeTimeFormat(language, {numeric: "auto", numberingSystem: "latn"});
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    const seconds = (Date.now() - moment) / 1000;
    time.title = moment.toLocaleString(region, {dateStyle: "full", timeStyle: "long", ...WRITTEN});
    if (!(seconds >= 0 && seconds < LONGEST)) {
      const isThis = moment.getFullYear() === new Date().getFullYear();
      const words = isThis ? THIS_YEAR : ANOTHER;
      // There is no room for the hour.
      const {hour, minute, ...date} = words;
      time.textContent = moment.toLocaleString(region, time.closest(".topics, .side") ? date : words);
      continue;
    }
    const [unit, length] = UNITS.findLast(([, size]) => seconds >= size) ?? UNITS[0];
    time.textContent = words.format(-Math.floor(seconds / length), unit);
  }
}

let observer;  // of the place

// Sends a button and replaces the post around it by what the page shows then.
async function press(pressed, post) {
  const body = new URLSearchParams(new FormData(pressed.form));
  // The header says that nobody reads the page behind the redirect.
  const answer = await fetch(pressed.formAction, {method: "POST", body, headers: {"X-Requested-With": "fetch"}});
  if (!answer.ok) throw new Error(answer.statusText);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById(post.id);
  if (!fresh) throw new Error("the post is not on the page");
  const place = [...post.querySelectorAll("button")].indexOf(pressed);
  post.replaceWith(document.adoptNode(fresh));
  if (fresh.matches(".reply")) observer?.observe(fresh);
  showAges(fresh);
  const button = fresh.querySelectorAll("button")[place];
  button?.focus();
  // For who does not see the button: "Liked, 6".
  const done = document.getElementById("done");
  if (!done) return;
  const words = done.dataset[new URL(pressed.formAction).pathname.split("/").pop()];
  done.textContent = [words, button?.querySelector(".number")?.textContent].filter(Boolean).join(", ");
}

document.addEventListener("submit", event => {
  const pressed = event.submitter;
  const post = pressed?.closest("article[id]");
  if (!post || !pressed.matches(".live")) return;
  event.preventDefault();
  press(pressed, post).catch(() => {
    pressed.classList.remove("live");
    pressed.form.requestSubmit(pressed);
  });
});

// Says which reply one reads, where the page says which ones it has: "37 of 152".
function showPlace(place) {
  const visible = new Map(), at = document.querySelector(".at");
  const floorOf = reply => Number(reply.querySelector(".floor").textContent.slice(1));
  observer = new IntersectionObserver(entries => {
    for (const {target, isIntersecting} of entries) {
      if (isIntersecting) visible.set(target, floorOf(target));
      else visible.delete(target);
    }
    const floors = new Map([...visible].map(([reply, floor]) => [floor, reply])), last = [...document.querySelectorAll("article.reply")].at(-1);
    // Where its end is on the screen or above it, the last one is read, whatever is beside it.
    const isEnd = last.getBoundingClientRect().bottom < innerHeight;
    const floor = isEnd ? floorOf(last) : Math.min(...floors.keys());
    if (floor === Infinity) return;
    place.textContent = place.dataset.at.replace("{}", floor);
    const written = (isEnd ? last : floors.get(floor)).querySelector("time");
    at.hidden = !written;
    if (written) Object.assign(at, {textContent: written.textContent, title: written.title});
  }, {rootMargin: "-15% 0px 0px", threshold: [0, 1]});
  for (const reply of document.querySelectorAll("article.reply")) observer.observe(reply);
}

const idOf = reply => reply.id.split("-")[1];

// Tells the forum which replies were on the screen to their ends, and up to which one none is left out.
// What one scrolls past is read with the one at which one stops; what one jumps over is not.
function tellSeen(replies) {
  const waiting = new Set(), all = [...replies.querySelectorAll("article.reply")];
  const unread = new Set(all.filter(reply => reply.querySelector(".forum-content, a[href*='from=']")));
  let next = all.findIndex(reply => idOf(reply) === replies.dataset.from);
  const begin = next, count = document.querySelector(".side .to-unread");
  let timer, isFirst = true;
  const tell = async () => {
    timer = clearTimeout(timer);
    if (!waiting.size) return;
    const ids = [...waiting];
    waiting.clear();
    const headers = {"X-Requested-With": "fetch"};
    while (next >= 0 && next < all.length && !unread.has(all[next])) next += 1;
    if (count && next > begin) {
      const counted = all.slice(begin, next).filter(reply => reply.matches(":has(.forum-content):not([data-uncounted])"));
      const left = count.dataset.count - counted.length;
      if (left > 0) count.textContent = count.dataset.left.replace("{}", left);
      else count.hidden = true;
    }
    const until = next > 0 ? `&until=${idOf(all[next - 1])}` : "";
    if (next === all.length && !document.querySelector(".pages [rel=next]")) {
      for (const one of document.querySelectorAll(".side :is(.to-unread, .to-unread + *), .next [formaction$='/read']")) one.remove();
    }
    const answer = await fetch(`${replies.dataset.seen}?replies=${ids}${until}`, {headers, keepalive: true}).catch(() => null);
    // Without a network, or while the forum is busy, they are told with the next ones.
    if (!answer || answer.status === 429 || answer.status >= 500) for (const id of ids) waiting.add(id);
  };
  let start;  // the first reply on the screen since the last jump
  const moves = [];  // the times of the last half a second, with the places then
  const firstOnScreen = () => all.findIndex(reply => reply.getBoundingClientRect().bottom > 0);
  document.addEventListener("scroll", () => {
    const now = performance.now();
    moves.push([now, scrollY]);
    while (moves[0][0] < now - 500) moves.shift();
    // As by the key End, which passes all replies, too.
    if (Math.abs(scrollY - moves[0][1]) > 2 * innerHeight) start = firstOnScreen();
  });
  const see = end => {
    ends.unobserve(end);
    const at = all.indexOf(end.closest("article"));
    for (const reply of all.slice(start < 0 ? at : Math.min(start, at), at + 1)) {
      if (reply.querySelector(".forum-content") && unread.delete(reply)) waiting.add(idOf(reply));
    }
    timer ??= setTimeout(tell, isFirst ? 100 : 1000);
    isFirst = false;
  };
  const timers = new Map();
  const ends = new IntersectionObserver(entries => {
    start ??= firstOnScreen();
    for (const {target, isIntersecting} of entries) {
      clearTimeout(timers.get(target));
      if (isIntersecting) timers.set(target, setTimeout(see, 700, target));
    }
  });
  for (const reply of all) {
    if (reply.querySelector(".forum-content")) ends.observe(reply.lastElementChild);
  }
  document.addEventListener("visibilitychange", tell);
  // The page behind a link is asked for before this one is hidden.
  document.addEventListener("click", event => event.target.closest("a[href]") && tell());
  document.addEventListener("submit", event => {
    if (!event.submitter?.formAction.endsWith("/unread")) return;
    // What was seen before is not read anymore.
    ends.disconnect();
    for (const one of timers.values()) clearTimeout(one);
    waiting.clear();
  });
}

// By this cookie the forum knows that the script tells it.
const {cookie} = document.currentScript.dataset;
function sayThatScriptsRun() {
  document.cookie = `${cookie}=1; path=/; max-age=31536000; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
}

// The pages of the log-in have no script, and behind them is perhaps a topic.
for (const link of document.querySelectorAll("a[href*='/login'], a[href*='/signup']")) {
  link.addEventListener("click", sayThatScriptsRun);
}
const replies = document.querySelector("[data-seen]");
if (replies) tellSeen(replies);
// After that, for it must work here.
if (document.getElementById("buttons")) sayThatScriptsRun();

showAges(document);
const place = document.querySelector(".place");
if (place) showPlace(place);

// Below its heading the bar says which topic it is.
const ofTopic = document.querySelector(".of-topic");
if (ofTopic) {
  const heading = new IntersectionObserver(([{isIntersecting}]) => { ofTopic.hidden = isIntersecting; });
  heading.observe(document.querySelector("h1"));
}

// Where the field of the number stands beside the place, that leads into it.
const jump = document.getElementById("jump");
document.querySelector("[popovertarget=jump]")?.addEventListener("click", event => {
  if (jump.matches(":popover-open") || getComputedStyle(jump).display === "none") return;
  event.preventDefault();
  jump.elements.floor.focus();
});
jump?.addEventListener("toggle", ({newState}) => newState === "open" && jump.elements.floor.focus());

// A link to pass on is chosen whole, and copied at a press.
for (const field of document.querySelectorAll(".copied")) {
  const button = field.nextElementSibling;
  field.addEventListener("focus", () => field.select());
  button.hidden = false;
  button.addEventListener("click", () => {
    field.focus();
    // The clipboard of `navigator` is there on pages with https alone.
    if (document.execCommand("copy")) button.textContent = button.dataset.done;
  });
}

// While a page is open it asks what is new: for its numbers, and for a link to what it does not show.
const NEWS_EVERY = 60000;  // milliseconds

function showNumber(place, number) {
  const mark = place.querySelector(".mark") ?? Object.assign(document.createElement("strong"), {className: "mark"});
  const isChanged = (mark.isConnected ? parseInt(mark.textContent) : 0) !== (parseInt(number) || 0);
  mark.textContent = number;
  if (place.dataset.words) {
    mark.append(Object.assign(document.createElement("span"), {className: "hidden", textContent: ` ${place.dataset.words}`}));
  }
  if (!number) mark.remove();
  else if (!mark.isConnected) place.append(" ", mark);
  return isChanged;
}

const title = document.title;

// For who looks at another tab.
function showInTitle(number) {
  document.title = number ? `(${number}) ${title}` : title;
}

showInTitle(document.querySelector("[data-number=notifications] .mark")?.firstChild.textContent.trim());

let askedAt = 0;

async function askForNews(page) {
  if (document.hidden || Date.now() - askedAt < NEWS_EVERY / 6) return;
  askedAt = Date.now();
  const headers = {"X-Requested-With": "fetch"};
  const answer = await fetch(page.dataset.news, {headers}).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const news = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("p");
  const numbers = {notifications: news.dataset.notifications, "topics-unread": news.dataset.topicsUnread, "topics-recent": news.dataset.topicsRecent};
  showInTitle(numbers.notifications);
  let isChanged = false;
  for (const place of document.querySelectorAll("[data-number]")) {
    isChanged = showNumber(place, numbers[place.dataset.number]) || isChanged;
  }
  const link = news.querySelector("a") ?? document.createElement("a");
  if (page.dataset.words && isChanged) Object.assign(link, {href: location.pathname + location.search, textContent: page.dataset.words});
  if (!link.textContent) return;
  link.className = "button fresh";
  link.setAttribute("role", "status");
  document.querySelector(".fresh")?.remove();
  document.getElementById("main").append(document.adoptNode(link));
}

const news = document.querySelector("[data-news]");
if (news) setInterval(askForNews, NEWS_EVERY, news);
document.addEventListener("visibilitychange", () => news && askForNews(news));

// On a phone the tabs scroll.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({block: "nearest", inline: "nearest"});
