//! What drivers say of a kernel (`VK_KHR_pipeline_executable_properties`), each by its own names, as figures by one.

use super::devices::Driver;

/// A compiler's verdict.
#[derive(Clone, Debug)]
pub enum Outcome {
    Made(Figures),
    Refused(String),
    /// Or no end.
    Crashed(String),
}

/// What a compiler made of a kernel. What its driver does not tell is `None`.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub subgroup: u64,
    /// Of an invocation, or as many as the driver counts: Adreno's are of four numbers.
    pub registers: Option<u64>,
    /// Registers, or loads and stores, that went to memory.
    pub spilled: Option<u64>,
    /// Scalar registers that went to others.
    pub moved: Option<u64>,
    /// Bytes of memory that a workgroup shares.
    pub shared: Option<u64>,
    /// Bytes that spills and arrays take.
    pub scratch: Option<u64>,
    /// Subgroups, or threads on Apple's, that run at a time on what the driver counts by.
    pub occupancy: Option<u64>,
    pub instructions: Option<u64>,
}

/// A driver's names; an empty one where it does not tell.
struct Names {
    registers: &'static str,
    spilled: &'static str,
    moved: &'static str,
    shared: &'static str,
    scratch: &'static str,
    occupancy: &'static str,
    instructions: &'static str,
}

#[rustfmt::skip]
fn names(driver: Driver) -> Names {
    let [registers, spilled, moved, shared, scratch, occupancy, instructions] = match driver {
        Driver::Honeykrisp => ["GPRs", "Spills", "", "", "Scratch", "Threads", "Instructions"],
        Driver::Anv => ["Max live registers", "Spills", "", "Workgroup Memory Size", "Scratch Memory Size", "", "Instructions"],
        Driver::Hasvk => ["", "Spill Count", "", "Workgroup Memory Size", "Scratch Memory Size", "", "Instruction Count"],
        Driver::Turnip => ["Registers used", "STP Count", "", "", "", "Max Waves Per Core", "Instruction Count"],
        Driver::Nvk => ["Number of GPRs", "Spills to memory", "Spills to reg", "", "SLM size", "Max warps/SM", "Instruction count"],
        Driver::Radv => ["VGPRs", "Spilled VGPRs", "Spilled SGPRs", "LDS size", "Scratch size", "Subgroups per SIMD", "Instructions"],
        Driver::Panvk => ["", "", "", "", "", "", ""],
        Driver::V3dv => ["", "TMU Spills", "", "", "Spill Size", "Thread Count", "Instruction Count"],
    };
    Names { registers, spilled, moved, shared, scratch, occupancy, instructions }
}

/// What the null device tells first of each executable.
const SUBGROUP: &str = "Subgroup size=";

impl Outcome {
    /// From a child's fields, `name=value` each.
    pub fn read(driver: Driver, fields: &[&str]) -> Outcome {
        let executables = fields.chunk_by(|_, next| !next.starts_with(SUBGROUP));
        let all = executables.map(|fields| Figures::read(&names(driver), fields));
        // Intel's compiler makes one for each size of subgroups, and launches the widest of those that spill least.
        let best = all.min_by_key(|one| (one.spilled, std::cmp::Reverse(one.subgroup)));
        Outcome::Made(best.expect("the driver tells of an executable"))
    }
}

impl Figures {
    fn read(names: &Names, fields: &[&str]) -> Figures {
        let value = |name: &str| {
            let found = || fields.iter().find_map(|field| field.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
            (!name.is_empty())
                .then(|| found().unwrap_or_else(|| panic!("the driver does not tell {name:?}: {fields:?}")))
        };
        Figures {
            subgroup: value("Subgroup size").expect("the null device tells it"),
            registers: value(names.registers),
            spilled: value(names.spilled),
            moved: value(names.moved),
            shared: value(names.shared),
            scratch: value(names.scratch),
            occupancy: value(names.occupancy),
            instructions: value(names.instructions),
        }
    }
}
