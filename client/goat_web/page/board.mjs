// The table: seats around the trick, the hand below, and what can be done now. Drawn part by part, only what changed.
import { held, shown, suitName, SUITS } from "./cards.mjs";
import { button, make, Place } from "./make.mjs";

const SIDES = ["bottom", "left", "top", "right"];

export function board(screen, send, menu) {
  const parts = Object.fromEntries(["top", "seats", "score", "trick", "news", "hand", "actions", "report", "lobby"]
    .map(name => [name, new Place(make(name === "hand" || name === "actions" ? "div" : "section", { className: name }))]));
  parts.news.node.setAttribute("role", "status");
  parts.report.node.setAttribute("aria-label", "The deal, all cards open");
  parts.hand.node.setAttribute("role", "group");
  parts.hand.node.setAttribute("aria-label", "Your cards");
  parts.actions.node.setAttribute("role", "group");
  parts.actions.node.setAttribute("aria-label", "What you can do");
  const table = make("div", { className: "table" }, parts.seats.node, parts.trick.node);
  screen.replaceChildren(parts.top.node, parts.score.node, table, parts.lobby.node, parts.report.node, parts.news.node,
    parts.hand.node, parts.actions.node);
  let wasMine = false;
  return state => {
    const lobby = ["joining", "lobby", "starting"].includes(state.stage), ended = state.report !== null;
    screen.dataset.stage = ended ? "report" : lobby ? "lobby" : "table";
    screen.classList.toggle("four", state.colours);
    parts.top.draw([state.table, state.deal?.number, state.deal?.trump, state.deal?.stock, state.deal?.indicator, state.unread, state.link, state.fair],
      () => top(state, menu));
    parts.score.draw([state.score, lobby], () => (lobby || state.score === null ? [] : score(state.score)));
    parts.lobby.draw([lobby, state.seats, state.watchers, state.me], () => (lobby ? seatsList(state, send) : []));
    parts.seats.draw([lobby || ended, state.seats], () => (lobby || ended ? [] : state.seats.map(seat)));
    parts.trick.draw([lobby || ended, state.deal], () => (lobby || ended || state.deal === null ? [] : trick(state)));
    parts.report.draw([state.report], () => (ended ? report(state.report) : []));
    parts.news.draw([state.asked, state.notice, state.hint, state.lines, state.trouble, state.clock, state.link, state.deal?.taken],
      () => news(state));
    parts.hand.draw([lobby || ended, state.hand], () =>
      (lobby || ended ? [] : state.hand.map((card, place) => held(card, place, n => send("do", `card ${n}`)))));
    parts.actions.draw([state.actions, state.page?.name], () => state.actions.map((action, n) =>
      button(action.word, () => send("do", action.command), { className: n === 0 ? "main" : "", dataset: { name: action.command } })));
    for (const { node } of [parts.report, parts.news]) reachable(node);
    if (state.mine && !wasMine && (document.activeElement === document.body || document.activeElement === null)) {
      parts.hand.node.querySelector("button")?.focus({ preventScroll: true });
    }
    wasMine = state.mine;
  };
}

// What scrolls can be scrolled by keys: it takes the focus, as long as it is longer than its place.
function reachable(node) {
  if (node.scrollHeight > node.clientHeight) node.setAttribute("tabindex", "0");
  else node.removeAttribute("tabindex");
}

function top(state, menu) {
  const deal = state.deal;
  return [
    make("h1", {}, state.table || "Goat"),
    deal && make("p", { className: "facts" }, `Deal ${deal.number} · trump `,
      make("span", { className: `ink-${deal.trump}`, role: "img", "aria-label": suitName(deal.trump) }, SUITS[deal.trump]),
      ` (shown ${deal.indicator.label}`, make("span", { "aria-hidden": "true" }, SUITS[deal.indicator.suit]), `) · stock ${deal.stock}`),
    !state.fair && make("p", { className: "alarm" }, "Seeded for a test: not fair"),
    make("span", { className: "corner" },
      button(state.unread ? `Talk (${state.unread})` : "Talk", () => menu("talk"), { dataset: { name: "talk" } }),
      button("Menu", () => menu("menu"), { dataset: { name: "menu" }, "aria-haspopup": "dialog" })),
  ];
}

