// A command on Dawn, the WebGPU of Chromium, under Node. FOLDER has the npm package `webgpu`.
//
//     node node.mjs FOLDER COMMAND [LINES REPLAY]          a command of `commands.mjs` for the lines of a file, with the module
//                                                          REPLAY; prints what it tells
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import * as commands from "./commands.mjs";

const [folder, command, input, replay] = process.argv.slice(2);
const { create, globals } = createRequire(`${folder}/`)("webgpu");
Object.assign(globalThis, globals);
// Dawn dies with the object that `create` gives: it is kept where nothing collects it.
globalThis.gpu = create(["enable-dawn-features=allow_unsafe_apis"]);
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error("Dawn finds no adapter");

const { load } = replay ? await import(pathToFileURL(replay)) : {};
// Begun when they are read: lines that nobody waits for yet are lost.
const lines = () => createInterface({ input: createReadStream(input), crlfDelay: Infinity });
const tell = (line) => new Promise((told) => process.stdout.write(`${line}\n`, told));
await commands[command]({ adapter, lines, tell, load });
process.exit(0); // Dawn's threads keep the process alive
