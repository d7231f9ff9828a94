// The page: what the worker shows is laid out here, and what is tapped goes to the worker as a command.
import { board } from "./board.mjs";
import { button, make, Place } from "./make.mjs";
import { closeSheet, openSheet, sheetFor } from "./sheets.mjs";
import * as tabs from "./tabs.mjs";

const screen = document.getElementById("screen"), heard = document.getElementById("heard");
const kept = {
  get: name => { try { return localStorage.getItem(`goat ${name}`) ?? ""; } catch { return ""; } },
  set: (name, value) => { try { localStorage.setItem(`goat ${name}`, value); } catch { /* a private window keeps nothing */ } },
};
const state = { stage: "" };
let worker = null, draw = null, table = {}, bell = kept.get("sound") !== "no", wasMine = false;

export const send = (call, argument) => worker?.postMessage(argument === undefined ? [call] : [call, argument]);

function message(title, text, ...more) {
  draw = null;
  closeSheet();
  screen.replaceChildren(make("section", { className: "card-page" }, make("h1", {}, title), make("p", {}, text), ...more));
}

function asked() {
  const name = make("input", { id: "name", maxlength: 16, autocomplete: "nickname", value: kept.get("name"), required: true });
  const code = table.code ? make("input", { id: "code", autocomplete: "off", value: kept.get("code"), required: true }) : null;
  const begin = watch => {
    if (!watch && !form.reportValidity()) return;
    kept.set("name", name.value.trim());
    if (code) kept.set("code", code.value.trim());
    kept.set("watch", watch ? "yes" : "no");
    kept.set("in", "yes");
    play();
  };
  const form = make("form", { className: "card-page", on: { submit: event => { event.preventDefault(); begin(false); } } },
    make("h1", {}, "Goat"),
    make("p", {}, table.table ? `The table ${table.table}, in a page of ${table.by}.` : `In a page of ${table.by}.`),
    make("label", { for: "name" }, "Your name"), name,
    code && make("label", { for: "code" }, "The table's code"), code,
    make("div", { className: "actions" }, make("button", { type: "submit", className: "main" }, "Sit down"),
      button("Only watch", () => begin(true))),
    make("p", { className: "faint" }, "Your cards are made and kept in this page; nobody else can see them. "
      + `Whoever serves a page could serve another one: take it from somebody you trust. This one is ${table.by}'s.`));
  draw = null;
  screen.replaceChildren(form);
  name.focus();
}

function play() {
  message("Goat", "One moment: the cards are being fetched.", make("progress", {}));
  tabs.hold(() => {
    worker?.terminate();
    worker = null;
    message("Goat", "You play on in another tab of this browser.", button("Play here", begin, { className: "main" }));
  });
  worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
  worker.onerror = event => failed(event.message || "the worker could not be loaded");
  worker.onmessage = ({ data }) => {
    if (data.show) show(data.show);
    if (data.say) hear(data.say);
    if (data.failed) failed(data.failed);
    if (data.fault) show({ trouble: `That did not work here (${data.fault}).` });
    if (data.leaving !== undefined) leave(data.leaving);
    if (data.over !== undefined) over(data.over);
  };
  worker.postMessage({ start: {
    name: kept.get("name"), code: kept.get("code"), watch: kept.get("watch") === "yes", profile: "seat",
    by: table.by,
    four_colours: kept.get("colours") === "4",
    line: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/line`,
  } });
}

function show(changes) {
  Object.assign(state, changes);
  if (draw === null) draw = board(screen, send, menu);
  draw(state);
  const open = sheetFor(state);
  if (open !== null) openSheet(open, state, actions, false);
  else closeSheet("model");
  document.title = `${state.mine ? "● " : ""}Goat${state.table ? ` – ${state.table}` : ""}`;
  if (state.mine && !wasMine) turn();
  wasMine = state.mine;
  requestAnimationFrame(() => send("drawn"));
}

function turn() {
  try { navigator.vibrate?.(120); } catch { /* some browsers want a touch first */ }
  if (!bell) return;
  try {
    const sound = new AudioContext(), tone = sound.createOscillator(), volume = sound.createGain();
    volume.gain.value = 0.05;
    tone.connect(volume).connect(sound.destination);
    tone.frequency.value = 660;
    tone.start();
    tone.stop(sound.currentTime + 0.12);
    tone.onended = () => sound.close();
  } catch { /* no sound here */ }
}

function hear(text) {
  heard.append(make("p", {}, text));
  while (heard.childElementCount > 200) heard.firstElementChild.remove();
}

function failed(text) {
  worker?.terminate();
  worker = null;
  const memory = typeof WebAssembly !== "object" || /memory/i.test(text);
  message("The page cannot play", memory
    ? "This browser has no WebAssembly, or too little memory for it. Another browser, or another phone, may do."
    : `Something went wrong here: ${text}. Your seat is kept; load the page again.`,
  button("Load again", () => location.reload(), { className: "main" }));
}

function over(text) {
  worker?.terminate();
  worker = null;
  kept.set("in", "no");
  message("Goat", text || "You have left the table.", button("Sit down again", begin, { className: "main" }));
}

function leave(question) {
  if (!question) { send("leave"); return; }
  openSheet("leave", { ...state, question }, actions);
}

const actions = {
  send,
  close() { closeSheet(); if (state.page) send("do", "escape"); },
  leave() { closeSheet(); send("leave"); },
  say(text) { send("say", text); },
  sound() { bell = !bell; kept.set("sound", bell ? "yes" : "no"); return bell; },
  hasSound: () => bell,
  colours() { const four = !state.colours; kept.set("colours", four ? "4" : "2"); send("colours", four); },
};

function menu(what) {
  if (what === "leave") send("leaving");
  else if (["menu", "talk", "words", "last", "people"].includes(what)) {
    if (what === "talk") send("do", "talk page"), send("do", "escape");
    openSheet(what, state, actions);
  } else { closeSheet(); send("do", what); }
}
actions.menu = menu;

async function begin() {
  if (typeof WebAssembly !== "object" || typeof Worker !== "function") { failed("no WebAssembly"); return; }
  try {
    table = await (await fetch("./table.json", { cache: "no-store" })).json();
  } catch { message("Goat", "The page's gateway does not answer.", button("Try again", () => location.reload(), { className: "main" })); return; }
  if (tabs.elsewhere()) {
    message("Goat", "This table is open in another tab of this browser.",
      button("Play here instead", async () => { await tabs.take(); enter(); }, { className: "main" }));
    return;
  }
  enter();
}

function enter() { if (kept.get("in") === "yes" && kept.get("name")) play(); else asked(); }

begin();
