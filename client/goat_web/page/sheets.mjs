// What lies over the table: the menu, talk, the table words, the last trick, pages of text, and the question of leaving.
import { shown } from "./cards.mjs";
import { button, make } from "./make.mjs";

const sheet = document.getElementById("sheet");
let open = "", drawn = "", fromModel = false;

const OWN = ["words", "last", "talk"]; // pages of the model that have a sheet of their own here
export const sheetFor = state => {
  const name = state.page?.name;
  return name === undefined || name === "hint" || name === "mute" ? null : OWN.includes(name) ? name : "page";
};

export function closeSheet(only) {
  if (only === "model" && !fromModel) return;
  open = drawn = "";
  fromModel = false;
  if (sheet.open) sheet.close();
}

export function openSheet(what, state, actions, asked = true) {
  const now = JSON.stringify([what, what === "page" ? state.page : what === "talk" ? state.talk : what === "words" ? state.words : 0]);
  if (now === drawn && sheet.open) return;
  open = what; drawn = now; fromModel = !asked;
  const typed = sheet.querySelector("input")?.value ?? "";
  const [title, ...content] = SHEETS[what](state, actions, typed);
  sheet.replaceChildren(
    make("header", {}, make("h2", { id: "sheet-title" }, title), button("Close", actions.close, { dataset: { name: "close" } })),
    make("div", { className: "content", tabindex: "0" }, ...content.filter(Boolean)));
  sheet.oncancel = event => { event.preventDefault(); actions.close(); };
  if (!sheet.open) sheet.showModal();
  sheet.querySelector("input, .main, [data-name=close]")?.focus();
}

const SHEETS = {
  menu: (state, actions) => ["Menu", make("ul", { className: "menu" },
    ...[["Rules", "rules"], ["Plays of this deal", "log"], ["Last trick", "last"], ["Talk", "talk"], ["Table words", "words"], ["Who is here", "people"]]
      .map(([word, command]) => make("li", {}, button(word, () => actions.menu(command)))),
    make("li", {}, button(`Sound at my turn: ${actions.hasSound() ? "on" : "off"}`,
      event => { event.target.textContent = `Sound at my turn: ${actions.sound() ? "on" : "off"}`; })),
    make("li", {}, button(`Suits in four colours: ${state.colours ? "on" : "off"}`, () => { actions.colours(); actions.close(); })),
    make("li", {}, button("Leave the table", () => actions.menu("leave"))))],
  talk: (state, actions, typed) => {
    const text = make("input", { maxlength: 300, autocomplete: "off", "aria-label": "Say something", value: typed });
    const lines = make("ul", { className: "talk" }, ...state.talk.map(line => make("li", {}, make("strong", {}, `${line.who}: `), line.text)));
    return ["Talk", lines, make("form", { on: { submit: event => { event.preventDefault(); if (text.value.trim()) actions.say(text.value); text.value = ""; } } },
      text, make("button", { type: "submit", className: "main" }, "Say")),
    make("div", { className: "phrases" }, ...state.phrases.map(phrase => button(phrase, () => actions.say(phrase))))];
  },
  words: state => ["Table words", state.words.length
    ? make("p", { className: "words" }, state.words.join(" "))
    : make("p", {}, "The table words are there when a match has begun."),
  make("p", {}, "Read them aloud to each other once. Equal words mean that nobody sits between you.")],
  last: state => ["Last trick", ...state.last.map(line => make("p", {}, line))],
  people: state => ["Who is here", make("ul", {}, ...state.seats.filter(s => s.taken).map(s => make("li", {},
    `${s.called || s.name}: seat ${s.seat + 1}${s.bot ? `, bot${s.operator ? ` run by ${s.operator}` : ""}` : ""}${s.host ? ", host" : ""}`)),
  ...state.watchers.map(name => make("li", {}, `${name}: watches`)))],
  page: state => [state.page.title || "Goat", ...paragraphs(state.page.rows)],
  leave: (state, actions) => ["Leave the table?", make("p", {}, state.question),
    make("div", { className: "actions" }, button("Stay", actions.close, { className: "main" }), button("Leave", actions.leave))],
};

function paragraphs(rows) {
  return rows.map(row => {
    const text = row.map(([word]) => word).join(" ").trim();
    const title = row.length > 0 && row.every(([, style]) => style === "title");
    return text ? make(title ? "h3" : "p", {}, text) : null;
  });
}
