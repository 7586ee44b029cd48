// Makes pages nicer, which work without it: times in words, and buttons that need no reload.
"use strict";

const UNITS = [["minute", 60], ["hour", 3600], ["day", 86400]];
const LONGEST = 30 * 86400;
const THIS_YEAR = {month: "short", day: "numeric", hour: "numeric", minute: "2-digit"};
const ANOTHER = {year: "numeric", ...THIS_YEAR};

const language = document.documentElement.lang;
// With the reader's own order of day and month, if that is of the page's language.
const region = navigator.languages.find(one => one.split("-")[0] === language.split("-")[0]) ?? language;

function showAges(root) {
  const words = new Intl.RelativeTimeFormat(language, {numeric: "auto"});
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    const seconds = (Date.now() - moment) / 1000;
    time.title = moment.toLocaleString(region, {dateStyle: "full", timeStyle: "long"});
    if (!(seconds >= 0 && seconds < LONGEST)) {
      const isThis = moment.getFullYear() === new Date().getFullYear();
      time.textContent = moment.toLocaleString(region, isThis ? THIS_YEAR : ANOTHER);
      continue;
    }
    const [unit, length] = UNITS.findLast(([, size]) => seconds >= size) ?? UNITS[0];
    time.textContent = words.format(-Math.floor(seconds / length), unit);
  }
}

// Submits the form of a button and replaces the post around it by what the page shows then.
async function press(form, post) {
  const answer = await fetch(form.action, {method: "POST", body: new URLSearchParams(new FormData(form))});
  if (!answer.ok) throw new Error(answer.statusText);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById(post.id);
  if (!fresh) throw new Error("the post is not on the page");
  const place = [...post.querySelectorAll("button")].indexOf(form.querySelector("button"));
  post.replaceWith(document.adoptNode(fresh));
  showAges(fresh);
  fresh.querySelectorAll("button")[place]?.focus();
}

document.addEventListener("submit", event => {
  const form = event.target;
  const post = form.closest("article[id]");
  if (!post || !form.matches(".live")) return;
  event.preventDefault();
  press(form, post).catch(() => form.submit());
});

showAges(document);
