// Headless Chromium on a page that this program serves.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/// The whole of what a request posts.
export const posted = (request) => new Promise((done) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => done(Buffer.concat(parts)));
});

/// Removes a browser's folder. Processes of its own may still write there for a moment after it has ended.
async function removed(folder) {
  for (let nth = 0; nth < 20; nth += 1) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch {
      await new Promise((later) => setTimeout(later, 100));
    }
  }
  console.error(`left behind: ${folder}`);
}

/// Opens the page at `path` in the program `chromium`; `answer(request, response, end)` serves it. `end(code, words)` ends the browser
/// and this program. So do signals, the browser's own end, and a page that asks for nothing for `patience` milliseconds.
export function browse({ chromium, path, patience, answer }) {
  const profile = mkdtempSync(join(tmpdir(), "crosslane-chromium-"));
  let browser;
  let waiting;

  function end(code, words = "") {
    if (words) (code ? console.error : console.log)(words);
    clearTimeout(waiting);
    const leave = async () => {
      await removed(profile);
      process.exit(code);
    };
    browser?.removeAllListeners("exit");
    browser?.once("exit", leave);
    if (!browser?.kill()) leave();
  }

  function wait() {
    clearTimeout(waiting);
    waiting = setTimeout(() => end(1, `the page asked for nothing for ${patience / 1000} s`), patience);
  }

  const server = createServer((request, response) => {
    wait();
    answer(request, response, end);
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => end(1, `ended by ${signal}`));
  server.listen(0, "127.0.0.1", () => {
    const address = `http://127.0.0.1:${server.address().port}${path}`;
    const flags = ["--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", "--enable-logging=stderr", `--user-data-dir=${profile}`];
    // Chromium has a software driver of its own; one that other tests name is none of its.
    const { VK_DRIVER_FILES, VK_ICD_FILENAMES, ...env } = process.env;
    browser = spawn(chromium, [...flags, address], { stdio: ["ignore", "ignore", "pipe"], env });
    // What the page writes to its console.
    createInterface(browser.stderr).on("line", (line) => { if (line.includes(":CONSOLE")) console.error(line); });
    browser.on("exit", (code) => { browser = undefined; end(1, `the browser ended by itself: ${code}`); });
    browser.on("error", (error) => { browser = undefined; end(1, `the browser did not start: ${error.message}`); });
    wait();
  });
}
