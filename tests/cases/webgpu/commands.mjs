// What is asked of a WebGPU, under Node and in a browser alike: each command reads lines and tells lines.

/// Pipelines that are kept: SwiftShader's take a MiB each.
const MOST_KEPT = 400;

const limits = (adapter) => {
  const all = {};
  for (const name in adapter.limits) all[name] = adapter.limits[name];
  return all;
};

const open = (adapter) => {
  const requiredFeatures = ["shader-f16", "subgroups"].filter((name) => adapter.features.has(name));
  return adapter.requestDevice({ requiredFeatures, requiredLimits: limits(adapter) });
};

const hex = (values) => Array.from(new Uint8Array(values.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

/// What the adapter is, and what it has.
export async function caps({ adapter, tell }) {
  const { vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize } = adapter.info;
  const info = { vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize };
  await tell(JSON.stringify({ info, limits: limits(adapter), features: [...adapter.features] }));
}

/// Compiles each line's kernel, and tells what Tint refuses.
export async function compile({ adapter, lines, tell }) {
  const device = await open(adapter);
  for await (const line of lines()) {
    const { name, wgsl } = JSON.parse(line);
    device.pushErrorScope("validation");
    const { messages } = await device.createShaderModule({ code: wgsl }).getCompilationInfo();
    await device.popErrorScope();
    const errors = messages.filter(({ type }) => type === "error");
    for (const { message, lineNum } of errors) await tell(`${name}:${lineNum}: ${message}`);
  }
}

/// Runs each line's export, and tells its outputs as hexadecimal digits, or what went wrong.
export async function run({ adapter, lines, tell, load }) {
  const [device, kept] = [await open(adapter), new Map()];
  for await (const line of lines()) {
    device.pushErrorScope("validation");
    let answer;
    try {
      const pipeline = await load(JSON.parse(line), device, kept);
      const outputs = Object.values(await pipeline.run());
      pipeline.destroy();
      answer = { outputs: outputs.map(hex) };
    } catch (error) {
      answer = { error: String(error.message ?? error) };
    }
    const refused = await device.popErrorScope();
    if (refused) answer = { error: refused.message };
    if (kept.size > MOST_KEPT) kept.clear();
    await tell(JSON.stringify(answer));
  }
}
