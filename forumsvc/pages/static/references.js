// References from a reply to another one: its beginning beside the pointer, and the way back from it.
"use strict";

{
  const KEY = "reference";  // the reply that was left, for the page to which the reference leads
  const peek = Object.assign(document.createElement("div"), {className: "peek", hidden: true});
  document.body.append(peek);
  let timer;

  const referenceAt = target => target.closest?.("article.reply a[href*='floor']");

  function hide() {
    clearTimeout(timer);
    peek.hidden = true;
  }

  // What is on another page is not shown before one is there.
  function show(link) {
    const post = document.getElementById(link.hash.slice(1))?.closest("article"), text = post?.querySelector(".forum-content");
    if (!text || post === link.closest("article")) return;
    const beginning = text.cloneNode(true);
    for (const one of beginning.querySelectorAll("[id]")) one.removeAttribute("id");
    const author = Object.assign(document.createElement("b"), {textContent: post.querySelector(".author").textContent});
    peek.replaceChildren(author, beginning);
    peek.hidden = false;
    const {left, right, bottom} = link.getBoundingClientRect();
    const start = document.dir === "rtl" ? right - peek.offsetWidth : left;
    peek.style.top = `${scrollY + bottom + 6}px`;
    peek.style.left = `${Math.max(8, Math.min(start, innerWidth - peek.offsetWidth - 24))}px`;
  }

  function soon({target}) {
    const link = referenceAt(target);
    if (!link) return;
    clearTimeout(timer);
    timer = setTimeout(show, 200, link);
  }

  document.addEventListener("mouseover", soon);
  document.addEventListener("mouseout", ({target}) => referenceAt(target) && hide());
  document.addEventListener("focusin", soon);
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", ({key}) => key === "Escape" && hide());

  function offerWayBack() {
    const {path, href, name} = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    sessionStorage.removeItem(KEY);
    if (path !== location.pathname) return;
    const link = Object.assign(document.createElement("a"), {className: "button second fresh", href, textContent: `↩ ${name}`});
    link.addEventListener("click", () => link.remove());
    document.querySelector(".fresh")?.remove();
    document.getElementById("main").append(link);
  }

  document.addEventListener("click", event => {
    const link = referenceAt(event.target), place = link?.closest("article").querySelector(".floor");
    if (!place || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    hide();
    const name = place.textContent, href = `${location.pathname}?floor=${name.slice(1)}`;
    const isHere = document.getElementById(link.hash.slice(1)) !== null;
    sessionStorage.setItem(KEY, JSON.stringify({path: location.pathname, href: isHere ? `#${place.id}` : href, name}));
    if (isHere) offerWayBack();
  });
  offerWayBack();
}
