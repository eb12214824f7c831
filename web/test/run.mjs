// Opens the folder that is given in headless Chromium, and waits for what the page's tests report.

import { createReadStream, existsSync, readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { browse, posted } from "./chromium.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
/// The longest that the tests may take, in milliseconds: they ask for nothing meanwhile.
const PATIENCE = 180e3;

const dist = process.argv[2];
const own = new URL(".", import.meta.url).pathname;

function report(text, end) {
  const results = JSON.parse(text);
  for (const [name, wrong] of results) console.log(wrong ? `wrong: ${name}: ${wrong}` : `right: ${name}`);
  const wrong = results.filter(([, wrong]) => wrong).length;
  end(wrong ? 1 : 0, `${results.length} checks, ${wrong} wrong`);
}

async function answer(request, response, end) {
  if (request.method === "POST") {
    const text = await posted(request);
    response.end();
    report(text.toString(), end);
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
}

browse({ chromium: process.env.CROSSLANE_CHROMIUM ?? "chromium", path: "/", patience: PATIENCE, answer });
