// The seat: Pyodide with goat's own packages. Beside the page's thread, so that a shuffle or an audit never freezes it.
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { openLine } from "./line.mjs";
import { primitives } from "./primitives.mjs";
import { openStore } from "./store.mjs";

let door = null;
const tell = message => postMessage(message);

async function start(options) {
  const [python, packages, store] = await Promise.all([
    loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href, stdout: console.log, stderr: console.warn }),
    fetch("./packages.zip").then(answer => answer.arrayBuffer()),
    openStore(`goat ${options.profile}`),
  ]);
  tell({ step: "python" });
  python.unpackArchive(packages, "zip", { extractDir: "/goat" });
  python.registerJsModule("goat_primitives", primitives);
  python.registerJsModule("goat_page", {
    options: JSON.stringify(options),
    kept: await store.all(),
    disk: store,
    line: (onFirst, onBytes, onEnd) => openLine(store, options.line, onFirst, onBytes, onEnd),
    show: changes => tell({ show: JSON.parse(changes) }),
    say: text => tell({ say: text }),
    over: text => tell({ over: text }),
  });
  door = await python.runPythonAsync(
    "import sys\nsys.path.insert(0, '/goat')\nfrom goat_web.inside.door import door\ndoor()");
  tell({ step: "ready" });
  await door.run();
}

onmessage = ({ data }) => {
  if (data.start) {
    start(data.start).catch(error => tell({ failed: String(error.message ?? error) }));
  } else if (door !== null) {
    const [call, argument] = data;
    try {
      const answer = argument === undefined ? door[call]() : door[call](argument);
      if (call === "leaving") tell({ leaving: answer });
    } catch (error) { // a fault of ours in one command: it is said, and the game goes on
      console.error(error);
      tell({ fault: String(error.message ?? error).trim().split("\n").at(-1) });
    }
  }
};
