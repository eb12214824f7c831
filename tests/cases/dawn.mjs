// Exports on Dawn, the WebGPU of Chromium. FOLDER has the npm package `webgpu`.
//
//     node dawn.mjs FOLDER caps                            prints what the adapter is, and what it has
//     node dawn.mjs FOLDER compile KERNELS                 compiles each line's kernel; prints what Tint refuses
//     node dawn.mjs FOLDER run EXPORTS RESULTS REPLAY      runs each line's export by the module REPLAY; its outputs as hexadecimal
//                                                          digits, or what went wrong, are a line of RESULTS
import { createReadStream, createWriteStream } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, command, input, results, replay] = process.argv.slice(2);
const { create, globals } = createRequire(`${folder}/`)("webgpu");
Object.assign(globalThis, globals);
// Dawn dies with the object that `create` gives: it is kept where nothing collects it.
globalThis.gpu = create(["enable-dawn-features=allow_unsafe_apis"]);
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error("Dawn finds no adapter");
const limits = {};
for (const name in adapter.limits) limits[name] = adapter.limits[name];
/// Pipelines that are kept: SwiftShader's take a MiB each.
const MOST_KEPT = 400;

const open = () => {
  const requiredFeatures = ["shader-f16", "subgroups"].filter((name) => adapter.features.has(name));
  return adapter.requestDevice({ requiredFeatures, requiredLimits: limits });
};
const lines = () => createInterface({ input: createReadStream(input), crlfDelay: Infinity });

function caps() {
  const { vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize } = adapter.info;
  const info = { vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize };
  console.log(JSON.stringify({ info, limits, features: [...adapter.features] }));
}

async function compile() {
  const device = await open();
  for await (const line of lines()) {
    const { name, wgsl } = JSON.parse(line);
    device.pushErrorScope("validation");
    const { messages } = await device.createShaderModule({ code: wgsl }).getCompilationInfo();
    await device.popErrorScope();
    const errors = messages.filter(({ type }) => type === "error");
    for (const { message, lineNum } of errors) console.log(`${name}:${lineNum}: ${message}`);
  }
}

async function run() {
  const { load } = await import(pathToFileURL(replay));
  const [device, kept, out] = [await open(), new Map(), createWriteStream(results)];
  for await (const line of lines()) {
    device.pushErrorScope("validation");
    let answer;
    try {
      const pipeline = await load(JSON.parse(line), device, kept);
      const outputs = Object.values(await pipeline.run());
      pipeline.destroy();
      answer = { outputs: outputs.map((values) => Buffer.from(values.buffer).toString("hex")) };
    } catch (error) {
      answer = { error: String(error.message ?? error) };
    }
    const refused = await device.popErrorScope();
    if (refused) answer = { error: refused.message };
    if (kept.size > MOST_KEPT) kept.clear();
    if (!out.write(`${JSON.stringify(answer)}\n`)) await new Promise((ready) => out.once("drain", ready));
  }
  await new Promise((done) => out.end(done));
}

await { caps, compile, run }[command]();
process.exit(0); // Dawn's threads keep the process alive
