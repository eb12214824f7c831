// A command in headless Chromium, where the WebGPU is the browser's: as `node.mjs`, with the browser's program for its folder.
//
//     node browser.mjs CHROMIUM COMMAND [LINES REPLAY]
import { spawn } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [chromium, command, input, replay] = process.argv.slice(2);
/// The longest time without a word of the page.
const PATIENCE = 120e3;

const profile = mkdtempSync(join(tmpdir(), "crosslane-browser-"));
let browser;
let waiting;

function end(code, words = "") {
  if (words) console.error(words);
  clearTimeout(waiting);
  const leave = () => {
    rmSync(profile, { recursive: true, force: true });
    process.exit(code);
  };
  browser?.removeAllListeners("exit");
  browser?.once("exit", leave);
  if (!browser?.kill()) leave();
}

function wait() {
  clearTimeout(waiting);
  waiting = setTimeout(() => end(1, `Chromium said nothing for ${PATIENCE / 1000} s`), PATIENCE);
}

const read = (request) => new Promise((done) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => done(Buffer.concat(parts)));
});

const PAGE = '<!doctype html><meta charset="utf-8"><script type="module" src="/page.mjs"></script>';
const served = {
  "/page.mjs": new URL("page.mjs", import.meta.url),
  "/commands.mjs": new URL("commands.mjs", import.meta.url),
  "/replay.mjs": replay,
  "/lines": input,
};
const NOTHING = { "/replay.mjs": "export {};", "/lines": "", "/favicon.ico": "" };

const server = createServer(async (request, response) => {
  wait();
  const { pathname } = new URL(request.url, "http://localhost");
  if (request.method === "POST") {
    const text = await read(request);
    if (pathname === "/told") await new Promise((written) => process.stdout.write(text, written));
    response.end();
    if (pathname === "/end") end(text.length ? 1 : 0, text.toString());
    return;
  }
  response.setHeader("content-type", pathname === "/" ? "text/html" : "text/javascript");
  if (served[pathname]) createReadStream(served[pathname]).pipe(response);
  else response.end(pathname === "/" ? PAGE : NOTHING[pathname]);
});

// What ends this program early ends the browser too.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => end(1, `ended by ${signal}`));

server.listen(0, "127.0.0.1", () => {
  const address = `http://127.0.0.1:${server.address().port}/?${command}`;
  const flags = ["--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", "--enable-logging=stderr", `--user-data-dir=${profile}`];
  // Chromium has a software driver of its own; one that other tests name is none of its.
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES, ...env } = process.env;
  browser = spawn(chromium, [...flags, address], { stdio: ["ignore", "ignore", "pipe"], env });
  // What the page writes to its console.
  createInterface(browser.stderr).on("line", (line) => { if (line.includes(":CONSOLE")) console.error(line); });
  browser.on("exit", (code) => { browser = undefined; end(1, `Chromium ended by itself: ${code}`); });
  browser.on("error", (error) => { browser = undefined; end(1, `the browser did not start: ${error.message}`); });
  wait();
});