function score(found) {
  return [0, 1].map(i => make("p", { className: "team" },
    make("strong", {}, found.teams[i]), ` ${found.defeat[i]} of ${found.target}`,
    found.tricks && make("span", { className: "faint" }, `tricks ${found.tricks[i]}, points seen ${found.seen[i]}`)));
}

function notes(seat) {
  return [
    seat.bot ? (seat.level ? `bot, ${seat.level}` : "bot") : "", seat.operator ? `run by ${seat.operator}` : "",
    seat.page ? `in a page of ${seat.page}` : "",
    seat.host ? "host" : "", seat.away ? "away" : "", seat.changed ? "under another key than before: ask who this is" : "",
  ].filter(Boolean).join(", ");
}

function seat(info) {
  const backs = Array.from({ length: info.place === 0 ? 0 : info.cards }, () => make("span", { className: "tiny", "aria-hidden": "true" }));
  const label = [info.name || `seat ${info.seat + 1}`, info.turn ? "to play" : "", info.dealer ? "dealer" : "", notes(info), `${info.cards} cards`].filter(Boolean).join(", ");
  return make("div", { className: `seat ${SIDES[info.place]}${info.turn ? " turn" : ""}${info.away ? " away" : ""}`, role: "group", "aria-label": label },
    make("span", { className: "name" }, info.name), info.dealer && make("span", { className: "dealer", "aria-hidden": "true" }, "D"),
    make("span", { className: "backs" }, ...backs));
}

function trick(state) {
  const deal = state.deal;
  if (deal.plays.length === 0) return [make("p", { className: "empty faint" }, state.stage === "dealing" ? "All four lock the deck." : "")];
  return deal.plays.map(play => make("div", { className: `play ${SIDES[play.place]} ${play.kind}${deal.taker === play.place ? " took" : ""}`, role: "group", "aria-label": play.told },
    ...play.cards.map(shown)));
}

function news(state) {
  const clock = state.clock && state.clock.seat === state.me ? state.clock.text : "";
  return [
    !state.link && make("p", { className: "alarm" }, "The connection is being made again."),
    state.trouble && make("p", { className: "alarm" }, state.trouble),
    ...state.lines.map(line => make("p", { className: "alarm" }, line)),
    state.deal?.taken && make("p", {}, state.deal.taken),
    state.notice && make("p", { className: "notice" }, state.notice),
    state.hint && make("p", { className: "hint" }, state.hint),
    (state.asked || clock) && make("p", { className: state.mine ? "asked" : "faint" }, [state.asked, clock].filter(Boolean).join(" ")),
  ];
}

function seatsList(state, send) {
  const order = [...state.seats].sort((a, b) => a.seat - b.seat);
  return [
    make("h2", {}, state.stage === "starting" ? "The match begins" : "Who sits where"),
    make("ol", { className: "places" }, ...order.map(info => {
      const who = info.taken ? info.called || info.name : "free";
      const more = [info.seat === state.me ? "you" : "", notes(info), info.ready ? "ready" : ""].filter(Boolean).join(", ");
      return make("li", {}, button(`${info.seat + 1}. ${who}${more ? ` – ${more}` : ""}`, () => send("do", `card ${info.seat + 1}`),
        { dataset: { name: `seat ${info.seat + 1}` }, "aria-pressed": String(info.seat === state.me) }));
    })),
    make("p", { className: "faint" }, "Seats 1 and 3 are partners, and so are 2 and 4."),
    state.watchers.length > 0 && make("p", { className: "faint" }, `Watching: ${state.watchers.join(", ")}.`),
  ];
}

function report(found) {
  return [
    make("h2", {}, found.finale ? "The match is over" : `Deal ${found.number}, all cards open`),
    found.finale && make("p", { className: "finale" }, found.finale),
    make("ol", { className: "tricks" }, ...found.tricks.map(one => make("li", {},
      make("span", { className: "row" }, ...one.plays.map(play => make("span", {
        className: `opened${play.hidden ? " hidden-play" : ""}${play.took ? " took" : ""}`, role: "group",
        "aria-label": `${play.name}${play.hidden ? ", was face down" : ""}${play.took ? ", took it" : ""}`,
      }, make("span", { className: "who" }, play.name), ...play.cards.map(shown)))),
      make("span", { className: one.ours ? "worth ours" : "worth" }, `${one.taker} ${one.worth}`)))),
    ...found.lines.map(line => make("p", {}, line)),
  ];
}
