// One tab plays. Another one of the same browser says so, and takes over only when told to: two seats that keep one log
// would harm it. The tab that plays renews a lease each second; a tab that died leaves one that runs out.
const KEY = "goat tab", EVERY = 1000, GOOD_FOR = 3500;
const channel = "BroadcastChannel" in self ? new BroadcastChannel("goat") : null;
const me = crypto.getRandomValues(new Uint32Array(2)).join("-");

const lease = () => { try { return JSON.parse(localStorage.getItem(KEY)); } catch { return null; } };
export const elsewhere = () => { const now = lease(); return now !== null && now.tab !== me && Date.now() - now.at < GOOD_FOR; };

export function hold(lost) {
  const renew = () => localStorage.setItem(KEY, JSON.stringify({ tab: me, at: Date.now() }));
  renew();
  const timer = setInterval(() => { if (elsewhere()) give(); else renew(); }, EVERY);
  const give = () => { clearInterval(timer); lost(); };
  channel?.addEventListener("message", ({ data }) => { if (data.take && data.tab !== me) give(); });
  addEventListener("pagehide", () => { if (lease()?.tab === me) localStorage.removeItem(KEY); });
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
}

export async function take() {
  channel?.postMessage({ take: true, tab: me });
  localStorage.setItem(KEY, JSON.stringify({ tab: me, at: Date.now() }));
  await new Promise(done => setTimeout(done, 300)); // the other tab closes its line and its disk
}
