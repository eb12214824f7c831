// Runs a pipeline that crosslane exported, on any WebGPU: in a browser, or under Node with the package `webgpu`.
//
//     const pipeline = await load(await (await fetch("export.json")).json());
//     const { y } = await pipeline.run({ x: new Float32Array([1, 2, 3]) });

const TYPES = {
  f32: Float32Array, f64: Float64Array, i8: Int8Array, i16: Int16Array, i32: Int32Array, i64: BigInt64Array,
  u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array, bool: Uint8Array,
};

/// The typed array that holds elements of a type: f16, bf16 as their bits, complex numbers as pairs.
export function typed(array, buffer) {
  const size = array.shape.reduce((product, extent) => product * extent, 1);
  if (array.dtype === "Complex32") return new Float32Array(buffer, 0, 2 * size);
  if (array.dtype === "Complex64") return new Float64Array(buffer, 0, 2 * size);
  return new (TYPES[array.dtype] ?? Uint16Array)(buffer, 0, size);
}

/// A device with the features and limits that an export needs; an error names the first that the adapter lacks.
export async function open(exported, gpu = navigator.gpu) {
  const adapter = await gpu?.requestAdapter();
  if (!adapter) throw new Error("there is no WebGPU adapter");
  for (const feature of exported.features) {
    if (!adapter.features.has(feature)) throw new Error(`${exported.name} needs ${feature}, which this adapter does not have`);
  }
  const requiredLimits = {};
  for (const [name, wanted] of Object.entries(exported.limits)) {
    const most = adapter.limits[name];
    if (wanted > most) throw new Error(`${exported.name} needs a ${name} of ${wanted}; this adapter has ${most}`);
    requiredLimits[name] = wanted;
  }
  return adapter.requestDevice({ requiredFeatures: exported.features, requiredLimits });
}

/// Compiles an export's kernels and fills its buffers. `kept` has the pipelines of earlier exports on this device.
export async function load(exported, device, kept = new Map()) {
  if (exported.crosslane !== 1) throw new Error(`format ${exported.crosslane}: this program reads format 1`);
  device ??= await open(exported);
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const buffers = exported.buffers.map(({ bytes }) =>
    device.createBuffer({ size: bytes, usage: STORAGE | UNIFORM | COPY_SRC | COPY_DST }));
  const restore = () => exported.buffers.forEach(({ contents }, nth) =>
    contents?.forEach(({ offset, words }) => device.queue.writeBuffer(buffers[nth], offset, new Uint32Array(words))));
  restore();
  const kernels = await Promise.all(exported.kernels.map((kernel) => {
    const key = JSON.stringify(kernel);
    if (!kept.has(key)) kept.set(key, compile(device, kernel));
    return kept.get(key);
  }));
  const launches = exported.launches.map((launch) => bind(device, buffers, kernels[launch.kernel], launch));
  const array = (name, role) => {
    const found = exported.arrays.find((array) => array.name === name && array.role === role);
    if (!found) throw new Error(`${exported.name} has no ${role} ${name}`);
    return found;
  };

  return {
    device,
    /// Writes the buffers' contents again, as they were at the export.
    restore,
    /// Writes inputs, runs all launches, and reads the outputs, all or those named: typed arrays by name.
    async run(inputs = {}, wanted) {
      for (const [name, values] of Object.entries(inputs)) {
        const { buffer, offset, shape, element_bytes } = array(name, "input");
        const bytes = shape.reduce((product, extent) => product * extent, element_bytes);
        if (values.byteLength !== bytes) throw new Error(`${name}: wanted ${bytes} bytes, got ${values.byteLength}`);
        const whole = new Uint8Array(4 * Math.ceil(bytes / 4));
        whole.set(new Uint8Array(values.buffer, values.byteOffset, bytes));
        device.queue.writeBuffer(buffers[buffer], offset, whole);
      }
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      for (const { pipeline, groups, grid } of launches) {
        pass.setPipeline(pipeline);
        groups.forEach((group, index) => pass.setBindGroup(index, group));
        pass.dispatchWorkgroups(...grid);
      }
      pass.end();
      const outputs = exported.arrays.filter(({ role, name }) => role === "output" && (wanted?.includes(name) ?? true));
      const copies = outputs.map(({ buffer, offset, shape, element_bytes }) => {
        const bytes = shape.reduce((product, extent) => product * extent, element_bytes);
        const size = Math.max(4, 4 * Math.ceil(bytes / 4));
        const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | COPY_DST });
        if (bytes > 0) encoder.copyBufferToBuffer(buffers[buffer], offset, copy, 0, size);
        return copy;
      });
      device.queue.submit([encoder.finish()]);
      const results = {};
      for (const [nth, copy] of copies.entries()) {
        await copy.mapAsync(GPUMapMode.READ);
        results[outputs[nth].name] = typed(outputs[nth], copy.getMappedRange().slice(0));
        copy.destroy();
      }
      return results;
    },
    /// Frees the device memory.
    destroy() {
      buffers.forEach((buffer) => buffer.destroy());
      launches.forEach(({ params }) => params?.destroy());
    },
  };
}

async function compile(device, { name, entry, wgsl, constants, bindings, params_group: params }) {
  const places = bindings.map(([group, binding, type]) => ({ group, binding, type }));
  if (params !== undefined) places.push({ group: params, binding: 0, type: "uniform" });
  const count = Math.max(0, ...places.map(({ group }) => group + 1));
  const layouts = Array.from({ length: count }, (_, index) => device.createBindGroupLayout({
    entries: places.filter(({ group }) => group === index).map(({ binding, type }) =>
      ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } })),
  }));
  const pipeline = await device.createComputePipelineAsync({
    label: name,
    layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
    compute: { module: device.createShaderModule({ label: name, code: wgsl }), entryPoint: entry, constants },
  });
  return { pipeline, layouts, bindings, params };
}

function bind(device, buffers, { pipeline, layouts, bindings, params: group }, { windows, params: words, grid }) {
  const entries = layouts.map(() => []);
  windows.forEach(({ buffer, offset, bytes }, nth) => {
    const [group, binding] = bindings[nth];
    entries[group].push({ binding, resource: { buffer: buffers[buffer], offset, size: bytes } });
  });
  let params;
  if (group !== undefined) {
    params = device.createBuffer({
      size: 16 * Math.ceil(words.length / 4), usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(params, 0, new Uint32Array(words));
    entries[group].push({ binding: 0, resource: { buffer: params } });
  }
  const groups = layouts.map((layout, index) => device.createBindGroup({ layout, entries: entries[index] }));
  return { pipeline, groups, grid, params };
}
