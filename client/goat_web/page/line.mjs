// A line to the gateway: whole frames in either direction. Nothing goes out before what was held is on disk.
export function openLine(store, url, onFirst, onBytes, onEnd) {
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  let tail = Promise.resolve(), first = true, over = false;
  const end = text => { if (!over) { over = true; onEnd(text); } };
  socket.onmessage = ({ data }) => {
    if (over) return;
    if (first) { first = false; onFirst(data); } else onBytes(new Uint8Array(data));
  };
  socket.onclose = ({ reason }) => end(reason || "the page's gateway is gone");
  socket.onerror = () => end("the page's gateway does not answer");
  return {
    send(text) {
      const bytes = Uint8Array.from(text.match(/../g) ?? [], pair => parseInt(pair, 16));
      const held = store.held;
      tail = tail.then(() => held).then(() => { if (socket.readyState === WebSocket.OPEN) socket.send(bytes); });
    },
    waiting: () => socket.bufferedAmount,
    close() { tail = tail.then(() => socket.close()); },
    abort() { end("dropped"); socket.close(); },
  };
}
