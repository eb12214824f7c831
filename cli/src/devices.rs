//! `crosslane devices`: the devices of this machine, and their capabilities.

use super::{Outcome, print, table};
use crosslane::Device;
use crosslane::device::{Caps, Properties};
use serde::Serialize;

/// A device as `--json` prints it. Sizes are in bytes.
#[derive(Serialize)]
struct Row {
    index: usize,
    name: String,
    vendor: String,
    vendor_id: u32,
    device_id: u32,
    pci_bus: Option<String>,
    backend: String,
    kind: String,
    driver: String,
    buffer_bytes: u64,
    binding_bytes: u64,
    bindings: u32,
    workgroup_invocations: u32,
    workgroup_bytes: u32,
    grid: u32,
    subgroups: Option<(u32, u32)>,
    unified_memory: bool,
    f16: bool,
    f64: bool,
    i64: bool,
    atomic_i64: bool,
    atomic_f32: bool,
    timestamps: bool,
    tensor: Option<u32>,
    missing: Option<String>,
}

impl Row {
    fn new(index: usize, properties: Properties) -> Row {
        let Properties { name, vendor, vendor_id, device_id, pci_bus, driver, backend, kind, caps, missing, .. } =
            properties;
        let Caps { f16, f64, i64, atomic_i64, atomic_f32, subgroups, tensor, timestamps, .. } = caps;
        let Caps { workgroup_invocations, workgroup_bytes, grid, bindings, binding_bytes, buffer_bytes, .. } = caps;
        let [backend, kind] = [format!("{backend:?}"), format!("{kind:?}")].map(|text| text.to_lowercase());
        let unified_memory = caps.unified;
        #[rustfmt::skip]
        let row = Row {
            index, name, vendor, vendor_id, device_id, pci_bus, backend, kind, driver, buffer_bytes, binding_bytes, bindings,
            workgroup_invocations, workgroup_bytes, grid, subgroups, unified_memory, f16, f64, i64, atomic_i64, atomic_f32,
            timestamps, tensor, missing,
        };
        row
    }

    fn ids(&self) -> String {
        format!("{:04x}:{:04x}", self.vendor_id, self.device_id)
    }

    fn types(&self) -> String {
        let all = [("f16", self.f16), ("f64", self.f64), ("i64", self.i64)];
        listed(&all)
    }

    fn atomics(&self) -> String {
        listed(&[("32-bit", true), ("i64", self.atomic_i64), ("f32", self.atomic_f32)])
    }

    fn subgroup_sizes(&self) -> String {
        match self.subgroups {
            None => "none".into(),
            Some((least, most)) if least == most => least.to_string(),
            Some((least, most)) => format!("{least} to {most}"),
        }
    }
}

/// The names of what is there.
fn listed(all: &[(&str, bool)]) -> String {
    let there: Vec<&str> = all.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    if there.is_empty() { "none".into() } else { there.join(" ") }
}

fn yes(there: bool) -> String {
    if there { "yes" } else { "no" }.into()
}

/// A size for people, in binary units.
fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if (value - value.round()).abs() < 0.05 { 0 } else { 1 };
    format!("{value:.digits$} {}", units[unit])
}

/// A property's label, and how it is read from a device.
type Property = (&'static str, fn(&Row) -> String);

/// The lines of the table; each device is a column.
const PROPERTIES: [Property; 18] = [
    ("index", |d| d.index.to_string()),
    ("name", |d| d.name.clone()),
    ("vendor", |d| d.vendor.clone()),
    ("PCI ids", Row::ids),
    ("PCI bus", |d| d.pci_bus.clone().unwrap_or_else(|| "-".into())),
    ("backend", |d| d.backend.clone()),
    ("kind", |d| if d.kind == "null" { "null: only compiles".into() } else { d.kind.clone() }),
    ("driver", |d| d.driver.clone()),
    ("largest buffer", |d| size(d.buffer_bytes)),
    ("largest binding", |d| format!("{}, {} a kernel", size(d.binding_bytes), d.bindings)),
    ("workgroup", |d| format!("{} invocations, {}", d.workgroup_invocations, size(d.workgroup_bytes as u64))),
    ("subgroups", Row::subgroup_sizes),
    ("types beside 32-bit", Row::types),
    ("atomics", Row::atomics),
    ("timestamps", |d| yes(d.timestamps)),
    ("tensor cores", |d| d.tensor.map_or("no".into(), |size| format!("{size} x {size}"))),
    ("memory shared with host", |d| yes(d.unified_memory)),
    ("can be opened", |d| if d.missing.is_some() { "no: see below".into() } else { "yes".into() }),
];

pub fn run(json: bool) -> Outcome {
    let rows: Vec<Row> = Device::list().into_iter().enumerate().map(|(index, d)| Row::new(index, d)).collect();
    if json {
        return print(&serde_json::to_string_pretty(&rows)?);
    }
    if rows.is_empty() {
        Device::open("")?; // its error says what was looked for, and what to install
    }
    let line = |(label, value): &Property| {
        std::iter::once(label.to_string()).chain(rows.iter().map(value)).collect::<Vec<String>>()
    };
    let lines: Vec<Vec<String>> = PROPERTIES.iter().map(line).collect();
    print(&table::boxed(&lines))?;
    for row in &rows {
        if let Some(missing) = &row.missing {
            print(&format!("{} {}, through {}: {missing}", row.index, row.name, row.backend))?;
        }
    }
    Ok(())
}
