// What a seat keeps, in IndexedDB: one object store of bytes by key. Puts of one turn of the event loop share a
// transaction; transactions follow one another. `held` is done when all that was put before `hold` is on disk.
const asked = request => new Promise((good, bad) => {
  request.onsuccess = () => good(request.result);
  request.onerror = () => bad(request.error);
});

export async function openStore(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore("kept");
  const db = await asked(request);
  let batch = null, done = Promise.resolve(), problem = "";
  const write = changes => new Promise(good => {
    const change = db.transaction("kept", "readwrite", { durability: "strict" });
    const kept = change.objectStore("kept");
    for (const [key, value] of changes) value === null ? kept.delete(key) : kept.put(value, key);
    change.oncomplete = () => good();
    change.onabort = change.onerror = () => { problem = String(change.error); good(); };
  });
  const store = {
    held: Promise.resolve(),
    async all() {
      const kept = db.transaction("kept").objectStore("kept");
      const [keys, values] = await Promise.all([asked(kept.getAllKeys()), asked(kept.getAll())]);
      return keys.map((key, i) => [key, values[i]]);
    },
    put(key, value) {
      if (batch === null) {
        batch = new Map();
        done = done.then(() => { const now = batch; batch = null; return write(now); });
      }
      batch.set(key, value === null || value === undefined ? null : value);
    },
    hold() { store.held = done; },
    problem: () => problem,
  };
  return store;
}
