// What `browser.mjs` opens: runs a command, and posts what it tells.
import * as commands from "/commands.mjs";

/// Lines that go in one post, at most: characters.
const POST = 1 << 20;

const post = async (to, body) => {
  const answer = await fetch(to, { method: "POST", body });
  if (!answer.ok) throw new Error(`${to}: ${answer.status}`);
};

async function* lines() {
  const stream = (await fetch("/lines")).body.pipeThrough(new TextDecoderStream());
  let rest = "";
  for await (const part of stream) {
    const parts = (rest + part).split("\n");
    rest = parts.pop();
    yield* parts;
  }
  if (rest) yield rest;
}

let told = "";
let last = performance.now();
async function tell(line) {
  told += `${line}\n`;
  // Often enough that the other side knows of life.
  if (told.length > POST || performance.now() - last > 1000) await flush();
}
async function flush() {
  const body = told;
  told = "";
  last = performance.now();
  await post("/told", body);
}

try {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw new Error("Chromium finds no adapter");
  const { load } = await import("/replay.mjs");
  await commands[location.search.slice(1)]({ adapter, lines, tell, load });
  await flush();
  await post("/end", "");
} catch (error) {
  await post("/end", String(error.stack ?? error));
}
