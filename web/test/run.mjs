// Serves a folder on this machine, opens it in headless Chromium, and waits for what the page's tests report.

import { spawn } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
/// The longest that the page may take.
const PATIENCE = 180e3;

const dist = process.argv[2];
const own = new URL(".", import.meta.url).pathname;
const profile = mkdtempSync(join(tmpdir(), "crosslane-web-"));
let browser;

function end(code, words) {
  console.log(words);
  browser?.kill();
  browser?.once("exit", () => {
    rmSync(profile, { recursive: true, force: true });
    process.exit(code);
  });
  if (!browser) process.exit(code);
}

function report(text) {
  const results = JSON.parse(text);
  for (const [name, wrong] of results) console.log(wrong ? `wrong: ${name}: ${wrong}` : `right: ${name}`);
  const wrong = results.filter(([, wrong]) => wrong).length;
  end(wrong ? 1 : 0, `${results.length} checks, ${wrong} wrong`);
}

const server = createServer((request, response) => {
  if (request.method === "POST") {
    let text = "";
    request.on("data", (part) => { text += part; });
    request.on("end", () => { response.end(); report(text); });
    return;
  }
  const path = normalize(new URL(request.url, "http://localhost").pathname);
  if (path === "/") {
    response.setHeader("content-type", "text/html");
    response.end(readFileSync(join(dist, "index.html"), "utf8") + '<script type="module" src="/tests.js"></script>');
    return;
  }
  const file = path === "/tests.js" ? join(own, "tests.js") : join(dist, path);
  if (!existsSync(file)) {
    response.statusCode = 404;
    response.end();
    return;
  }
  response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
  createReadStream(file).pipe(response);
});

// What ends this program early ends the browser too.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => end(1, `ended by ${signal}`));

server.listen(0, "127.0.0.1", () => {
  const address = `http://127.0.0.1:${server.address().port}/`;
  const flags = ["--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", "--enable-logging=stderr", `--user-data-dir=${profile}`];
  // Chromium has a software driver of its own; one that other tests name is none of its.
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES, ...env } = process.env;
  browser = spawn(process.env.CHROMIUM ?? "chromium", [...flags, address], { stdio: ["ignore", "ignore", "pipe"], env });
  // What the page writes to its console.
  createInterface(browser.stderr).on("line", (line) => { if (line.includes(":CONSOLE")) console.log(line); });
  browser.on("error", (error) => { browser = undefined; end(1, `the browser did not start: ${error.message}`); });
  setTimeout(() => end(1, `no report within ${PATIENCE / 1000} s`), PATIENCE).unref();
});
