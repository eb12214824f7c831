// The page: sliders, canvases, and the calls of the library between them.

import init, { Filter, Page } from "./crosslane_web.js";

const find = (what, within = document) => within.querySelector(what);
const number = new Intl.NumberFormat("en");

/// Says something in a section, or what went wrong.
function tell(section, text, wrong = false) {
  const place = find(".told", section);
  place.textContent = text;
  place.classList.toggle("wrong", wrong);
}

/// Runs work when asked, one at a time; what is asked for meanwhile runs once, after it.
function inTurn(section, work) {
  let [running, again] = [null, false];
  const run = async () => {
    section.ariaBusy = true;
    do {
      again = false;
      try { await work(); } catch (error) { tell(section, error.message ?? String(error), true); }
    } while (again);
    running = null;
    section.ariaBusy = false;
  };
  return () => {
    if (running) again = true;
    else running = run();
    return running;
  };
}

/// The values beside the sliders of a form.
function label(form, words = {}) {
  for (const input of form.querySelectorAll("input[type=range]")) {
    find("output", input.parentElement).textContent = words[input.name]?.(input.value) ?? input.value + (input.dataset.unit ?? "");
  }
}

/// A picture to begin with: a disc, stripes and a ring on a ground that gets lighter.
function drawn(size) {
  const canvas = new OffscreenCanvas(size, size);
  const context = canvas.getContext("2d");
  const ground = context.createLinearGradient(0, 0, size, size);
  ground.addColorStop(0, "#10284a");
  ground.addColorStop(1, "#c7e3f5");
  context.fillStyle = ground;
  context.fillRect(0, 0, size, size);
  context.fillStyle = "#f2a33a";
  context.beginPath();
  context.arc(0.35 * size, 0.38 * size, 0.2 * size, 0, 7);
  context.fill();
  context.fillStyle = "#7d1f3f";
  for (let stripe = 0; stripe < 6; stripe += 1) context.fillRect((0.56 + 0.06 * stripe) * size, 0.2 * size, 0.03 * size, 0.35 * size);
  context.strokeStyle = "#ffffff";
  context.lineWidth = 0.03 * size;
  context.beginPath();
  context.arc(0.68 * size, 0.75 * size, 0.13 * size, 0, 7);
  context.stroke();
  context.fillStyle = "#ffffff";
  context.font = `bold ${0.13 * size}px sans-serif`;
  context.fillText("WGSL", 0.07 * size, 0.83 * size);
  return canvas;
}

/// Red, green and blue of a picture, cut to a square of at most `most` pixels a side.
function pixels(picture, most) {
  const side = Math.min(picture.width, picture.height);
  const size = Math.min(side, most);
  const context = new OffscreenCanvas(size, size).getContext("2d");
  context.drawImage(picture, (picture.width - side) / 2, (picture.height - side) / 2, side, side, 0, 0, size, size);
  const { data } = context.getImageData(0, 0, size, size);
  const values = new Uint8Array(3 * size * size);
  for (let pixel = 0; pixel < size * size; pixel += 1) values.set(data.subarray(4 * pixel, 4 * pixel + 3), 3 * pixel);
  return { values, size };
}

