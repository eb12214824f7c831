// Tests of the page, in it: what it shows, and what the library computes, against JavaScript's own arithmetic.

import { started } from "./page.js";

const find = (what) => document.querySelector(what);

/// What a section says when it has finished what it was asked for.
async function said(section, act) {
  const place = find(`${section} .told`);
  place.textContent = "";
  act();
  for (let turn = 0; turn < 1200 && !place.textContent; turn += 1) await new Promise((next) => setTimeout(next, 50));
  return place.textContent;
}

function set(section, name, value) {
  const input = find(section).querySelector(`[name=${name}]`);
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

function levels() {
  const canvas = find("#image canvas");
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
}

function ensure(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

const TESTS = {
  async "an image without filters is as it was drawn"() {
    const before = levels();
    ensure((await said("#image", () => set("#image", "angle", 0))).includes("384 × 384"), find("#image .told").textContent);
    const after = levels();
    ensure(before.every((value, at) => value === after[at]) && new Set(before).size > 50, "the image has changed");
  },

  async "half a turn reverses an image, twice contrast spreads it"() {
    const before = levels();
    await said("#image", () => set("#image", "angle", 180));
    const after = levels();
    const last = before.length - 4;
    let wrong = 0;
    for (let at = 0; at < before.length; at += 1) {
      const turned = before[last - (at - (at % 4)) + (at % 4)];
      wrong += Math.abs(turned - after[at]) > 1;
    }
    ensure(wrong === 0, `${wrong} values are wrong`);
    await said("#image", () => set("#image", "angle", 0));
    await said("#image", () => set("#image", "contrast", 2));
    const spread = levels();
    const wanted = (value, at) => (at % 4 === 3 ? 255 : Math.max(0, Math.min(255, 2 * value - 128)));
    ensure(before.every((value, at) => spread[at] === wanted(value, at)), "contrast is wrong");
    await said("#image", () => set("#image", "contrast", 1));
  },

  async "an expression has Math's values"(page) {
    const { values, mean, kernels, wgsl } = await page.evaluate("sin(a * x) * exp(-b * x * x)", 6, 0.5);
    ensure(values.length === 2 ** 20 && kernels === 1 && wgsl.includes("@compute"), `${values.length} values, ${kernels} kernels`);
    let [worst, sum] = [0, 0];
    values.forEach((value, at) => {
      const x = -4 + (8 * at) / (values.length - 1);
      worst = Math.max(worst, Math.abs(value - Math.sin(6 * x) * Math.exp(-0.5 * x * x)));
      sum += value;
    });
    // WGSL lets sin err by 2^-11.
    ensure(worst < 1e-3, `off by ${worst}`);
    ensure(Math.abs(mean - sum / values.length) < 1e-5, `the mean is ${mean}`);
  },

  async "a mistake in an expression is said, and mended"() {
    const wrong = await said("#expression", () => set("#expression", "text", "sin(x"));
    ensure(find("#expression .told").className.includes("wrong") && wrong.length > 20, wrong);
    const unknown = await said("#expression", () => set("#expression", "text", "x + c"));
    ensure(unknown.includes("c"), unknown);
    const right = await said("#expression", () => set("#expression", "text", "x * x"));
    ensure(right.startsWith("1 kernel") && right.includes("to 16.0"), right);
  },

  async "sorts race"() {
    set("#sort", "size", 17);
    const words = await said("#sort", () => find("#sort button").click());
    ensure(words.startsWith("the results are the same"), words);
  },
};

async function all() {
  const page = await started;
  const results = [["the device", page.name().includes("WebGpu") ? "" : page.name()]];
  for (const [name, test] of Object.entries(TESTS)) {
    try {
      await test(page);
      results.push([name, ""]);
    } catch (error) { results.push([name, String(error)]); }
  }
  return results.concat(JSON.parse(await page.checks()));
}

const results = await all().catch((error) => [["the page", String(error.stack ?? error)]]);
await fetch("/results", { method: "POST", body: JSON.stringify(results) });
