// node web_bytecode.mjs SITE: keeps of both archives what a seat imports, compiled by the Pyodide that will load it.
// Archives are stored, not deflated: they travel in one gzip, which packs better when it sees everything.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const site = resolve(process.argv[2]);
const { loadPyodide } = await import(pathToFileURL(`${site}/pyodide/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${site}/pyodide/` });
const read = name => new Uint8Array(readFileSync(`${site}/${name}`));
python.unpackArchive(read("packages.zip"), "zip", { extractDir: "/goat" });
python.registerJsModule("goat_primitives", {});
python.registerJsModule("goat_page", {});
python.runPython(`
import importlib, importlib._bootstrap_external as boot, io, pkgutil, sys, zipfile
sys.path.insert(0, "/goat")
import goat_web.inside.door
import goat_client.game, goat_client.views, goat_engine
from goat_engine.bots import hint
for package in (goat_client.game, goat_client.views, goat_engine):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(found.name)
import encodings.idna, encodings.latin_1, encodings.ascii, importlib.metadata, random, traceback
from importlib.metadata import version
version("goat-cards")
# What is imported at a first hint or a first review only.
from goat_client.game.local import random_deal
from goat_client.game.review import reviewed
from goat_client.saved.matchfile import bots_play
from goat_engine.rules import SEATS, Rules
played = bots_play(random_deal(random.Random(1), 3, 0, Rules()), "expert", 1)
reviewed(played, SEATS)
loaded = set(sys.modules)

def again(data, out):
    new = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data.to_bytes())) as old, zipfile.ZipFile(new, "w", zipfile.ZIP_STORED) as to:
        for info in old.infolist():
            name = info.filename
            module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            if name.endswith("/") or (name.endswith(".py") and module not in loaded):
                continue
            body = old.read(info)
            if name.endswith(".py"):
                code = compile(body, name, "exec", dont_inherit=True, optimize=0)
                body, name = bytes(boot._code_to_hash_pyc(code, b"\\0" * 8, False)), name + "c"
            to.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), body)
    with open(out, "wb") as file:
        file.write(new.getvalue())
`);
const again = python.globals.get("again");
for (const name of ["pyodide/python_stdlib.zip", "packages.zip"]) {
  again(read(name), "/out.zip");
  writeFileSync(`${site}/${name}`, python.FS.readFile("/out.zip"));
}
