// A command in headless Chromium, where the WebGPU is the browser's: as `node.mjs`, with the browser's program for its folder.
//
//     node browser.mjs CHROMIUM COMMAND [LINES REPLAY]
import { createReadStream } from "node:fs";
import { browse, posted } from "../../../web/test/chromium.mjs";

const [chromium, command, input, replay] = process.argv.slice(2);
/// The longest time without a word of the page, in milliseconds.
const PATIENCE = 120e3;

const PAGE = '<!doctype html><meta charset="utf-8"><script type="module" src="/page.mjs"></script>';
const files = {
  "/page.mjs": new URL("page.mjs", import.meta.url),
  "/commands.mjs": new URL("commands.mjs", import.meta.url),
  "/replay.mjs": replay,
  "/lines": input,
};
/// What is served where no file is.
const texts = { "/": PAGE, "/replay.mjs": "export {};" };

async function answer(request, response, end) {
  const { pathname } = new URL(request.url, "http://localhost");
  if (request.method === "POST") {
    const text = await posted(request);
    if (pathname === "/told") await new Promise((written) => process.stdout.write(text, written));
    response.end();
    if (pathname === "/end") end(text.length ? 1 : 0, text.toString());
    return;
  }
  response.setHeader("content-type", pathname === "/" ? "text/html" : "text/javascript");
  if (files[pathname]) createReadStream(files[pathname]).pipe(response);
  else response.end(texts[pathname]);
}

browse({ chromium, path: `/?${command}`, patience: PATIENCE, answer });
