// Cards as elements. Suits 0-3 are spades, clubs, diamonds, hearts.
import { make } from "./make.mjs";

export const SUITS = ["♠", "♣", "♦", "♥"];
const SUIT_NAMES = ["spades", "clubs", "diamonds", "hearts"];
export const suitName = suit => SUIT_NAMES[suit];

const face = card => [
  make("span", { className: "rank", "aria-hidden": "true" }, card.label),
  make("span", { className: "suit", "aria-hidden": "true" }, SUITS[card.suit]),
];

export function shown(card) {
  if (card === null) return make("span", { className: "card back", role: "img", "aria-label": "face down" });
  return make("span", { className: `card suit-${card.suit}`, role: "img", "aria-label": card.name }, ...face(card));
}

export function held(card, place, choose) {
  const state = [card.chosen ? "chosen" : "", card.fresh ? "fresh" : "", card.why ? "cannot" : ""].filter(Boolean);
  const label = card.why ? `${card.name}. ${card.why}` : card.name;
  return make("button", {
    type: "button", className: ["card", "own", `suit-${card.suit}`, ...state].join(" "),
    "aria-pressed": String(card.chosen), "aria-label": label, dataset: { name: `card ${place + 1}` },
    on: { click: () => choose(place + 1) },
  }, ...face(card));
}