function imageSection(page) {
  const section = find("#image");
  const form = find("form", section);
  const canvas = find("canvas", section);
  let size = 0;
  const take = (picture) => {
    const taken = pixels(picture, 768);
    size = canvas.width = canvas.height = taken.size;
    page.set_image(taken.values, size, size);
  };
  const show = inTurn(section, async () => {
    const { angle, sigma, edges, contrast } = form.elements;
    const start = performance.now();
    const rgb = await page.filter(new Filter(+angle.value, +sigma.value, +edges.value, +contrast.value));
    const time = performance.now() - start;
    const image = new ImageData(size, size);
    for (let pixel = 0; pixel < size * size; pixel += 1) {
      image.data.set(rgb.subarray(3 * pixel, 3 * pixel + 3), 4 * pixel);
      image.data[4 * pixel + 3] = 255;
    }
    find("canvas", section).getContext("2d").putImageData(image, 0, 0);
    tell(section, `${size} × ${size} pixels, computed and copied back in ${time.toFixed(1)} ms`);
  });
  form.addEventListener("input", async ({ target }) => {
    if (target.name === "file" && target.files[0]) {
      try { take(await createImageBitmap(target.files[0])); } catch (error) { return tell(section, error.message, true); }
    }
    label(form);
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  take(drawn(384));
  label(form);
  return show;
}

/// Draws values from left to right: of those that share a column the least and the greatest.
function plot(canvas, values) {
  const { width, height } = canvas;
  const context = canvas.getContext("2d");
  const colour = getComputedStyle(document.documentElement);
  const known = values.filter(Number.isFinite);
  let [low, high] = known.reduce(([low, high], y) => [Math.min(low, y), Math.max(high, y)], [Infinity, -Infinity]);
  if (!(low < high)) [low, high] = [low - 1, low + 1];
  const place = (y) => height - 8 - ((y - low) / (high - low)) * (height - 16);
  context.clearRect(0, 0, width, height);
  context.strokeStyle = getComputedStyle(canvas).borderColor;
  context.beginPath();
  context.moveTo(0, place(0));
  context.lineTo(width, place(0));
  context.moveTo(width / 2, 0);
  context.lineTo(width / 2, height);
  context.stroke();
  context.strokeStyle = getComputedStyle(find("button")).backgroundColor;
  context.lineWidth = 2;
  context.beginPath();
  const share = values.length / width;
  for (let column = 0; column < width; column += 1) {
    const part = values.subarray(column * share, (column + 1) * share).filter(Number.isFinite);
    if (part.length === 0) continue;
    const ends = part.reduce(([a, b], y) => [Math.min(a, y), Math.max(b, y)], [Infinity, -Infinity]);
    if (part[0] > part[part.length - 1]) ends.reverse();
    for (const y of ends) context.lineTo(column, place(y));
  }
  context.stroke();
  return [low, high];
}

function expressionSection(page) {
  const section = find("#expression");
  const form = find("form", section);
  const show = inTurn(section, async () => {
    const { text, a, b } = form.elements;
    const start = performance.now();
    const { values, mean, wgsl, kernels } = await page.evaluate(text.value, +a.value, +b.value);
    const time = performance.now() - start;
    const [low, high] = plot(find("canvas", section), values);
    const place = find("pre", section);
    place.textContent = wgsl;
    // What is the visitor's comes after what all expressions share.
    const lines = wgsl.split("\n");
    place.scrollTop = (place.scrollHeight * lines.findIndex((line) => line.startsWith("fn formula"))) / lines.length;
    const range = `from ${low.toPrecision(3)} to ${high.toPrecision(3)}, ${mean.toPrecision(3)} on average`;
    tell(section, `${kernels} kernel${kernels === 1 ? "" : "s"}; ${range}; computed and copied back in ${time.toFixed(1)} ms`);
  });
  form.addEventListener("input", () => { label(form); show(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  label(form);
  return show;
}

function sortSection(page) {
  const section = find("#sort");
  const form = find("form", section);
  const [own, library] = section.querySelectorAll("dd");
  const words = { size: (power) => number.format(2 ** power) };
  const race = inTurn(section, async () => {
    find("button", form).disabled = true;
    try {
      const numbers = new Uint32Array(2 ** form.elements.size.value);
      for (let from = 0; from < numbers.length; from += 16384) crypto.getRandomValues(numbers.subarray(from, from + 16384));
      await page.sort(numbers.subarray(0, 64)); // compiles the kernels
      await page.sort(numbers);
      const sorted = numbers.slice();
      const times = [performance.now()];
      sorted.sort();
      times.push(performance.now());
      const result = await page.sort(numbers);
      times.push(performance.now());
      const [slow, fast] = [times[1] - times[0], times[2] - times[1]];
      for (const [place, time] of [[own, slow], [library, fast]]) {
        find("meter", place).value = time / Math.max(slow, fast);
        find("span", place).textContent = `${time.toFixed(1)} ms`;
      }
      const same = result.length === sorted.length && result.every((value, at) => value === sorted[at]);
      const ratio = slow > fast ? `crosslane is ${(slow / fast).toFixed(1)} times as fast` : `JavaScript is ${(fast / slow).toFixed(1)} times as fast`;
      tell(section, same ? `the results are the same; ${ratio}` : "the results differ", !same);
    } finally { find("button", form).disabled = false; }
  });
  form.addEventListener("input", () => label(form, words));
  form.addEventListener("submit", (event) => { event.preventDefault(); race(); });
  label(form, words);
}

/// The page when the first two sections have shown something; the tests wait for it.
async function start() {
  const place = find("#device");
  try {
    await init();
    const page = await Page.open();
    const software = page.name().includes("Software") ? ": a software driver, whose times say nothing about a card" : "";
    place.textContent = page.name() + software;
    sortSection(page);
    for (const show of [imageSection(page), expressionSection(page)]) await show();
    return page;
  } catch (error) {
    place.textContent = error.message ?? String(error);
    place.classList.add("wrong");
    throw error;
  }
}

export const started = start();
